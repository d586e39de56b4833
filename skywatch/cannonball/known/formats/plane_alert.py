"""The lists of plane-alert-db (https://github.com/sdr-enthusiasts/plane-alert-db): police and government aircraft.

It reads aircraft of the police campaign, and of the others those whose operator's name or tags are of law enforcement;
heads of state, fire bombers and the like are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from skywatch.cannonball.identification.agencies import enforces_law
from skywatch.cannonball.known.formats.delimited_table import Item, Refused, Row, Skipped, Table, fault_of

REQUIRED = ("icao", "registration", "operator", "type", "icao type", "cmpg")
POLICE_CAMPAIGN = "Pol"


def column_name(text: str) -> str:
    """A column such as ``$#Tag 2`` without the marks for plane-alert's display."""
    return text.strip().lstrip("$#").lower()


def read(table: Table) -> Iterator[Item]:
    """The rows of law-enforcement aircraft."""
    rows = table.rows(REQUIRED, column_name)
    for line, fields in rows:
        if fault := fault_of(fields, len(table.header)):
            yield Refused(line, fields[0][:8] if fields else "", fault)
            continue
        row = {name: text.strip() for name, text in zip(table.header, fields, strict=False)}
        tags = [row.get(name, "") for name in ("tag 1", "tag 2", "tag 3")]
        if row["cmpg"] != POLICE_CAMPAIGN and not any(map(enforces_law, (row["operator"], *tags))):
            yield Skipped(line)
            continue
        entry = {
            "icao_hex": row["icao"],
            "registration": row["registration"],
            "aircraft_type": row["icao type"],
            "aircraft_model": row["type"],
            "agency_name": row["operator"],
            "source_url": row.get("link", ""),
            "notes": ", ".join(dict.fromkeys(tag for tag in (row.get("category", ""), *tags) if tag)),
        }
        yield Row(line, {name: text for name, text in entry.items() if text})
