"""Which repository a folder belongs to, found by reading git's own files: no process is started.

The identity is the same from the main checkout, a worktree, a subfolder, a symlink and a fresh clone, because it
comes from the remote's normalised address. Without a remote it comes from where git's data lies.
"""

import configparser
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Repository:
    """`id` is `<name>-<12 hex>`; `remote` is normalised (`github.com/acme/api`); `branch` is None when detached."""

    id: str
    name: str
    remote: str | None
    branch: str | None


def find(folder: str) -> Repository:
    """The repository around a folder; a folder without one stands for itself. Never raises on odd input."""
    try:
        place = Path(folder).resolve()
        for candidate in (place, *place.parents):
            git = _git_dir(candidate / ".git")
            if git:
                return _describe(git)
    except (OSError, ValueError):
        place = Path(folder.replace("\0", ""))
    return _named(place.name or "root", str(place), None, None)


def normalise_remote(url: str) -> str:
    """`git@GitHub.com:Acme/api.git`, `ssh://git@github.com:22/Acme/api` and the like → `github.com/acme/api`."""
    url = url.strip()
    scp = re.fullmatch(r"(?:[^@/]+@)?([^:/]+):(?!//)(.+)", url)
    if scp and not url.startswith(("/", ".")):
        host, path = scp.groups()
    else:
        with_host = re.fullmatch(r"[A-Za-z][\w+.-]*://(?:[^@/]*@)?([^/:]*)(?::\d+)?/(.*)", url)
        if not with_host:
            return url.rstrip("/").removesuffix(".git")  # a path on this machine
        host, path = with_host.groups()
    path = re.sub(r"/+", "/", path).strip("/").removesuffix(".git").rstrip("/")
    return f"{host}/{path}".lower().lstrip("/")


def _git_dir(dot_git: Path) -> Path | None:
    """The git directory behind `.git`, which in worktrees and submodules is a file that names it."""
    if dot_git.is_dir():
        return dot_git if (dot_git / "HEAD").exists() else None
    if dot_git.is_file():
        text = dot_git.read_text(encoding="utf-8", errors="replace")[:4096]
        if text.startswith("gitdir:"):
            return (dot_git.parent / text[7:].strip()).resolve()
    return None


def _describe(git: Path) -> Repository:
    common = git
    pointer = git / "commondir"
    if pointer.is_file():
        common = (git / pointer.read_text(encoding="utf-8").strip()).resolve()
    head = (git / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None
    remote = _remote(common / "config")
    if remote:
        return _named(remote.rsplit("/", 1)[-1], remote, remote, branch)
    home = common.parent if common.name == ".git" else common
    return _named(home.name, str(home), None, branch)


def _remote(config: Path) -> str | None:
    """`origin`'s address, else the first remote's."""
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True, interpolation=None)
    try:
        text = config.read_text(encoding="utf-8", errors="replace")
        parser.read_string("\n".join(line.strip() for line in text.splitlines()))
    except (OSError, configparser.Error):
        return None
    urls = {name: parser.get(name, "url", fallback=None) for name in parser.sections() if name.startswith("remote ")}
    url = urls.get('remote "origin"') or next((url for url in urls.values() if url), None)
    return normalise_remote(url) if url else None


def _named(name: str, identity: str, remote: str | None, branch: str | None) -> Repository:
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "repository"
    digest = hashlib.sha256(identity.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return Repository(f"{slug}-{digest}", name, remote, branch)
