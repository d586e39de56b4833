"""Delimited text line by line: a quotation mark that is never closed takes no other lines along."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

# A field of several lines has at most so many.
MAX_LINES = 5


def rows(lines: Iterable[str], delimiter: str = ",", quote: str = '"') -> Iterator[tuple[int, list[str] | None]]:
    """The number of each line, from 1, and its fields; None where a quote is not closed or stands inside a field.

    Empty lines have no fields. A field may go on over a few lines, where the quote is closed in one of them.
    """
    waiting: list[tuple[int, str]] = []
    source = enumerate(lines, 1)
    while True:
        following = waiting.pop(0) if waiting else next(source, None)
        if following is None:
            return
        number, text = following
        fields = _fields(text, delimiter, quote)
        if fields is None and _is_open(text, quote):
            fields = _over_lines(text, waiting, source, delimiter, quote)
        yield number, fields


def _over_lines(
    text: str, waiting: list[tuple[int, str]], source: Iterator[tuple[int, str]], delimiter: str, quote: str
) -> list[str] | None:
    """The fields of a line that goes on in the next ones, which are then read; None where it does not."""
    for count in range(1, MAX_LINES):
        if len(waiting) < count:
            more = next(source, None)
            if more is None:
                return None
            waiting.append(more)
        text += waiting[count - 1][1]
        if not _is_open(text, quote):
            fields = _fields(text, delimiter, quote)
            if fields is not None:
                del waiting[:count]
            return fields
    return None


def _is_open(text: str, quote: str) -> bool:
    return text.count(quote) % 2 == 1


def _fields(text: str, delimiter: str, quote: str) -> list[str] | None:
    if quote not in text:
        text = text.rstrip("\r\n")
        return text.split(delimiter) if text else []
    try:
        found = list(csv.reader(text.splitlines(keepends=True), delimiter=delimiter, quotechar=quote, strict=True))
    except csv.Error:
        return None
    return found[0] if len(found) == 1 else None if found else []
