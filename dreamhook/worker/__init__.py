"""The one resident process that hooks talk to."""
