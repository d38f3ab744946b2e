"""Which repository a folder belongs to, found by reading git's own files: no process is started.

The identity is the same from the main checkout, a worktree, a subfolder, a symlink and a fresh clone, because it
comes from the remote's normalised address; without a remote from the root commit, without commits from the path.
Whatever a checkout says of itself is a claim: dreamhook/places.py decides what a claim is worth.
`url.<base>.insteadOf` is read from the user's and the repository's own config; `include` is not followed.
"""

import hashlib
import os
import re
import sys
import unicodedata
from dataclasses import dataclass, replace

from dreamhook.repository import git_root
from dreamhook.repository.git_config import Config, read_config, user_config

HOSTS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
"""Where ssh goes when its own port is closed → the name everything else goes by."""
LOCAL_CLONES = 3
"""How many clones of clones on this machine are followed to where they come from."""


@dataclass(frozen=True)
class Repository:
    """`id` is `<name>-<12 hex>`; `remote` is normalised (`github.com/acme/api`); `branch` is None when detached."""

    id: str
    name: str
    remote: str | None
    branch: str | None
    place: str = ""
    """The checkout's folder, resolved; of a worktree, its main checkout's."""
    claim: str = ""
    """What the identity comes from: the remote, `root:<commit>` or the path."""


def find(folder: str) -> Repository:
    """The repository around a folder; a folder without one stands for itself. Never raises on odd input."""
    try:
        place = os.path.realpath(folder)
        for candidate in _upwards(place):
            git = _git_dir(candidate)
            if git:
                return _describe(candidate, git)
    except (OSError, ValueError):
        place = os.path.normpath(folder.replace("\0", ""))
    return _named(os.path.basename(place) or "root", _path(place), None, None, place)


def config_file(folder: str) -> str:
    """The git configuration in which `find` reads a folder's claim; where there is no repository, where one's would be.

    Raises OSError, ValueError on odd input.
    """
    place = os.path.realpath(folder)
    for candidate in _upwards(place):
        if git := _git_dir(candidate):
            return _common(git) + "/config"
    return place + "/.git/config"


def normalise_remote(url: str) -> str:
    """`git@GitHub.com:Acme/api.git`, `ssh://git@github.com:22/Acme/api` and the like → `github.com/acme/api`.

    A path on this machine stays one.
    """
    url = url.strip()
    scp = re.fullmatch(r"(?:[^@/]+@)?([^:/]{2,}):(?!//)(.+)", url)
    if scp and not url.startswith(("/", ".")):
        host, path = scp.groups()
    else:
        with_host = re.fullmatch(r"[A-Za-z][\w+.-]*://(?:[^/]*@)?([^/:]*)(?::\d*)?/(.*)", url)
        if not with_host:
            return re.sub(r"/?\.git$", "", url.rstrip("/"))
        host, path = with_host.groups()
        if not host or host == "localhost":
            return normalise_remote("/" + path)
    host = host.lower()
    path = re.sub(r"/?\.git$", "", re.sub(r"/+", "/", path).strip("/"))
    if host.endswith("dev.azure.com"):
        path = re.sub(r"^v3/|_git/", "", path)
    return f"{HOSTS.get(host, host)}/{path}".lower().strip("/")


def _upwards(folder: str) -> list[str]:
    found = [folder]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found


def _git_dir(checkout: str) -> str | None:
    """The git directory behind `.git`, which in worktrees and submodules is a file that names it."""
    dot_git = os.path.join(checkout, ".git")
    if os.path.isdir(dot_git):
        return dot_git if os.path.exists(dot_git + "/HEAD") else None
    if os.path.isfile(dot_git):
        text = _read(dot_git)
        if text.startswith("gitdir:"):
            git = os.path.realpath(os.path.join(checkout, text[7:].strip()))
            return git if os.path.exists(git + "/HEAD") else None
    return None


