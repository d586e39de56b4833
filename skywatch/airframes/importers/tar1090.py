"""tar1090-db's ``aircraft.csv``: ``ICAO;registration;type;flags;long type;year;owner;`` without header or quoting.

The digits of the flags are, from the left: military, interesting, PIA, LADD.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from skywatch.airframes.importers.airframe_row import Refused, Row, checked
from skywatch.airframes.models import INTERESTING, LADD, MILITARY, PIA

FEWEST_FIELDS, MAX_FIELDS = 5, 9
_BITS = (MILITARY, INTERESTING, PIA, LADD)


def rows(lines: Iterable[str]) -> Iterator[Row | Refused]:
    """Airframes and refused lines, in order; empty lines are skipped."""
    for number, text in enumerate(lines, 1):
        fields = text.rstrip("\r\n").split(";")
        if fields == [""]:
            continue
        if not FEWEST_FIELDS <= len(fields) <= MAX_FIELDS:
            yield Refused(number, f"has {len(fields)} fields, expected {FEWEST_FIELDS} to {MAX_FIELDS}")
            continue
        fields += [""] * (MAX_FIELDS - len(fields))
        icao_hex, registration, type_code, digits, type_name, year, owner = map(str.strip, fields[:7])
        if digits.strip("01"):
            yield Refused(number, "the flags are not zeros and ones")
            continue
        flags = sum(bit for bit, digit in zip(_BITS, digits, strict=False) if digit == "1")
        yield checked(number, icao_hex, registration, type_code, type_name, owner=owner, year=year, flags=flags)
