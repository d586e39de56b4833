"""Reads delimited text row by row: encodings, byte order marks, quotes and rows that do not match their header.

Nothing is guessed: a file with another delimiter or encoding is refused with the option that would read it.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, NamedTuple

from skywatch.core.text.delimited import rows
from skywatch.sentences import sentence

# Lines of a table that comes over HTTP: more than the largest public register has.
MAX_LINES = 500_000
ENCODINGS = ("utf-8", "latin-1")
DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "pipe": "|"}


class Row(NamedTuple):
    """An aircraft for the list: its line and its fields."""

    line: int
    fields: dict[str, str]


class Refused(NamedTuple):
    """A line that cannot be imported, and the reason."""

    line: int
    icao_hex: str
    reason: str


class Skipped(NamedTuple):
    """A line about an aircraft that does not belong on the list."""

    line: int


Item = Row | Refused | Skipped


class Unreadable(Exception):
    """A file that is not of the expected form; ``str()`` is the reason in one line."""


@dataclass(frozen=True)
class Dialect:
    """The format of the text; ``quote`` None is detected from the header."""

    encoding: str = "utf-8"
    delimiter: str = ","
    quote: str | None = None


@dataclass
class Table:
    """A table with a header; ``advance`` is called with the number of bytes read."""

    source: BinaryIO
    dialect: Dialect = Dialect()
    advance: Callable[[int], None] = lambda size: None
    header: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The text line by line; bytes that cannot be decoded become lone surrogates."""
        for number, raw in enumerate(self.source):
            self.advance(len(raw))
            if number == 0:
                if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
                    raise Unreadable("the text is UTF-16; save it as UTF-8")
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            yield raw.decode(self.dialect.encoding, "surrogateescape")

    def rows(self, required: Iterable[str], name: Callable[[str], str] = str.strip) -> Iterator[tuple[int, list[str]]]:
        """Line number and fields of each row; first reads the header, whose columns go through ``name``.

        A row that cannot be parsed is an empty list. Raises Unreadable if the header lacks a required column or has it
        twice.
        """
        lines = self.lines()
        first = next(lines, None)
        if first is None or not first.strip():
            raise Unreadable("the file is empty" if first is None else "the first line is empty; it must be the header")
        quote = self.dialect.quote or ("'" if first.startswith("'") else '"')
        header = next(csv.reader([first], delimiter=self.dialect.delimiter, quotechar=quote))
        self.header = [name(column) for column in header]
        self._check_header(first, required)
        for line, fields in rows(lines, self.dialect.delimiter, quote):
            if fields is None:
                yield line + 1, []
            elif fields:
                yield line + 1, fields

    def _check_header(self, first: str, required: Iterable[str]) -> None:
        required = tuple(required)
        twice = [column for column in required if self.header.count(column) > 1]
        if twice:
            raise Unreadable(f"the header has the column {twice[0]} twice")
        missing = [column for column in required if column not in self.header]
        if not missing:
            return
        used = self.dialect.delimiter
        for delimiter_name, delimiter in DELIMITERS.items():
            if delimiter != used and first.count(delimiter) > first.count(used):
                raise Unreadable(
                    f"the header's columns are separated by {delimiter!r}, not by {used!r};"
                    f" say delimiter={delimiter_name}"
                )
        raise Unreadable(f"the header has no column {missing[0]} (it has: {', '.join(self.header)[:200]})")


def fault_of(fields: list[str], width: int) -> str | None:
    """The fault of a row, or None; empty fields beyond the header are accepted."""
    if not fields:
        return sentence("known.open_quote", "cannot be read: a quote is not closed or stands inside a field")
    if len(fields) < width or any(fields[width:]):
        return sentence(
            "known.field_count", "has {count} fields where the header has {width}", count=len(fields), width=width
        )
    for text in fields:
        if text.isascii() and text.isprintable():
            continue
        if any(0xDC80 <= ord(c) <= 0xDCFF for c in text):
            return sentence("known.not_utf8", "is not UTF-8; save the file as UTF-8 or say encoding=latin-1")
        if any((ord(c) < 32 and c not in "\t\r\n") or ord(c) == 127 for c in text):
            return sentence("known.control", "holds control characters")
    return None


def text_table(text: bytes, dialect: Dialect) -> Table:
    """A table over bytes in memory; raises Unreadable if it has too many lines, counted before any is read."""
    lines = text.count(b"\n") + text.count(b"\r")
    if lines > MAX_LINES and (lines := len(text.splitlines())) > MAX_LINES:
        raise Unreadable(
            f"the text has {lines} lines; at most {MAX_LINES} are imported at once, any number by"
            " skywatch known-aircraft import"
        )
    return Table(io.BytesIO(text), dialect)
