"""OpenSky's ``aircraftDatabase.csv``: the old form (``"`` quotes) and the new one (``'`` quotes, other names).

Columns are found by the header.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator

from skywatch.airframes.importers.rows import Refused, Row, checked

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
    reader = csv.reader(itertools.chain([header.lstrip("\ufeff")], remaining), quotechar=quote, skipinitialspace=True)
    column_of = {name.strip().lower(): index for index, name in enumerate(next(reader, []))}
    if "icao24" not in column_of:
        raise ValueError("the header has no column icao24; this is not OpenSky's aircraft database")
    while True:
        try:
            fields = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Refused(reader.line_num, str(error))
            continue
        # The old files have an empty line of commas behind the header.
        if not any(fields):
            continue
        if len(fields) != len(column_of):
            yield Refused(reader.line_num, f"has {len(fields)} fields, the header {len(column_of)}")
            continue
        yield _row(reader.line_num, fields, column_of)


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
