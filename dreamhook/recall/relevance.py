"""How well a memory fits a prompt, from 0 to 1, judged by what it covers and not by a raw index score.

A raw Lucene score has no threshold that holds from ten memories to a hundred thousand. Two shares do: how much of the
prompt's weight the note covers, and how much of its best single cue or title the prompt covers (retrieval study §2.8).
"""

from dataclasses import dataclass

from dreamhook.recall.terms import terms, weight

THRESHOLD = 0.3
FIELD_SHARE = {"cues": 1.0, "title": 1.0, "description": 0.9, "path": 0.9, "content": 0.6}
"""A term that stands only in the body tells less than one in a cue."""
PROMPT_TERMS = 60


@dataclass(frozen=True)
class Judgement:
    """`score` decides; the rest explains."""

    score: float
    covered: float
    best_cue: float
    matched: tuple[str, ...]


def judge(prompt: list[str], title: str, path: str, description: str, cues: list[str], content: str) -> Judgement:
    """Fit of one memory to a prompt's terms (see terms.terms)."""
    prompt = prompt[:PROMPT_TERMS]
    fields = {
        "cues": set(terms("\n".join(cues))),
        "title": set(terms(title)),
        "description": set(terms(description)),
        "path": set(terms(path)),
        "content": set(terms(content, 2000)),
    }
    total = sum(weight(term) for term in prompt)
    covered, matched = 0.0, []
    for term in prompt:
        share = max((FIELD_SHARE[name] for name, words in fields.items() if term in words), default=0.0)
        if share:
            covered += share * weight(term)
            matched.append(term)
    best = max((_cue_share(set(prompt), cue) for cue in [*cues, title]), default=0.0)
    share = covered / total if total else 0.0
    return Judgement(max(share, best), share, best, tuple(matched))


def _cue_share(prompt: set[str], cue: str) -> float:
    """The share of a cue's weight that the prompt holds; a single common word is no cue at all."""
    words = terms(cue)
    hit = sum(weight(word) for word in words if word in prompt)
    whole = sum(weight(word) for word in words)
    if hit < 1.5 or not whole:
        return 0.0
    share = hit / whole
    return share if share >= 0.6 else 0.0
