"""Fake secrets in the shape of real ones, built at run time: no committed file holds a whole token."""

import random
import re

ALPHABETS = {
    "an": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
    "az": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
    "up": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "hex": "0123456789abcdef",
    "b64:": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    "d": "123456789",
}


def fake(sample: str, seed: object) -> str:
    """`ghp_{an36}` with 36 letters and digits drawn by the seed; `{=KEY}` is KEY."""
    draw = random.Random(f"fake:{sample}:{seed}")

    def body(part: re.Match[str]) -> str:
        if part[1]:
            return part[1]
        return "".join(draw.choice(ALPHABETS[part[2]]) for _ in range(int(part[3])))

    return re.sub(r"\{(?:=(\w+)|(an|az|up|hex|b64:|d)(\d+))\}", body, sample)


def parts(sample: str, seed: object) -> list[str]:
    """The random parts of the same token: none of them may be left after scrubbing."""
    fixed = [piece for piece in re.split(r"\{[^}]*\}", sample) if piece]
    text = fake(sample, seed)
    for piece in fixed:
        text = text.replace(piece, "\n", 1)
    return [part for part in text.split("\n") if len(part) >= 8]
