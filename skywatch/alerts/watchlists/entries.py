"""Entries of a watch list, one address, registration or callsign each, and how files are parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from skywatch.core.text import delimited
from skywatch.core.text.lines import count_lines
from skywatch.sentences import sentence

MAX_ENTRIES = 100_000
# Lines of an import, those without an entry included.
MAX_LINES = 200_000
# Fields of a table, of all its rows.
MAX_FIELDS = 2_000_000
# Largest number of faults of an import; what comes after is not read.
FAULTS_NAMED = 200
MAX_LENGTH = 12
_ADDRESS = re.compile("~?[0-9A-F]{6}")
# Prefix of a callsign that looks like an address, such as ACA123.
CALLSIGN = "CALLSIGN:"
_ENTRY = re.compile(r"[A-Z0-9][A-Z0-9 ./+-]{0,11}|~[0-9A-F]{6}")
# What nearly all entries are.
_PLAIN = re.compile("[A-Z0-9]{1,12}")
# plane-alert-db's first two columns.
PLANE_ALERT_HEADER = "ICAO"


class EntryFault(ValueError):
    """A line that is not an entry; ``str()`` is the reason."""


@dataclass(frozen=True)
class Entries:
    """The entries of a list, normalised: upper case, without padding, each once, in order.

    Six hexadecimal digits are an address; everything else is compared with registrations and callsigns. A callsign
    that looks like an address is written ``callsign:ACA123``.
    """

    values: tuple[str, ...] = ()

    @cached_property
    def addresses(self) -> frozenset[str]:
        """Addresses, in upper case as all texts are compared."""
        return frozenset(value for value in self.values if _ADDRESS.fullmatch(value))

    @cached_property
    def registrations(self) -> frozenset[str]:
        """Entries that may be a registration."""
        return frozenset(v for v in self.values if not _ADDRESS.fullmatch(v) and not v.startswith(CALLSIGN))

    @cached_property
    def callsigns(self) -> frozenset[str]:
        """Entries that may be a callsign."""
        return frozenset(v.removeprefix(CALLSIGN) for v in self.values if not _ADDRESS.fullmatch(v))


def parse_entry(text: str) -> str:
    """One entry in its normalised form; raises EntryFault."""
    value = text.strip().upper()
    if _PLAIN.fullmatch(value):
        return value
    if not value:
        raise EntryFault(sentence("field.empty", "must not be empty"))
    if value.startswith(CALLSIGN):
        name = value.removeprefix(CALLSIGN).strip()
        if not re.fullmatch("[A-Z0-9]{1,8}", name):
            raise EntryFault(
                sentence("alerts.not_a_callsign", "{value} is not a callsign", value=f"{text.strip()[:40]!r}")
            )
        return CALLSIGN + name if _ADDRESS.fullmatch(name) else name
    if len(value) > MAX_LENGTH or not _ENTRY.fullmatch(value):
        raise EntryFault(
            sentence(
                "alerts.not_an_entry",
                "{value} is not an address, registration or callsign",
                value=f"{text.strip()[:40]!r}",
            )
        )
    return value


def count_faults(text: str) -> list[tuple[int, str]]:
    """The fault of a text with more lines than are read, counted before any is; none otherwise."""
    lines = count_lines(text)
    if lines <= MAX_LINES:
        return []
    return [
        (
            1,
            sentence(
                "alerts.watch_list_lines",
                "the text has {lines} lines; at most {most} are allowed, {entries} of them entries",
                lines=lines,
                most=MAX_LINES,
                entries=MAX_ENTRIES,
            ),
        )
    ]


def parse_lines(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """The entries of a text, one per line, and its faults with their line numbers. ``#`` begins a comment."""
    if too_many := count_faults(text):
        return [], too_many
    lines = ((number, line.partition("#")[0]) for number, line in enumerate(text.splitlines(), 1))
    return _parsed((number, line) for number, line in lines if line.strip())


def parse_table(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """The entries of plane-alert-db's CSV, by the column of the address (``$ICAO`` or ``ICAO``), and its faults.

    A table without that header is read by its first column.
    """
    if too_many := count_faults(text):
        return [], too_many
    if (fields := text.count(",")) > MAX_FIELDS:
        return [], [
            (
                1,
                sentence(
                    "alerts.watch_list_fields",
                    "the table has {fields} fields; at most {most} are allowed",
                    fields=fields,
                    most=MAX_FIELDS,
                ),
            )
        ]
    rows: list[tuple[int, str]] = []
    column = 0
    for number, row in delimited.rows(text.splitlines()):
        if row is None:
            return [], [
                (number, sentence("alerts.not_csv", "is not CSV: a quote is not closed or stands inside a field"))
            ]
        if number == 1:
            names = [cell.strip().strip("$#").upper() for cell in row]
            if PLANE_ALERT_HEADER in names:
                column = names.index(PLANE_ALERT_HEADER)
                continue
        text_of_row = row[column] if column < len(row) else ""
        if text_of_row.strip() or "".join(row).strip():
            rows.append((number, text_of_row))
            if len(rows) > MAX_ENTRIES:
                break
    return _parsed(rows)


def _parsed(rows: Iterable[tuple[int, str]]) -> tuple[list[str], list[tuple[int, str]]]:
    values: dict[str, None] = {}
    faults = []
    for index, (number, text) in enumerate(rows):
        if index == MAX_ENTRIES:
            faults.append((number, f"a watch list holds at most {MAX_ENTRIES} entries; here begins another one"))
            break
        try:
            values[parse_entry(text)] = None
        except EntryFault as error:
            faults.append((number, str(error)))
            if len(faults) == FAULTS_NAMED:
                break
    return list(values), faults
