"""What lies in a folder in which somebody else may be at work."""

from contextlib import suppress


def there(folder, look):
    """{path: look(path)} of all files below, but for those that went away between being listed and being looked at."""
    found = {}
    for path in sorted(folder.rglob("*")):
        with suppress(FileNotFoundError):
            if path.is_file():
                found[path] = look(path)
    return found
