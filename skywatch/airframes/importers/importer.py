"""Imports a database of airframes: reads it into a temporary table, then applies the differences in one transaction.

Only differences are written, so that importing the same file again is cheap and changes nothing.
"""

from __future__ import annotations

import gzip
import importlib
import io
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from skywatch.airframes.importers.airframe_row import Refused, Row
from skywatch.airframes.military import record_lists
from skywatch.airframes.models import AirframeImport
from skywatch.core.clock import utcnow

FORMATS = ("tar1090", "opensky")
BATCH = 10_000
# Refused lines reported one by one; the rest is counted.
NAMED_REFUSALS = 20
GZIP_MAGIC = b"\x1f\x8b"


class ImportFailed(Exception):
    """The file cannot be read or is not of its format; ``str()`` is one line. Nothing was changed."""


@dataclass
class Outcome:
    """The counts of an import: airframes in the file, added, changed and removed."""

    aircraft: int = 0
    added: int = 0
    changed: int = 0
    removed: int = 0
    refused: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    examples: list[Refused] = field(default_factory=list)

    def refuse(self, refused: Refused) -> None:
        """Count a line that was refused."""
        self.refused += 1
        self.reasons[refused.reason] += 1
        if len(self.examples) < NAMED_REFUSALS:
            self.examples.append(refused)


def import_file(engine: Engine, path: Path, source: str, progress: Callable[[int], None] = lambda _: None) -> Outcome:
    """Replace the data of ``source`` (one of FORMATS) by a file, gzip or not, entirely or not at all.

    ``progress`` is called with the number of bytes read. Raises ImportFailed.
    """
    parse = importlib.import_module(f"skywatch.airframes.importers.{source}").rows
    outcome = Outcome()
    try:
        with path.open("rb") as raw, engine.connect() as connection:
            lines = _lines(raw)
            # A temporary table takes no lock that blocks other writers while the file is read.
            with connection.begin():
                connection.exec_driver_sql(_STAGED)
            try:
                with connection.begin():
                    _stage(connection, _unique(parse(lines), outcome), lambda: progress(raw.tell()))
                if outcome.aircraft <= outcome.refused:
                    raise ImportFailed(_not_one(path, source, outcome))
                _apply(connection, source, outcome)
            finally:
                with connection.begin():
                    connection.exec_driver_sql("DROP TABLE staged_airframes")
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise ImportFailed(f"{path}: {' '.join(str(error).split())}") from None
    return outcome


_COLUMNS = Row._fields
_STAGED = (
    "CREATE TEMPORARY TABLE staged_airframes (icao_hex VARCHAR(6) PRIMARY KEY, registration VARCHAR(20),"
    " type_code VARCHAR(8), type_name VARCHAR(120), operator VARCHAR(120), owner VARCHAR(120),"
    " year SMALLINT, flags SMALLINT)"
)
_REMOVE = (
    "DELETE FROM airframes WHERE source = :source AND NOT EXISTS"
    " (SELECT 1 FROM staged_airframes WHERE staged_airframes.icao_hex = airframes.icao_hex)"
)
_UPSERT = (
    f"INSERT INTO airframes (source, {', '.join(_COLUMNS)})"  # noqa: S608 - the names are our own
    f" SELECT :source, {', '.join(_COLUMNS)} FROM staged_airframes WHERE true ORDER BY icao_hex"
    " ON CONFLICT (icao_hex, source) DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])
    + " WHERE "
    + " OR ".join(f"airframes.{name} <> excluded.{name}" for name in _COLUMNS[1:])
)


def _lines(raw: Any) -> Iterator[str]:
    is_gzip = raw.read(2) == GZIP_MAGIC
    raw.seek(0)
    # Invalid UTF-8 becomes lone surrogates, so that the line is refused and not the file.
    return io.TextIOWrapper(gzip.GzipFile(fileobj=raw) if is_gzip else raw, "utf-8-sig", "surrogateescape", newline="")


def _unique(parsed: Iterator[Row | Refused], outcome: Outcome) -> Iterator[Row]:
    seen: set[str] = set()
    for number, row in enumerate(parsed, 1):
        if isinstance(row, Refused):
            outcome.refuse(row)
        elif row.icao_hex in seen:
            outcome.refuse(Refused(number, "duplicate address"))
        else:
            seen.add(row.icao_hex)
            outcome.aircraft += 1
            yield row


def _stage(connection: Connection, rows: Iterator[Row], progress: Callable[[], None]) -> None:
    driver: Any = connection.connection.driver_connection
    cursor = driver.cursor()
    if connection.dialect.name == "postgresql":
        with cursor.copy(f"COPY staged_airframes ({', '.join(_COLUMNS)}) FROM STDIN") as copy:
            while batch := list(islice(rows, BATCH)):
                for row in batch:
                    copy.write_row(row)
                progress()
        return
    marks = ", ".join("?" * len(_COLUMNS))
    while batch := list(islice(rows, BATCH)):
        cursor.executemany(f"INSERT INTO staged_airframes VALUES ({marks})", batch)  # noqa: S608
        progress()


def _apply(connection: Connection, source: str, outcome: Outcome) -> None:
    count = sa.text("SELECT count(*) FROM airframes WHERE source = :source")
    parameters = {"source": source}
    with connection.execution_options(sqlite_begin="IMMEDIATE").begin():
        outcome.removed = connection.execute(sa.text(_REMOVE), parameters).rowcount
        before = connection.execute(count, parameters).scalar_one()
        row_count = connection.execute(sa.text(_UPSERT), parameters).rowcount
        outcome.added = outcome.aircraft - before
        outcome.changed = row_count - outcome.added
        connection.execute(sa.delete(AirframeImport).where(AirframeImport.source == source))
        connection.execute(
            sa.insert(AirframeImport).values(
                source=source, imported_at=utcnow(), aircraft=outcome.aircraft, refused=outcome.refused
            )
        )
        record_lists(connection)
    if connection.dialect.name == "postgresql":
        with connection.begin():
            connection.exec_driver_sql("ANALYZE airframes, military_aircraft")


def _not_one(path: Path, source: str, outcome: Outcome) -> str:
    if not outcome.refused:
        return f"{path}: contains no aircraft"
    first = outcome.examples[0]
    return (
        f"{path}: is not a {source} database: {outcome.refused} of {outcome.refused + outcome.aircraft} lines are "
        f"not aircraft (line {first.line}: {first.reason})"
    )
