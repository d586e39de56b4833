"""Words as a list in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def listing(words: Sequence[str], conjunction: str) -> str:
    """``a, b and c``; of one word that word, of none an empty text."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
