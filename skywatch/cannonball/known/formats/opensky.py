"""The aircraft database of the OpenSky Network (aircraftDatabase.csv and its later, single-quoted form).

It reads aircraft whose operator or owner is, by name, a law-enforcement agency.
"""

from __future__ import annotations

from collections.abc import Iterator

from skywatch.cannonball.identification.agencies import enforces_law
from skywatch.cannonball.known.formats.delimited_table import Item, Refused, Row, Skipped, Table, fault_of

REQUIRED = ("icao24", "registration", "typecode", "operator", "owner")


def column_name(text: str) -> str:
    """A column in lower case; the older form writes them so, the newer in camel case."""
    return text.strip().strip("'\"").lower()


def read(table: Table) -> Iterator[Item]:
    """The rows of law-enforcement aircraft."""
    rows = table.rows(REQUIRED, column_name)
    for line, fields in rows:
        if fault := fault_of(fields, len(table.header)):
            yield Refused(line, fields[0][:8] if fields else "", fault)
            continue
        row = {name: text.strip() for name, text in zip(table.header, fields, strict=False)}
        agency = next((name for name in (row["operator"], row["owner"]) if enforces_law(name)), None)
        if agency is None or not row["icao24"]:
            yield Skipped(line)
            continue
        model = " ".join(filter(None, (row.get("manufacturername", ""), row.get("model", ""))))
        entry = {
            "icao_hex": row["icao24"],
            "registration": row["registration"],
            "aircraft_type": row["typecode"],
            "aircraft_model": model,
            "agency_name": agency,
            "source_url": "https://opensky-network.org/data/aircraft",
            "notes": row.get("notes", ""),
        }
        yield Row(line, {name: text for name, text in entry.items() if text})
