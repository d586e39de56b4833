"""Entries of a watch list, one address, registration or callsign each, and how files are parsed."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

MAXIMUM_ENTRIES = 100_000
MAXIMUM_LENGTH = 12
_ADDRESS = re.compile("~?[0-9A-F]{6}")
# Prefix of a callsign that looks like an address, such as ACA123.
CALLSIGN = "CALLSIGN:"
_ENTRY = re.compile(r"[A-Z0-9][A-Z0-9 ./+-]{0,11}|~[0-9A-F]{6}")
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
    if not value:
        raise EntryFault("must not be empty")
    if value.startswith(CALLSIGN):
        name = value.removeprefix(CALLSIGN).strip()
        if not re.fullmatch("[A-Z0-9]{1,8}", name):
            raise EntryFault(f"{text.strip()[:40]!r} is not a callsign")
        return CALLSIGN + name if _ADDRESS.fullmatch(name) else name
    if len(value) > MAXIMUM_LENGTH or not _ENTRY.fullmatch(value):
        raise EntryFault(f"{text.strip()[:40]!r} is not an address, registration or callsign")
    return value


def parse_lines(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """The entries of a text, one per line, and its faults with their line numbers. ``#`` begins a comment."""
    lines = ((number, line.partition("#")[0]) for number, line in enumerate(text.splitlines(), 1))
    return _parsed((number, line) for number, line in lines if line.strip())


def parse_table(text: str) -> tuple[list[str], list[tuple[int, str]]]:
    """The entries of plane-alert-db's CSV, by the column of the address (``$ICAO`` or ``ICAO``), and its faults.

    A table without that header is read by its first column.
    """
    reader = csv.reader(text.splitlines())
    rows: list[tuple[int, str]] = []
    column = 0
    try:
        for row in reader:
            names = [cell.strip().strip("$#").upper() for cell in row]
            if reader.line_num == 1 and PLANE_ALERT_HEADER in names:
                column = names.index(PLANE_ALERT_HEADER)
            elif any(cell.strip() for cell in row):
                rows.append((reader.line_num, row[column] if column < len(row) else ""))
    except csv.Error as error:
        return [], [(reader.line_num, f"is not CSV: {error}")]
    return _parsed(rows)


def _parsed(rows: Iterable[tuple[int, str]]) -> tuple[list[str], list[tuple[int, str]]]:
    values: dict[str, None] = {}
    faults = []
    for number, text in rows:
        try:
            values[parse_entry(text)] = None
        except EntryFault as error:
            faults.append((number, str(error)))
    return list(values), faults
