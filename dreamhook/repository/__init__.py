"""Which repository a folder is, and what the person consented to there."""
