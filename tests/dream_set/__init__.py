"""Sessions with what a dream should make of them, and thirty that try to plant something."""
