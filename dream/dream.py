"""The program that a timer, a person or `dreamhook dream` runs."""

import sys
from pathlib import Path

if __package__ in (
    None,
    "",
):  # run as a file: this folder comes first, where dream.py hides the package dream
    here = Path(__file__).resolve().parent
    sys.path[:] = [
        str(here.parent),
        *(entry for entry in sys.path if Path(entry or ".").resolve() != here),
    ]

from dream.run import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
