"""Puts a file in place as a whole: a reader sees the old one or the new one, never a part, and writers never mix."""

import os


def replace_file(
    target: str, content: bytes, *, synced: bool = True, time_ns: int | None = None
) -> None:
    """Mode 0600. `synced`: it is on the disk before it counts. `time_ns`: its time of change. Raises OSError, and then
    the old one is there still."""
    temporary = f"{target}.{os.urandom(6).hex()}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            if synced:
                file.flush()
                os.fsync(handle)
        if time_ns is not None:
            os.utime(temporary, ns=(time_ns, time_ns))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
