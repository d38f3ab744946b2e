"""One memory under every coding agent, that its user owns."""

__version__ = "0.1.0"
