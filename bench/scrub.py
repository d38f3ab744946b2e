"""What scrubbing costs, in the hook and in full, as ratios to one `bytes.lower()` of the same text. Asserts nothing."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from dreamhook.scrub.literals import suspicious
from dreamhook.scrub.scrub import scrub_payload, scrub_text

KEY = bytes(32)
PROSE = "Retry the batch only when nothing of it was committed; see worker/drain.py, line 40.\n"
HOSTILE = (
    "token=",
    "eyJ",
    "://a:b",
    "\\",
    'password: "',
    "-----BEGIN PRIVATE " + "KEY-----",
    "<private>",
    "login a password ",
)


def best(call: Callable[[], object], times: int) -> float:
    """The quickest of several runs, in seconds."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def row(name: str, text: str, times: int) -> str:
    raw = json.dumps({"hook_event_name": "PostToolUse", "tool_response": text}).encode()
    unit = best(lambda: raw.lower(), 50)
    test, payload, plain = (
        best(lambda: suspicious(raw), times),
        best(lambda: scrub_payload(raw, KEY), times),
        best(lambda: scrub_text(text, KEY), times),
    )
    figures = "".join(
        f"{taken * 1e3:10.3f} ms {taken / unit:9.0f} x" for taken in (test, payload, plain)
    )
    return f"{name:32}{len(raw):9}{figures}"


def main() -> None:
    print(f"{'text':32}{'bytes':>9}{'suspicious':>24}{'scrub_payload':>24}{'scrub_text':>24}")
    for size in (2_000, 20_000, 200_000, 1_000_000):
        print(row("prose", (PROSE * (size // len(PROSE) + 1))[:size], 20), flush=True)
    for piece in HOSTILE:
        print(row("hostile " + repr(piece)[:22], (piece * 200_000)[:200_000], 3), flush=True)


if __name__ == "__main__":
    main()
