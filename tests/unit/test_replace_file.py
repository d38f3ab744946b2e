"""A file is replaced as a whole, by however many at once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from dreamhook.files import replace_file


def test_of_many_writers_at_once_one_is_read_whole(tmp_path):
    target = tmp_path / "file"
    texts = [bytes([number]) * 50_000 for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: replace_file(str(target), text, synced=False), texts))
    assert target.read_bytes() in texts
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
    assert target.stat().st_mode & 0o777 == 0o600


def test_what_can_not_be_written_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with pytest.raises(TypeError):
        replace_file(str(target), "no bytes")
    assert target.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_it_can_be_given_the_time_of_another_file(tmp_path):
    replace_file(str(tmp_path / "file"), b"x", time_ns=5_000_000_000)
    assert (tmp_path / "file").stat().st_mtime == 5
