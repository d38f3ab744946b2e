"""The batch dream: new events become memories."""
