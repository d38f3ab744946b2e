"""The server's jars: the committed lock file says which, their hashes are checked before one is used.

server/jgo.lock.toml is a lock file of jgo (its head names the version that wrote it): coordinates and a sha256 per jar.
jgo says where a jar lies. Its own download (3.2) opens a connection per file, one after the other, and only warns about
a wrong hash; here a jar with a wrong hash is refused, and sixteen are fetched at a time over kept connections.
"""

import fcntl
import hashlib
import os
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from dreamhook.store.endpoint import StoreUnavailable

if TYPE_CHECKING:
    import requests

LOCK = Path(__file__).parent / "server" / "jgo.lock.toml"
DOWNLOADS = 16
"""At a time: 217 small files, where each waits for an answer longer than it takes to arrive."""
TRIES = 3
"""Of each address, for a connection that breaks."""


@dataclass(frozen=True)
class Jar:
    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str

    @property
    def name(self) -> str:
        """The group is part of it: two groups may publish an artifact of one name."""
        return (
            self.group
            + "."
            + "-".join(filter(None, (self.artifact, self.version, self.classifier)))
            + ".jar"
        )


@cache
def locked(lock: Path = LOCK) -> tuple[Jar, ...]:
    """The jars of the lock file, in class path order."""
    found = tomllib.loads(lock.read_text(encoding="utf-8"))["dependencies"]
    return tuple(
        Jar(
            one["groupId"],
            one["artifactId"],
            one["version"],
            one.get("classifier", ""),
            one["sha256"],
        )
        for one in found
    )


def version(lock: Path = LOCK) -> str:
    """The server's version, such as 5.26.30."""
    return next(jar.version for jar in locked(lock) if jar.artifact == "neo4j-server")


def ready(
    progress: bool = True,
    lock: Path = LOCK,
    folder: Path | None = None,
    repository: str | None = None,
) -> list[Path]:
    """The class path, every jar verified; the first call downloads. Raises StoreUnavailable.

    The jars lie beside the installation, so all homes and the tests share them. `repository` stands for Maven Central.
    """
    folder = folder or _shared(version(lock))
    jars, stamp = locked(lock), hashlib.sha256(lock.read_bytes()).hexdigest()
    with _alone(folder):
        if not _verified(folder, jars, stamp):
            for part in folder.glob(".part-*"):
                part.unlink()  # of a download that was killed
            missing = [jar for jar in jars if _sha256(folder / jar.name) != jar.sha256]
            if missing:
                _download(missing, folder, repository, progress)
            (folder / "verified").write_text(stamp, encoding="ascii")
    return [folder / jar.name for jar in jars]


def _verified(folder: Path, jars: tuple[Jar, ...], stamp: str) -> bool:
    """Whether all jars were compared with this lock file before, and lie here still."""
    try:
        noted = (folder / "verified").read_text(encoding="ascii")
        return noted == stamp and set(os.listdir(folder)) >= {jar.name for jar in jars}
    except OSError:
        return False


def _download(jars: list[Jar], folder: Path, repository: str | None, progress: bool) -> None:
    import requests
    from jgo.maven import MavenContext

    context = MavenContext(remote_repos={"mirror": repository} if repository else None)
    with (
        requests.Session() as session,
        _shown(len(jars), progress) as advance,
        ThreadPoolExecutor(DOWNLOADS) as pool,
    ):
        session.mount("https://", requests.adapters.HTTPAdapter(pool_maxsize=DOWNLOADS))
        running = []
        for jar in jars:
            artifact = (
                context.project(jar.group, jar.artifact)
                .at_version(jar.version)
                .artifact(jar.classifier)
            )
            path = f"{artifact.component.path_prefix.as_posix()}/{artifact.filename}"
            urls = [f"{repository}/{path}" for repository in context.remote_repos.values()]
            running.append(pool.submit(_fetch, session, jar, urls, folder))
        try:
            for done in as_completed(running):
                done.result()
                advance()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _fetch(session: "requests.Session", jar: Jar, urls: list[str], folder: Path) -> None:
    """Download one jar, compare its hash, put it in place whole."""
    for attempt, url in enumerate(urls * TRIES, 1):
        try:
            answer = session.get(url, timeout=30)
            answer.raise_for_status()
            break
        except OSError as error:  # what requests raises, all of it
            if attempt == len(urls) * TRIES:
                raise StoreUnavailable(
                    f"{jar.name} could not be downloaded ({error}); the files that arrived are kept, "
                    "run `dreamhook neo4j start` again"
                ) from error
            time.sleep(attempt / 2)
    actual = hashlib.sha256(answer.content).hexdigest()
    if actual != jar.sha256:
        raise StoreUnavailable(
            f"{jar.name} arrived with sha256 {actual}, the lock file says {jar.sha256}; it was thrown away. "
            "Try another network, and report it if it stays"
        )
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".part-", delete=False) as part:
        part.write(answer.content)
    os.chmod(part.name, 0o644)
    os.replace(part.name, folder / jar.name)


def _sha256(file: Path) -> str | None:
    if not file.exists():
        return None
    with file.open("rb") as jar:
        return hashlib.file_digest(jar, "sha256").hexdigest()


@cache
def _shared(server: str) -> Path:
    beside = Path(sys.prefix) / "share" / "dreamhook" / f"neo4j-{server}"
    try:
        (beside / "jars").mkdir(parents=True, exist_ok=True)
        if os.access(beside / "jars", os.W_OK):
            return beside / "jars"
    except OSError:
        pass
    import platformdirs

    shared = platformdirs.user_cache_path("dreamhook") / beside.name / "jars"
    shared.mkdir(mode=0o700, parents=True, exist_ok=True)
    return shared


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Several homes may start at once: one downloads, the others wait for it."""
    with (folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def _shown(total: int, progress: bool) -> Iterator[Callable[[], None]]:
    """A progress bar on stderr; two plain lines when nobody watches."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=not progress)
    watched = console.is_terminal and not console.is_dumb_terminal
    if not watched:
        console.print(f"Downloading Neo4j {version()}: {total} files, once", highlight=False)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not (progress and watched)) as bar:
        task = bar.add_task(f"Downloading Neo4j {version()}", total=total)
        yield lambda: bar.advance(task)
    if not watched:
        console.print("Downloaded and verified", highlight=False)
