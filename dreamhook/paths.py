"""Where everything lies. Imported by the hooks, so plain strings and `os` only.

`DREAMHOOK_HOME` holds everything when it is set. Otherwise the folders are those of platformdirs
(`user_state_dir`, `user_data_dir`, `user_config_dir` of "dreamhook"); they are computed here because
importing platformdirs costs a hook more than starting Python, and a test holds both equal.
Folders are made with mode 0700, files with 0600.
"""

import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # the checkout, or site-packages


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
    return state_dir() + "/spool"


def packs_dir() -> str:
    return state_dir() + "/packs"


def log_file() -> str:
    return state_dir() + "/log/dreamhook.log"


def config_file() -> str:
    return config_dir() + "/config.toml"


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
