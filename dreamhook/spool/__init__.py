"""The durable queue between the hooks and the store: both of its ends."""
