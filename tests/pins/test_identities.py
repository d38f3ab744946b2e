"""Which repository each kind of checkout is: what stands in people's stores must be found under the same id.

Written again from a checkout by `DREAMHOOK_TEST_PIN_FROM=. tests/run.sh tests/pins` (see golden.py). A path of the
test's own folder is written as `…`; an id that comes from such a path ends in `-(path)` there, and is checked here.
"""

import hashlib
import json
import subprocess

from tests.git_repositories import build
from tests.pins.golden import compare, product

FIND = """
import json, sys
from dreamhook.repository import identity
for folder in json.load(sys.stdin):
    one = identity.find(folder)
    place = getattr(one, "checkout", None) or one.place
    print(json.dumps([one.id, one.name, one.remote, one.branch, place, one.claim]))
"""


def test_every_kind_of_checkout_keeps_its_identity(tmp_path):
    folders = build(tmp_path)
    done = subprocess.run(
        [product().root / ".venv/bin/python", "-c", FIND],
        input=json.dumps([str(tmp_path / folder) for folder in folders]),
        cwd=product().root,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = map(json.loads, done.stdout.splitlines())
    compare(
        "identities.json",
        {
            folder: _portable(str(tmp_path), *line)
            for folder, line in zip(folders, lines, strict=True)
        },
    )


def _portable(base, identifier, name, remote, branch, checkout, claim):
    if base in claim:
        slug, _, digest = identifier.rpartition("-")
        assert digest == hashlib.sha256(claim.encode()).hexdigest()[:12]
        identifier = f"{slug}-(path)"
    found = {"id": identifier, "name": name, "remote": remote, "branch": branch}
    found |= {"checkout": checkout, "claim": claim}
    return {key: value and value.replace(base, "…") for key, value in found.items()}
