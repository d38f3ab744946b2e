"""Puts the hooks into each harness's settings, and takes them out again."""

from dreamhook.install.settings import installed

__all__ = ["installed"]
