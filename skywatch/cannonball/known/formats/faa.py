"""The FAA's releasable aircraft database: MASTER.txt, with the models of ACFTREF.txt.

Both are comma separated with a header and padded fields; see "Aircraft Registration: Releasable Aircraft Database
Download" (ardata.pdf) of the FAA. It reads registrations with an ICAO address (``MODE S CODE HEX``)
whose registrant's name, or one of the other names, is that of a law-enforcement agency; a government registrant
alone (``TYPE REGISTRANT`` 5) is not enough, since fire and forest services are governments too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skywatch.cannonball.identification.agencies import enforces_law
from skywatch.cannonball.identification.place_names import STATE_CODES
from skywatch.cannonball.known.formats.delimited_table import Item, Refused, Row, Skipped, Table, fault_of

MASTER_REQUIRED = ("N-NUMBER", "MFR MDL CODE", "NAME", "CITY", "STATE", "MODE S CODE HEX")
REFERENCE_REQUIRED = ("CODE", "MFR", "MODEL")
OTHER_NAMES = tuple(f"OTHER NAMES({number})" for number in range(1, 6))
REGISTRY_URL = "https://registry.faa.gov/AircraftInquiry/Search/NNumberResult?NNumberTxt=N"


def column_name(text: str) -> str:
    """A column without its padding."""
    return " ".join(text.upper().split())


def read_models(table: Table) -> dict[str, str]:
    """Model code -> manufacturer and model, from ACFTREF.txt; unreadable rows are skipped."""
    models: dict[str, str] = {}
    for _, fields in table.rows(REFERENCE_REQUIRED, column_name):
        if fault_of(fields, len(table.header)) is None:
            row = dict(zip(table.header, fields, strict=False))
            models[row["CODE"].strip()] = " ".join(f"{row['MFR']} {row['MODEL']}".split())
    return models


def read(table: Table, models: Mapping[str, str] | None = None) -> Iterator[Item]:
    """The registrations of law enforcement; ``models`` is the result of ``read_models``."""
    models = models or {}
    rows = table.rows(MASTER_REQUIRED, column_name)
    for line, fields in rows:
        if fault := fault_of(fields, len(table.header)):
            yield Refused(line, "", fault)
            continue
        row = {name: text.strip() for name, text in zip(table.header, fields, strict=False)}
        names = (row["NAME"], *(row.get(column, "") for column in OTHER_NAMES))
        agency = next((name for name in names if name and enforces_law(name)), None)
        if agency is None or not row["MODE S CODE HEX"]:
            yield Skipped(line)
            continue
        number = row["N-NUMBER"]
        # The address is the registrant's, who may be a trust that holds the aircraft for the agency.
        at_home = agency == row["NAME"]
        entry = {
            "icao_hex": row["MODE S CODE HEX"],
            "registration": f"N{number}",
            "aircraft_model": models.get(row["MFR MDL CODE"], ""),
            "agency_name": " ".join(agency.split()).title(),
            "agency_state": row["STATE"] if at_home and row["STATE"] in STATE_CODES else "",
            "agency_city": row["CITY"].title() if at_home else "",
            "source_url": f"{REGISTRY_URL}{number}",
        }
        yield Row(line, {name: text for name, text in entry.items() if text})
