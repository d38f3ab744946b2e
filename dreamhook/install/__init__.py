"""Puts the hooks into each harness's settings, and takes them out again."""
