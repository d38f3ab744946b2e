"""Where everything lies: each folder and each file of an installation has its name here and nowhere else.

Imported by the hooks, so plain strings and `os` only. `DREAMHOOK_HOME` holds everything when it is set.
Otherwise the folders are those of platformdirs (`user_state_dir`, `user_data_dir`, `user_config_dir` of
"dreamhook"); they are computed here because importing platformdirs costs a hook more than starting Python,
and a test holds both equal. Folders are made with mode 0700, files with 0600.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the checkout, or site-packages

# Files of the state folder: `state_file(NAME)`.
PAUSED = "paused"
"""While it is there, hooks do nothing. Made and removed by `dreamhook pause` and `resume`."""
FRESH = "fresh"
"""While it is there, sessions are recorded and told nothing (`dreamhook fresh`)."""
EXCLUDED = "excluded"
"""The compiled rules of what is not recorded, see dreamhook/repository/exclusion.py."""
WORKER_SOCKET = "worker.sock"
WORKER_BELL = "worker.bell"
"""The FIFO that wakes the worker."""
WORKER_STARTING = "worker.starting"
"""Its time says when a worker was last started by a hook."""
WORKER_LOCK = "worker.lock"
DRAIN_LOCK = "drain.lock"
NOTES_CHANGED = "notes.changed"
"""Its time says when notes were last written on this machine."""
DREAM_TRIED = "dream.tried"
"""Its time says when the worker last started a dream of its own accord."""
VECTORS = "vectors.sqlite3"
"""What recall by meaning has computed of the notes."""
REQUESTS = "requests"
"""Folder: what `dream --export-requests` has to remember of its requests."""
LOG = "log/dreamhook.log"
DREAM_LOG = "log/dream.log"
PACKS = "packs"
"""Folder: the last session-start answer per harness and folder, see dreamhook/hook/cached_start.py."""
PACKS_SERVED = "packs/served"
"""Sessions whose start was answered from a pack."""
PACKS_SETTLED = "packs/settled"
"""Conversations that need no further question after a tool, where a harness asks after each."""

SPOOL = "spool"
"""Folder of the state folder. When its disk is full, a spool lies elsewhere: spool/writer.py."""
# Files of a spool.
SPOOL_OVER = "over"
"""Its size in bytes tells the hooks how far the spool is over its quota."""
SPOOL_CLOCK = "clock"
"""Its time is that of the last event, and never goes back."""
SPOOL_LOST = "lost"
"""One byte for each event that no folder took."""
SPOOL_REDUCED = "reduced"
"""One byte for each event that was kept without its bodies."""

# Files of the configuration folder: `config_file(NAME)`.
SETTINGS = "config.toml"
SCRUB_KEY = "scrub.key"
REPOSITORIES = "repositories.json"
REPOSITORIES_LOCK = "repositories.lock"
INSTALLED = "installed.json"
"""What the installer wrote, and where."""
BACKUPS = "backups"
"""Folder: files of others as they were before the installer changed them."""
NEO4J_PASSWORD = "neo4j_password"
"""The password of a store that the person named."""
ANTHROPIC_KEY = "anthropic_api_key"

# Files of the data folder: `data_file(NAME)`.
NEO4J = "neo4j"
"""Folder: the store that is started here, see dreamhook/store/state.py."""


def state_dir() -> str:
    """spool/, packs/, log/, worker socket and locks."""
    return os.environ.get("DREAMHOOK_HOME") or _xdg("XDG_STATE_HOME", ".local/state")


def data_dir() -> str:
    """The managed Neo4j."""
    return os.environ.get("DREAMHOOK_HOME") or _xdg("XDG_DATA_HOME", ".local/share")


def config_dir() -> str:
    """config.toml, scrub.key and what the installer noted."""
    return os.environ.get("DREAMHOOK_HOME") or _xdg("XDG_CONFIG_HOME", ".config")


def spool_dir() -> str:
    return state_file(SPOOL)


def packs_dir() -> str:
    return state_file(PACKS)


def log_file() -> str:
    return state_file(LOG)


def state_file(name: str) -> str:
    return f"{state_dir()}/{name}"


def config_file(name: str = SETTINGS) -> str:
    return f"{config_dir()}/{name}"


def data_file(name: str) -> str:
    return f"{data_dir()}/{name}"


def make_private(folder: str) -> str:
    """Make a folder (and its parents) for this user alone; returns it."""
    if not os.path.isdir(folder):
        if parent := os.path.dirname(folder):
            make_private(parent)  # makedirs would give its mode to the last folder only
        os.makedirs(folder, 0o700, exist_ok=True)
    return folder


def _xdg(variable: str, default: str) -> str:
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support/dreamhook")
    base = os.environ.get(variable, "").strip() or os.path.expanduser("~/" + default)
    return base + "/dreamhook"
