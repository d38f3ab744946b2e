"""The server's jars come from a lock file, and only what its hashes say is used."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dreamhook.store import jars
from dreamhook.store.endpoint import StoreUnavailable

GOOD = {name: f"the content of {name}".encode() for name in ("neo4j-server", "browser", "lucene")}


class Mirror:
    """A Maven repository on the loopback address: serves `files` by artifact, notes what was asked."""

    def __init__(self):
        self.files, self.asked = dict(GOOD), []
        mirror = self

        class Answer(BaseHTTPRequestHandler):
            def do_GET(self):
                name = self.path.split("/")[-3]
                mirror.asked.append(self.path)
                content = mirror.files.get(name)
                self.send_response(200 if content is not None else 404)
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self.server.server_port}/maven2"
        self.thread = threading.Thread(target=self.server.serve_forever, args=[0.01])


@pytest.fixture
def mirror():
    made = Mirror()
    made.thread.start()
    yield made
    made.server.shutdown()
    made.thread.join()
    made.server.server_close()


@pytest.fixture
def lock(tmp_path):
    file = tmp_path / "jgo.lock.toml"
    file.write_text(
        "".join(
            f'[[dependencies]]\ngroupId = "org.example"\nartifactId = "{name}"\nversion = "1.2"\npackaging = "jar"\n'
            f'sha256 = "{hashlib.sha256(content).hexdigest()}"\n'
            for name, content in GOOD.items()
        )
    )
    return file


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "jars").mkdir()
    return tmp_path / "jars"


def get(mirror, lock, folder):
    return jars.ready(progress=False, lock=lock, folder=folder, repository=mirror.url)


def test_the_class_path_keeps_the_order_of_the_lock_file(mirror, lock, folder):
    assert [path.name for path in get(mirror, lock, folder)] == [
        f"org.example.{name}-1.2.jar" for name in ("neo4j-server", "browser", "lucene")
    ]
    assert "/maven2/org/example/browser/1.2/browser-1.2.jar" in mirror.asked


def test_a_second_start_downloads_nothing(mirror, lock, folder):
    get(mirror, lock, folder)
    mirror.asked.clear()
    assert all(path.exists() for path in get(mirror, lock, folder))
    assert mirror.asked == []


def test_a_jar_with_a_wrong_hash_is_refused_by_name_and_never_lies_in_the_folder(
    mirror, lock, folder
):
    mirror.files["browser"] = b"something else"
    with pytest.raises(
        StoreUnavailable, match=r"browser-1\.2\.jar arrived with sha256 \w{64}, the lock file says"
    ):
        get(mirror, lock, folder)
    assert not [file for file in folder.iterdir() if b"something else" in file.read_bytes()]
    assert not (folder / "verified").exists()


def test_what_was_downloaded_before_an_error_is_kept(mirror, lock, folder):
    del mirror.files["lucene"]
    with pytest.raises(StoreUnavailable, match=r"lucene-1\.2\.jar could not be downloaded .* kept"):
        get(mirror, lock, folder)
    mirror.files["lucene"] = GOOD["lucene"]
    kept = {path.name for path in folder.glob("*.jar")}
    mirror.asked.clear()
    assert len(get(mirror, lock, folder)) == 3
    assert len(mirror.asked) == 3 - len(kept)


def test_a_truncated_jar_left_by_a_crash_is_downloaded_again(mirror, lock, folder):
    (folder / "org.example.browser-1.2.jar").write_bytes(GOOD["browser"][:5])
    (folder / ".part-x").write_bytes(b"half")
    get(mirror, lock, folder)
    assert (folder / "org.example.browser-1.2.jar").read_bytes() == GOOD["browser"]
    assert not list(folder.glob(".part-*"))


def test_a_jar_that_was_deleted_comes_back(mirror, lock, folder):
    get(mirror, lock, folder)[1].unlink()
    assert all(path.exists() for path in get(mirror, lock, folder))


def test_a_changed_lock_file_is_compared_with_what_lies_there(mirror, lock, folder):
    get(mirror, lock, folder)
    mirror.files["browser"] = b"a newer one"
    old, new = (
        hashlib.sha256(content).hexdigest() for content in (GOOD["browser"], b"a newer one")
    )
    lock.write_text(lock.read_text().replace(old, new))
    jars.locked.cache_clear()
    assert get(mirror, lock, folder)[1].read_bytes() == b"a newer one"


def test_the_committed_lock_file_has_a_hash_for_every_jar_and_belongs_to_its_specification():
    from jgo.env import LockFile
    from jgo.env._lockfile import compute_spec_hash

    lock = LockFile.load(jars.LOCK)
    assert all(len(dependency.sha256) == 64 for dependency in lock.dependencies)
    assert lock.spec_hash == compute_spec_hash(jars.LOCK.parent / "jgo.toml")
    names = [jar.name for jar in jars.locked()]
    assert len(names) == len(set(names)) > 200
    assert jars.version().startswith("5.26.")


def test_no_settings_file_of_the_server_is_missing_from_the_package():
    found = {file.name for file in Path(jars.LOCK).parent.iterdir()}
    assert found == {
        "jgo.toml",
        "jgo.lock.toml",
        "java.args",
        "neo4j.conf",
        "server-logs.xml",
        "user-logs.xml",
    }
