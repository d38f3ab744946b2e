"""The programs of one checkout, run as a person and a harness run them, and the graph that they leave."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

PATIENT_MS = "20000"
"""A busy machine must not change what is printed."""
MAIN = "from dreamhook.cli import main; main()"


class Product:
    """One checkout's wrappers and command line, in the environment of the test that made this."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def run(self, *arguments: str, **environment: str) -> str:
        """The command line's stdout. Fails the test when the command fails."""
        done = subprocess.run(
            [self.root / ".venv/bin/python", "-c", MAIN, *arguments],
            env=os.environ | environment,
            cwd=self.root,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
        )
        assert done.returncode == 0, f"dreamhook {arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def hook(self, client: str, program: str, payload: dict[str, Any], cwd: str = "/") -> str:
        """What the wrapper of a harness, which runs in the folder `cwd`, prints on this payload."""
        done = subprocess.run(
            [self.root / f"wrappers/{client}.sh", program],
            input=json.dumps(payload).encode(),
            env=os.environ | {"DREAMHOOK_DEADLINE_MS": PATIENT_MS},
            cwd=cwd,
            capture_output=True,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()


def name_person(home: Path, person: str) -> None:
    """Give the home's configuration a person, so that no login name stands in what is compared."""
    with (home / "config.toml").open("a", encoding="utf-8") as config:
        config.write(f'\n[identity]\nperson = "{person}"\n')


def give_interpreter(root: Path) -> None:
    """A .venv in a checkout that finds the checkout's modules and the libraries of this environment."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", root / ".venv"], check=True)
    [packages] = (root / ".venv/lib").glob("python*/site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (packages / "checkout.pth").write_text("\n".join([str(root), *libraries]) + "\n")