def _describe(checkout: str, git: str) -> Repository:
    common, place = _common(git), checkout
    if common != git and _is_worktree(checkout, git, common):
        place = os.path.dirname(common) if os.path.basename(common) == ".git" else common
    head = _read(git + "/HEAD").strip()
    branch = head.removeprefix("ref: refs/heads/") if head.startswith("ref: refs/heads/") else None
    identity, remote = _identity(place, common, LOCAL_CLONES)
    name = os.path.basename(remote or place) or "root"
    return _named(name, identity, remote, branch, place)


def _common(git: str) -> str:
    """The git directory that a worktree's shares with its main checkout; else the same."""
    pointer = _read(git + "/commondir").strip() if os.path.isfile(git + "/commondir") else ""
    return os.path.realpath(os.path.join(git, pointer)) if pointer else git


def _is_worktree(checkout: str, git: str, common: str) -> bool:
    """Whether the main checkout knows this worktree too. A `.git` file alone could name anybody's repository."""
    mine = os.path.dirname(os.path.realpath(git)) == os.path.join(common, "worktrees")
    return mine and os.path.realpath(_read(git + "/gitdir").strip()) == os.path.join(
        checkout, ".git"
    )


def _identity(place: str, common: str, clones: int) -> tuple[str, str | None]:
    """(claim, normalised remote)"""
    remote = _remote(common + "/config")
    if remote and not re.match(r"[./~\\]|[A-Za-z]:", remote) and "/" in remote:
        return remote, remote
    if remote:  # a clone of something on this machine is what that is
        source = os.path.realpath(os.path.join(place, os.path.expanduser(remote)))
        git = _git_dir(source) or (source if os.path.exists(source + "/HEAD") else None)
        if git and clones:
            return _identity(source, git, clones - 1)
        return _path(source), _path(source)
    root = git_root.root_commit(common)
    return (f"root:{root}", None) if root else (_path(place), None)


def _remote(config_file: str) -> str | None:
    """`origin`'s address, else the first remote's; rewritten as git would."""
    try:
        config = read_config(config_file)
    except (OSError, ValueError):
        return None
    urls = {
        name: values["url"][0]
        for (kind, name), values in config.items()
        if kind == "remote" and "url" in values
    }
    url = urls.get("origin") or next((url for url in urls.values() if url), None)
    return normalise_remote(_rewritten(url, config)) if url else None


def _rewritten(url: str, config: Config) -> str:
    best = ("", "")
    for source in (config, user_config()):
        for (kind, base), values in source.items():
            for start in values.get("insteadof", []) if kind == "url" else []:
                if start and url.startswith(start) and len(start) > len(best[0]):
                    best = (start, base)
    return best[1] + url[len(best[0]) :] if best[0] else url


def _read(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as stream:
        return stream.read(4096)


def _path(place: str) -> str:
    """A path as an identity: one form of each letter; on macOS, where case does not tell folders apart, one case."""
    place = unicodedata.normalize("NFC", place)
    return place.lower() if sys.platform == "darwin" else place


def _named(name: str, claim: str, remote: str | None, branch: str | None, place: str) -> Repository:
    branch = _storable(branch) if branch else None
    name = _storable(unicodedata.normalize("NFC", name))
    return Repository(identifier(name, claim), name, remote, branch, _path(place), claim)


def _storable(text: str) -> str:
    """A file's name may hold bytes that are no text; the store takes none."""
    return text.encode("utf-8", "replace").decode()


def identifier(name: str, identity: str) -> str:
    """`<name>-<12 hex>`. A root commit looks the same in every folder, so there the folder's name stays out."""
    if identity.startswith("root:"):
        name = "local"
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "repository"
    return f"{slug}-{hashlib.sha256(identity.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def apart(found: Repository) -> Repository:
    """The same checkout under an identity of its own, which no other place shares."""
    return replace(found, id=identifier(found.name, f"{found.place}\n{found.claim}"))
