"""Repositories as people have them, made with git itself; every hash is the same each time."""

import os
import subprocess
from pathlib import Path

REMOTES = {
    "https": "https://github.com/Acme/Api.git",
    "https-user": "https://me:secret@github.com/Acme/Api",
    "scp": "git@github.com:Acme/Api.git",
    "ssh": "ssh://git@github.com:22/Acme/Api/",
    "ssh-443": "ssh://git@ssh.github.com:443/Acme/Api.git",
    "gitlab-deep": "git@gitlab.example.org:group/sub/api.git",
    "azure": "git@ssh.dev.azure.com:v3/Acme/shop/api",
    "file-url": "file:///srv/git/api.git",
    "one-word": "backup",
}
MARCH = "2026-03-01T12:00:00+00:00"


def git(folder: Path, *words: str, date: str = MARCH) -> str:
    """Run git in a folder as a person called t; returns what it prints."""
    me = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    me |= dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "t")
    me |= dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "t@example.com")
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main", *words],
        cwd=folder,
        env=os.environ | me,
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def repository(folder: Path, *commits: str, remote: str = "") -> Path:
    """A checkout with these commits, the first in March 2026, each a minute after the one before."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for minute, message in enumerate(commits):
        date = f"2026-03-01T12:{minute:02}:00+00:00"
        git(folder, "commit", "-q", "--allow-empty", "-m", message, date=date)
    if remote:
        git(folder, "remote", "add", "origin", remote)
    return folder


def build(base: Path) -> list[str]:
    """Make one of each kind; returns the folders to look at, relative to `base`."""
    for name, address in REMOTES.items():
        repository(base / "remote" / name, "first", remote=address)
    return [
        *(f"remote/{name}" for name in REMOTES),
        *_with_several_remotes(base / "several"),
        *_with_worktrees(base / "trees"),
        *_inside_others(base / "inside"),
        *_without_remote(base / "plain"),
        *_cloned_here(base / "here"),
        *_heads(base / "heads"),
        *_without_git(base / "none"),
    ]


def _with_several_remotes(base: Path) -> list[str]:
    for name, remotes in {
        "origin-second": ("fork", "origin"),
        "no-origin": ("work", "backup"),
        "pushurl": ("origin",),
    }.items():
        folder = repository(base / name, name)
        for remote in remotes:
            git(folder, "remote", "add", remote, f"git@host.example:{remote}/{name}.git")
    git(base / "pushurl", "remote", "set-url", "--push", "origin", "git@host.example:push/x.git")
    git(base / "pushurl", "remote", "set-url", "--add", "origin", "git@host.example:second/x.git")
    rewritten = repository(base / "instead-of", "x", remote="gh:Acme/tool")
    git(rewritten, "config", "url.git@github.com:.insteadOf", "gh:")
    return [f"several/{path.name}" for path in sorted(base.iterdir())]


def _with_worktrees(base: Path) -> list[str]:
    for kind, remote in (("named", REMOTES["scp"]), ("local", "")):
        main = repository(base / kind / "main", kind, remote=remote)
        git(main, "worktree", "add", "-q", "-b", "side", str(base / kind / "side"))
        git(main, "worktree", "add", "-q", "--detach", str(base / kind / "detached"))
        git(main, "worktree", "add", "-q", "-b", "moved", str(base / kind / "before"))
        (base / kind / "before").rename(base / kind / "after")
        (base / kind / "side/deep/er").mkdir(parents=True)
    bare = base / "bare"
    bare.mkdir()
    git(bare, "clone", "-q", "--bare", str(base / "named/main"), ".bare")
    git(bare / ".bare", "remote", "set-url", "origin", REMOTES["https"])
    (bare / ".git").write_text("gitdir: ./.bare\n")
    git(bare, "worktree", "add", "-q", "-b", "topic", str(bare / "topic"))
    names = ("main", "side", "side/deep/er", "detached", "after")
    return [
        *(f"trees/{kind}/{name}" for kind in ("named", "local") for name in names),
        *("trees/bare", "trees/bare/topic"),
    ]


def _inside_others(base: Path) -> list[str]:
    library = repository(base / "library", "library")
    outer = repository(base / "outer", "outer", remote=REMOTES["scp"])
    git(outer, "submodule", "add", "-q", str(library), "vendor/library")
    repository(outer / "nested", "nested")
    (outer / "src/deep").mkdir(parents=True)
    git(base, "clone", "-q", "--bare", str(outer), "bare.git")
    git(base / "bare.git", "remote", "set-url", "origin", REMOTES["https"])
    repository(base / "held", "held")
    git(base / "held", "init", "-q", "--separate-git-dir", str(base / "kept.git"))
    git(base / "held", "worktree", "add", "-q", "-b", "side", str(base / "held-side"))
    (base / "broken/.git").mkdir(parents=True)
    (base / "liar").mkdir()
    (base / "liar/.git").write_text(f"gitdir: {outer}/.git\n")
    (base / "link").symlink_to(outer / "src")
    inside_outer = ("", "/src/deep", "/.git", "/.git/hooks", "/vendor/library", "/nested")
    return [
        *(f"inside/outer{name}" for name in inside_outer),
        *(f"inside/{name}" for name in ("bare.git", "bare.git/hooks", "held", "held-side")),
        *(f"inside/{name}" for name in ("kept.git", "broken", "liar", "link")),
    ]


def _without_remote(base: Path) -> list[str]:
    """What the first commit tells, with and without what git keeps of the past."""
    for name in ("reflog", "loose", "packed-refs", "commit-graph", "chain", "merged"):
        folder = repository(base / name, f"{name} 1", f"{name} 2", f"{name} 3")
        if name not in ("reflog", "merged"):
            (folder / ".git/logs/HEAD").unlink()
    git(base / "packed-refs", "pack-refs", "--all")
    git(base / "commit-graph", "gc", "-q")
    git(base / "commit-graph", "commit-graph", "write", "--reachable")
    git(base / "chain", "commit-graph", "write", "--reachable", "--split")
    repository(base / "amended-first", "typo")
    commit = ("commit", "-q", "--allow-empty", "-m")
    git(base / "amended-first", *commit, "no typo", "--amend", date="2026-03-02T00:00:00Z")
    git(base / "merged", "checkout", "-q", "--orphan", "older")
    git(base / "merged", *commit, "older", date="2020-01-01T00:00:00Z")
    git(base / "merged", "checkout", "-q", "main")
    git(base / "merged", "merge", "-q", "--allow-unrelated-histories", "-m", "merge", "older")
    git(base, "clone", "-q", "--depth", "1", f"file://{base}/loose", "shallow")
    git(base / "shallow", "remote", "remove", "origin")
    repository(base / "empty")
    git(base, "init", "-q", "--object-format=sha256", "sha256")
    git(base / "sha256", "commit", "-q", "--allow-empty", "-m", "sha256")
    return [f"plain/{path.name}" for path in sorted(base.iterdir())]


def _cloned_here(base: Path) -> list[str]:
    source = repository(base / "source", "source", remote=REMOTES["scp"])
    plain = repository(base / "plain", "plain")
    git(base, "clone", "-q", str(source), "clone")
    git(base, "clone", "-q", "clone", "clone-of-clone")
    git(base, "clone", "-q", str(plain), "clone-of-plain")
    git(base, "clone", "-q", "--bare", str(plain), "bare.git")
    git(base, "clone", "-q", str(base / "bare.git"), "clone-of-bare")
    repository(base / "relative", "relative", remote="../source")
    repository(base / "gone", "gone", remote="/nowhere/source.git")
    return [f"here/{path.name}" for path in sorted(base.iterdir())]


def _heads(base: Path) -> list[str]:
    for name in ("renamed", "detached", "slash", "unborn-branch"):
        repository(base / name, "head", remote=REMOTES["scp"])
    git(base / "renamed", "branch", "-m", "main", "trunk")
    git(base / "detached", "checkout", "-q", "--detach")
    git(base / "slash", "checkout", "-q", "-b", "feature/Ünï")
    git(base / "unborn-branch", "checkout", "-q", "--orphan", "pages")
    return [f"heads/{path.name}" for path in sorted(base.iterdir())]


def _without_git(base: Path) -> list[str]:
    for name in ("plain", "Plain", "with space", "äöü", "deep/er"):
        (base / name).mkdir(parents=True)
    return [*(f"none/{path.name}" for path in sorted(base.iterdir())), "none/deep/er", "none/gone"]
