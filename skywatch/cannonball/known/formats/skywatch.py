"""Skywatch's own CSV: columns are named like the fields of an entry; only ``icao_hex`` is required.

``agency_type_derived`` and ``agency_state_derived``, the columns of lists made by rules, are synonyms.
"""

from __future__ import annotations

from collections.abc import Iterator

from skywatch.cannonball.known.formats.delimited_table import Item, Refused, Row, Table, fault_of
from skywatch.cannonball.known.service import WRITABLE

FIELDS = frozenset({"icao_hex", *WRITABLE})
SYNONYMS = {"agency_type_derived": "agency_type", "agency_state_derived": "agency_state", "icao": "icao_hex"}


def column_name(text: str) -> str:
    """The normalised name of a column."""
    plain = text.strip().lower().replace(" ", "_")
    return SYNONYMS.get(plain, plain)


def read(table: Table) -> Iterator[Item]:
    """The rows of the table; unknown columns are ignored."""
    rows = table.rows(("icao_hex",), column_name)
    for line, fields in rows:
        if fault := fault_of(fields, len(table.header)):
            yield Refused(line, fields[0][:8] if fields else "", fault)
            continue
        named = zip(table.header, fields, strict=False)
        yield Row(line, {name: text.strip() for name, text in named if name in FIELDS and text.strip()})
