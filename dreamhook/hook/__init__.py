"""What runs inside a harness: only light imports, only the local disk and one local socket."""
