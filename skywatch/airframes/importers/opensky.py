"""OpenSky's ``aircraftDatabase.csv``: the old form (``"`` quotes) and the new one (``'`` quotes, other names).

Columns are found by the header.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator

from skywatch.airframes.importers.airframe_row import Refused, Row, checked
from skywatch.core.text import delimited
from skywatch.sentences import sentence

# Our name -> names in the file in lower case; the values of several columns are joined.
COLUMNS = {
    "registration": ("registration",),
    "type_code": ("typecode",),
    "type_name": ("manufacturername", "model"),
    "operator": ("operator",),
    "owner": ("owner",),
}


def rows(lines: Iterable[str]) -> Iterator[Row | Refused]:
    """Airframes and refused lines, in order; raises ValueError where the header has no ``icao24``."""
    remaining = iter(lines)
    header = next(remaining, "")
    quote = "'" if header.lstrip("\ufeff").startswith("'") else '"'
    names = next(csv.reader([header.lstrip("\ufeff")], quotechar=quote, skipinitialspace=True), [])
    column_of = {name.strip().lower(): index for index, name in enumerate(names)}
    if "icao24" not in column_of:
        raise ValueError(
            sentence("airframes.no_icao24", "the header has no column icao24; this is not OpenSky's aircraft database")
        )
    for number, fields in delimited.rows(remaining, quote=quote):
        line = number + 1
        if fields is None:
            yield Refused(line, "cannot be read: a quote is not closed or stands inside a field")
        # The old files have an empty line of commas behind the header.
        elif any(fields):
            if len(fields) != len(column_of):
                yield Refused(line, f"has {len(fields)} fields, the header {len(column_of)}")
            else:
                yield _row(line, fields, column_of)


def _row(line: int, fields: list[str], column_of: dict[str, int]) -> Row | Refused:
    def value(*names: str) -> str:
        return " ".join(filter(None, (fields[column_of[name]].strip() for name in names if name in column_of)))

    type_name = value(*COLUMNS["type_name"])
    maker, model = value("manufacturername"), value("model")
    if maker and model.upper().startswith(maker.upper()):
        type_name = model
    return checked(
        line,
        value("icao24"),
        registration=value("registration"),
        type_code=value("typecode"),
        type_name=type_name,
        operator=value("operator"),
        owner=value("owner"),
        year=value("built")[:4],
    )
