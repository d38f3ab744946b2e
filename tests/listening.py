"""Which addresses a process listens on, as Linux tells it (proc(5))."""

import os
import socket
from pathlib import Path


def listening(pid):
    """Addresses of this process's listening TCP sockets, IPv4-mapped ones as IPv4.

    The process goes on meanwhile: a descriptor that it closed between being listed and being read listens no more.
    """
    inodes = set()
    for path in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(os.readlink(path))
        except FileNotFoundError:
            continue
    found = set()
    for family, table in ((socket.AF_INET, "tcp"), (socket.AF_INET6, "tcp6")):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            word = line.split()
            if word[3] == "0A" and f"socket:[{word[9]}]" in inodes:
                raw = bytes.fromhex(word[1].partition(":")[0])
                words = [raw[at : at + 4][::-1] for at in range(0, len(raw), 4)]
                found.add(socket.inet_ntop(family, b"".join(words)).removeprefix("::ffff:"))
    return found
