"""Texts without accents and case, for searches that ignore both."""

from __future__ import annotations

import unicodedata


def without_accents(text: str) -> str:
    """Return a text in compatibility form without its combining marks."""
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def fold(text: str) -> str:
    """Return a text without case, accents or outer blanks."""
    if text.isascii():
        return text.strip().lower()
    return without_accents(text.strip()).casefold()
