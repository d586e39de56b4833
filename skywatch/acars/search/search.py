"""The grammar of ``q``: words, "phrases", prefix*, -not, OR; and its translation for both databases.

``full_text`` runs it.

A word is a run of letters and digits; upper and lower case are the same. Words side by side must all be there; only
``OR`` in upper case is an operator, and it binds weaker. Whatever is not grammar is text: no input is an error of a
database. A part that only excludes finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from skywatch.sentences import sentence

MAX_CHARACTERS = 200
# Stands for the number of a block of identifiers; no word has it.
BLOCK = "#"
_WORD = re.compile(r"[0-9A-Za-z]+")
_PIECE = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')


@dataclass(frozen=True)
class Term:
    """Words that stand one behind another; ``is_prefix``: the last one is the beginning of a word."""

    words: tuple[str, ...]
    is_prefix: bool = False
    is_excluded: bool = False


@dataclass(frozen=True)
class Search:
    """Groups of terms of which one must match; none matches nothing."""

    groups: tuple[tuple[Term, ...], ...]

    @property
    def has_prefix(self) -> bool:
        """Whether it asks for the beginning of a word."""
        return any(term.is_prefix for group in self.groups for term in group)

    @property
    def has_long_phrase(self) -> bool:
        """Whether it asks for more than two words one behind another."""
        return any(len(term.words) > 2 for group in self.groups for term in group)


def words_of(text: str) -> str:
    """A text as the index takes it: its words in lower case with single spaces."""
    return " ".join(word.lower() for word in _WORD.findall(text))


def parse(text: str) -> Search:
    """Parse the search text; raises ValueError if it is too long or contains NUL."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(sentence("field.long", "must have at most {n} characters", n=MAX_CHARACTERS))
    if "\0" in text:
        raise ValueError(sentence("field.nul", "must not hold NUL"))
    groups: list[list[Term]] = [[]]
    for match in _PIECE.finditer(text):
        sign, quoted, bare = match.groups()
        if bare == "OR" and not sign:
            groups.append([])
            continue
        term = _term(bare if bare is not None else quoted or "", bool(sign), quoted is not None)
        if term is not None:
            groups[-1].append(term)
    usable = [tuple(group) for group in groups if any(not term.is_excluded for term in group)]
    return Search(tuple(usable))


def _term(text: str, is_excluded: bool, is_quoted: bool) -> Term | None:
    words = tuple(word.lower() for word in _WORD.findall(text))
    if not words:
        return None
    is_prefix = not is_quoted and text.endswith("*") and _WORD.search(text[-2:-1] or "") is not None
    return Term(words, is_prefix, is_excluded)


def sqlite_query(search: Search, blocks: Iterable[int] | None = None) -> str:
    """The search in the language of FTS5: for words alone, or for words of blocks."""
    starts = [""] if blocks is None else [f"b{block}x" for block in blocks]
    return " OR ".join(_fts_group(group, start) for start in starts for group in search.groups)


def _fts_group(group: tuple[Term, ...], start: str) -> str:
    included = " AND ".join(_fts(term, start) for term in group if not term.is_excluded)
    excluded = " OR ".join(_fts(term, start) for term in group if term.is_excluded)
    return f"(({included}) NOT ({excluded}))" if excluded else f"({included})"


def _fts(term: Term, start: str) -> str:
    return f'"{" ".join(start + word for word in term.words)}"' + ("*" if term.is_prefix else "")


def postgresql_query(search: Search) -> str:
    """The search as a ``tsquery`` for the block whose number is put for ``BLOCK``.

    The index contains words and pairs of neighbouring words. A longer phrase is matched by its pairs, so that more
    messages match than have it: see ``has_long_phrase``.
    """
    return " | ".join(f"({_ts_group(group)})" for group in search.groups)


def _ts_group(group: tuple[Term, ...]) -> str:
    included = [_ts(term) for term in group if not term.is_excluded]
    # A message with the pairs of a longer phrase need not have the phrase.
    excluded = [f"!{_ts(term)}" for term in group if term.is_excluded and len(term.words) <= 2]
    return " & ".join(included + excluded)


def _ts(term: Term) -> str:
    lexemes = [f"'{BLOCK}.{term.words[0]}'"]
    if len(term.words) > 1:
        lexemes = [f"'{BLOCK}:{first} {second}'" for first, second in pairwise(term.words)]
    if term.is_prefix:
        lexemes[-1] += ":*"
    return " & ".join(lexemes)
