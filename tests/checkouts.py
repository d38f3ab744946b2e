"""Checkouts as somebody may have made them."""

import subprocess

REMOTE = "git@github.com:acme/private.git"


def make_checkout(folder, remote=REMOTE):
    folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", folder], check=True)
    subprocess.run(["git", "-C", folder, "remote", "add", "origin", remote], check=True)
    return folder
