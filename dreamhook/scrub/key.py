"""The installation's own key: with it, equal secrets leave equal marks, and no mark can be guessed back."""

import os

from dreamhook import paths


def load_key(config_dir: str) -> bytes:
    """The installation's 32 bytes, made on first use (scrub.key, 0600). Two at once get one key. Raises OSError."""
    file = f"{config_dir}/{paths.SCRUB_KEY}"
    for _ in range(2):
        try:
            with open(file, "rb") as existing:
                key = existing.read(32)
            if len(key) == 32:
                return key
            os.unlink(file)  # cut short by a full disk; its hashes are gone anyway
        except FileNotFoundError:
            pass
        os.makedirs(config_dir, 0o700, exist_ok=True)
        mine = f"{file}.{os.getpid()}.{os.urandom(4).hex()}"
        try:
            with open(os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as new:
                new.write(os.urandom(32))
                new.flush()
                os.fsync(new.fileno())
            os.link(mine, file)
        except FileExistsError:
            pass
        finally:
            os.unlink(mine)
    with open(file, "rb") as existing:
        return existing.read(32)


def passing_key(config_dir: str) -> bytes:
    """The same, or on a disk that takes none 32 bytes for now: equal secrets no longer look equal, none gets out."""
    try:
        return load_key(config_dir)
    except OSError:
        return os.urandom(32)
