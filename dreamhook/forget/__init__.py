"""Taking something out of the record for good: in the store, in local files, and for what comes later."""
