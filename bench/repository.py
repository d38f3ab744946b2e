"""What it costs to know a folder's repository, from git's files alone: prints a table, asserts nothing.

.venv/bin/python bench/repository.py
"""

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from dreamhook.repository import git_config, git_root, identity

RUNS = 300


def main() -> None:
    table = Table("folder", "known by", "first ms", "p50 ms", "p99 ms", title="repository.find")
    with tempfile.TemporaryDirectory() as root:
        for name, folder in _folders(Path(root)):
            git_config._known.clear()
            git_root._known.clear()
            times = [_once(folder) for _ in range(RUNS)]
            ordered = sorted(times[1:])
            known_by = identity.find(folder).claim.partition(":")[0][:20]
            figures = (times[0], statistics.median(ordered), ordered[int(len(ordered) * 0.99)])
            table.add_row(name, known_by, *(f"{figure:.3f}" for figure in figures))
    Console().print(table)


def _once(folder: str) -> float:
    began = time.perf_counter()
    identity.find(folder)
    return (time.perf_counter() - began) * 1000


def _folders(root: Path) -> list[tuple[str, str]]:
    remote, plain, old = (root / name for name in ("remote", "plain", "old"))
    for folder in (remote, plain, old):
        _git(root, "init", "-q", "-b", "main", str(folder))
    _git(remote, "remote", "add", "origin", "git@github.com:acme/api.git")
    for folder in (remote, plain):
        _git(folder, "commit", "-q", "--allow-empty", "-m", "x")
    _git(remote, "worktree", "add", "-q", "-b", "other", str(root / "tree"))
    deep = remote / "/".join("abcdefgh")
    deep.mkdir(parents=True)
    commits = [
        f"commit refs/heads/main\nmark :{n}\ncommitter t <t@x> {10**9 + n} +0000\ndata 1\nx\n"
        + (f"from :{n - 1}\n" if n > 1 else "")
        for n in range(1, 20_001)
    ]
    _git(old, "fast-import", "--quiet", text="".join(commits))
    _git(old, "commit-graph", "write", "--reachable")
    return [
        ("with a remote", str(remote)),
        ("eight folders down", str(deep)),
        ("a worktree", str(root / "tree")),
        ("no remote, reflog", str(plain)),
        ("no remote, 20,000 commits, no reflog", str(old)),
        ("no repository", str(root)),
    ]


def _git(folder: Path, *words: str, text: str | None = None) -> None:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words]
    subprocess.run(
        command,
        cwd=folder,
        check=True,
        capture_output=True,
        input=text,
        text=True,
        env=dict(os.environ),
    )


if __name__ == "__main__":
    main()
