"""What a harness's wrapper says to the hook that it runs."""

import subprocess
import tempfile
from functools import cache
from pathlib import Path

from dreamhook import paths
from dreamhook.hook.consent import Options, parse


@cache
def options_of(client: str, hook: str = "inject") -> Options:
    """The options as the hook reads them, from the real wrapper with another program in the interpreter's place."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder, ".venv/bin/python")
        python.parent.mkdir(parents=True)
        python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n', encoding="utf-8")
        python.chmod(0o700)
        Path(folder, "hooks").mkdir()
        Path(folder, "hooks", f"{hook}.py").touch()
        Path(folder, "wrappers").mkdir()
        script = Path(folder, "wrappers", f"{client}.sh")
        script.write_bytes(Path(paths.ROOT, "wrappers", f"{client}.sh").read_bytes())
        said = subprocess.run(["/bin/sh", script, hook], capture_output=True, check=True, text=True)
    return parse(said.stdout.splitlines())
