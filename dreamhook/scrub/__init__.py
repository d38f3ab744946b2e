"""Secrets are replaced before anything is written down."""
