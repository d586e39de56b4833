"""Normalises names of agencies, so that rules can match whole words."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_NOT_WORD = re.compile(r"[^A-Z0-9]+")
_ABBREVIATIONS = {
    "DEPT": "DEPARTMENT",
    "DPT": "DEPARTMENT",
    "SHERIFFS": "SHERIFF",
    "CNTY": "COUNTY",
    "GOVT": "GOVERNMENT",
    "USA": "US",
    "HWY": "HIGHWAY",
    "BUR": "BUREAU",
    "ENF": "ENFORCEMENT",
    "CUSTOM": "CUSTOMS",
}


@lru_cache(maxsize=65536)
def normalised(name: str) -> str:
    """The name's words in upper case without accents or punctuation, abbreviations written out, spaces around all."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    plain = plain.replace("'", "").replace("\u2019", "").upper().replace("U.S.", "US")
    words = _NOT_WORD.sub(" ", plain).split()
    text = " ".join(_ABBREVIATIONS.get(word, word) for word in words)
    return f" {text.replace('UNITED STATES', 'US')} "


def first_contained(text: str, phrases: tuple[str, ...]) -> str | None:
    """The first of the phrases that the normalised text contains, or None."""
    return next((phrase for phrase in phrases if f" {phrase} " in text), None)
