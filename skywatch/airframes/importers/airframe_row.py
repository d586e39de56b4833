"""What every format yields: a row of plain values, or why a line was refused."""

from __future__ import annotations

import re
from typing import NamedTuple

_ADDRESS = re.compile(r"[0-9A-Fa-f]{6}")
# Longest values, by the columns of the table; see ``models.AirframeRecord``.
LONGEST = {"registration": 20, "type_code": 8, "type_name": 120, "operator": 120, "owner": 120}
FIRST_YEAR, LAST_YEAR = 1900, 2100


class Row(NamedTuple):
    """One airframe; texts are empty and the year 0 where unknown. ``flags`` are readsb's dbFlags."""

    icao_hex: str
    registration: str
    type_code: str
    type_name: str
    operator: str
    owner: str
    year: int
    flags: int


class Refused(NamedTuple):
    """A line that is not an airframe."""

    line: int
    reason: str


def checked(
    line: int,
    icao_hex: str,
    registration: str = "",
    type_code: str = "",
    type_name: str = "",
    operator: str = "",
    owner: str = "",
    year: str = "",
    flags: int = 0,
) -> Row | Refused:
    """A row of trimmed values, or the reason why one of them is invalid."""
    if not _ADDRESS.fullmatch(icao_hex):
        return Refused(line, "not an ICAO address")
    texts = (registration, type_code, type_name, operator, owner)
    # Undecodable bytes arrive as lone surrogates; invisible characters (and NUL, which PostgreSQL rejects) are removed.
    if any("\ud800" <= character <= "\udfff" for text in texts if not text.isascii() for character in text):
        return Refused(line, "is not UTF-8 text")
    values = tuple(text if text.isprintable() else "".join(filter(str.isprintable, text)) for text in texts)
    for (name, longest), value in zip(LONGEST.items(), values, strict=True):
        if len(value) > longest:
            return Refused(line, f"{name} is longer than {longest} characters")
    built = 0
    if year:
        built = int(year) if year.isascii() and year.isdigit() and len(year) == 4 else -1
        if not FIRST_YEAR <= built <= LAST_YEAR:
            # Registers write 0000 and the like for "unknown"; the rest of the line is valid.
            built = 0
    registration, type_code, type_name, operator, owner = values
    return Row(icao_hex.upper(), registration, type_code, type_name, operator, owner, built, flags)
