"""Imports the table of routes: reads CSV files row by row into a temporary table, then replaces the table at once.

The form is that of the standing data of the virtual radar community: ``Callsign,Code,Number,AirlineCode,AirportCodes``,
with or without these names in the first row, other columns beside them or not.
"""

from __future__ import annotations

import codecs
import csv
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from skywatch.airports.directory import directory
from skywatch.core import events
from skywatch.core.bus import Message
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, begin_writing
from skywatch.core.runtime import Runtime
from skywatch.core.storage import audit
from skywatch.core.storage.audit import Actor, Target
from skywatch.routes.models import MAX_STOPS, TableImport, TableRoute
from skywatch.sentences import Sentence, sentence

# What processes that show routes subscribe to: the table or what was learnt has changed.
TOPIC, CHANGED = "routes", "routes:changed"
COLUMNS = ("callsign", "code", "number", "airlinecode", "airportcodes")
# Refused rows that a report names; all are counted.
REFUSALS_NAMED = 100
BATCH = 10_000
MAX_SOURCE = 255
# Bytes that are read at once, and the longest line: a row has some thirty.
READ_BYTES, MAX_LINE = 65_536, 4_096
CALLSIGN = re.compile(r"[A-Z0-9]{2,8}")
ONLY_ROW = 1
TARGET = Target("route_table", None, "table of routes")


class ImportFailed(Exception):
    """There is no good row, or a file cannot be read; nothing was changed. ``str()`` is one line."""


@dataclass(frozen=True)
class Refused:
    """A row that was refused: the number of its line in its file."""

    line: int
    detail: Sentence
    file: str = ""


class Route(NamedTuple):
    """A good row: the ICAO codes of the airports with a hyphen between two."""

    callsign: str
    airports: str


@dataclass
class Report:
    """What an import did: callsigns with a route, refused rows, and the first of these."""

    routes: int = 0
    refused: int = 0
    errors: list[Refused] = field(default_factory=list)

    def refuse(self, refused: Refused) -> None:
        """Count a refused row."""
        self.refused += 1
        if len(self.errors) < REFUSALS_NAMED:
            self.errors.append(refused)


def rows_of(lines: Iterable[str], *, anything: bool = True) -> Iterator[Route | Refused]:
    """The rows of a file; without ``anything`` none of one that has not the columns of a table of routes."""
    reader = csv.reader(lines)
    places: tuple[int, int] | None = None
    codes: dict[str, str | None] = {}
    for row in _readable(reader):
        if isinstance(row, Refused):
            yield row
            continue
        if not any(row):
            continue
        if places is None:
            names = [name.strip().lower() for name in row]
            if COLUMNS[0] in names and COLUMNS[-1] in names:
                places = names.index(COLUMNS[0]), names.index(COLUMNS[-1])
                continue
            if not anything and not _is_route(row):
                return
            places = 0, len(COLUMNS) - 1
        yield _route(row, reader.line_num, places, codes)


def _is_route(row: list[str]) -> bool:
    return len(row) == len(COLUMNS) and bool(CALLSIGN.fullmatch(upper(row[0].strip()))) and "-" in row[-1]


def _readable(reader: Any) -> Iterator[list[str] | Refused]:
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield Refused(reader.line_num, sentence("routes.not_csv", "is not a row of CSV"))


def _route(row: list[str], line: int, places: tuple[int, int], codes: dict[str, str | None]) -> Route | Refused:
    """The route of a row; ``codes`` remembers the ICAO code of each code that was looked up."""
    if len(row) <= max(places):
        return Refused(line, sentence("routes.too_few_columns", "has {n} column|has {n} columns", n=len(row)))
    callsign = upper(row[places[0]].strip())
    if not CALLSIGN.fullmatch(callsign):
        return Refused(line, sentence("routes.callsign", "has a callsign that is not 2 to 8 letters and digits"))
    stops = []
    for text in row[places[1]].split("-"):
        code = upper(text.strip())
        if not code:
            continue
        if code not in codes:
            codes[code] = icao_of(code)
        icao = codes[code]
        if icao is None:
            shown = "".join(filter(str.isprintable, code.encode("ascii", "replace").decode()))[:12]
            return Refused(
                line, sentence("routes.unknown_airport", "names an airport that is not known: {code}", code=shown)
            )
        stops.append(icao)
    if len(stops) < 2:
        return Refused(line, sentence("routes.too_few_airports", "has fewer than two airports"))
    if len(stops) > MAX_STOPS:
        return Refused(line, sentence("routes.too_many_airports", "has more than {most} airports", most=MAX_STOPS))
    return Route(callsign, "-".join(stops))


def upper(text: str) -> str:
    """A callsign or code in upper case; letters that become ASCII ones by that (ſ, ß) stay what they are."""
    return text.upper() if text.isascii() else text


def icao_of(code: str) -> str | None:
    """The ICAO code of an airport by its ICAO or IATA code in upper case, None where there is no such airport."""
    if not 3 <= len(code) <= 4:
        return None
    airport = directory().find(code)
    return airport.icao if airport is not None and code in (airport.icao, airport.iata) else None


@dataclass(frozen=True)
class File:
    """A file of a table; ``anything``: what is in it is refused row by row even if it has other columns."""

    name: str
    open: Callable[[], Any]
    anything: bool


@contextmanager
def files_of(path: Path) -> Iterator[list[File]]:
    """The CSV files of a path: a file, all of a folder, or all of a ZIP file. Raises OSError or BadZipFile."""
    if path.is_dir():
        paths = sorted(one for one in path.rglob("*") if one.is_file() and one.suffix.lower() == ".csv")
        yield [File(str(one.relative_to(path)), partial(one.open, "rb"), False) for one in paths]
    elif zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.lower().endswith(".csv"))
            yield [File(name, partial(archive.open, name), False) for name in names]
    else:
        yield [File(path.name, partial(path.open, "rb"), True)]


def import_routes(
    runtime: Runtime, actor: Actor, files: Iterable[File], source: str, progress: Callable[[int], None] = lambda _: None
) -> Report:
    """Replace the table by the good rows of files; of a callsign the last row counts.

    ``progress`` is called with the number of rows read. Raises ImportFailed. The connection is its own: the files are
    read without a lock on the database.
    """
    report = Report()
    with runtime.engine.connect() as connection:
        try:
            with connection.begin():
                connection.exec_driver_sql(_STAGED[connection.dialect.name])
            with connection.begin():
                _stage(connection, _good(files, report), progress)
            _replace(runtime.sessions, connection, actor, report, source[:MAX_SOURCE])
        except (OSError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, RuntimeError) as error:
            # RuntimeError: a member of a ZIP file that is encrypted.
            raise ImportFailed(" ".join(str(error).split()) or type(error).__name__) from None
        finally:
            with connection.begin():
                connection.exec_driver_sql("DROP TABLE IF EXISTS staged_routes")
    return report


_STAGED = {
    "sqlite": "CREATE TEMPORARY TABLE staged_routes (callsign VARCHAR(8) PRIMARY KEY, airports VARCHAR) WITHOUT ROWID",
    "postgresql": "CREATE TEMPORARY TABLE staged_routes (number SERIAL, callsign VARCHAR(8), airports VARCHAR)",
}
_COPY = {
    "sqlite": "INSERT INTO route_table (callsign, airports) SELECT callsign, airports FROM staged_routes",
    "postgresql": "INSERT INTO route_table (callsign, airports) SELECT DISTINCT ON (callsign) callsign, airports"
    " FROM staged_routes ORDER BY callsign, number DESC",
}


def _good(files: Iterable[File], report: Report) -> Iterator[Route]:
    for file in files:
        with file.open() as opened:
            for row in rows_of(lines_of(opened), anything=file.anything):
                if isinstance(row, Refused):
                    report.refuse(Refused(row.line, row.detail, file.name))
                else:
                    yield row


def lines_of(opened: IO[bytes]) -> Iterator[str]:
    """The lines of a file, without a byte order mark. Of a line longer than MAX_LINE only a part is kept in memory.

    What is not UTF-8 becomes lone surrogates, so that the row is refused and not the file.
    """
    pending, is_first = b"", True
    while chunk := opened.read(READ_BYTES):
        # The last one may go on.
        *lines, pending = (pending + chunk).splitlines(keepends=True)
        pending = pending[:MAX_LINE]
        for line in lines:
            yield _text(line.removeprefix(codecs.BOM_UTF8) if is_first else line)
            is_first = False
    if pending:
        yield _text(pending.removeprefix(codecs.BOM_UTF8) if is_first else pending)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape")


def _stage(connection: Connection, rows: Iterator[Route], progress: Callable[[int], None]) -> None:
    driver: Any = connection.connection.driver_connection
    cursor = driver.cursor()
    count = 0
    if connection.dialect.name == "postgresql":
        with cursor.copy("COPY staged_routes (callsign, airports) FROM STDIN") as copy:
            while batch := list(islice(rows, BATCH)):
                for row in batch:
                    copy.write_row(row)
                count += len(batch)
                progress(count)
        return
    while batch := list(islice(rows, BATCH)):
        cursor.executemany("INSERT OR REPLACE INTO staged_routes VALUES (?, ?)", batch)
        count += len(batch)
        progress(count)


def _replace(sessions: SessionFactory, connection: Connection, actor: Actor, report: Report, source: str) -> None:
    with sessions(bind=connection) as session, session.begin():
        begin_writing(session)
        before = status_of(session)
        session.execute(sa.delete(TableRoute))
        session.execute(sa.text(_COPY[connection.dialect.name]))
        report.routes = session.scalar(sa.select(sa.func.count()).select_from(TableRoute)) or 0
        if not report.routes:
            raise ImportFailed(_not_one(report))
        session.execute(sa.delete(TableImport))
        session.add(TableImport(id=ONLY_ROW, source=source, imported_at=utcnow(), routes=report.routes))
        after = {"routes": report.routes, "source": source, "refused": report.refused}
        audit.record(session, actor, "routes.import", TARGET, before=before, after=after)
        announce(session)


def _not_one(report: Report) -> str:
    if not report.refused:
        return sentence("routes.no_row", "contains no route")
    first = report.errors[0]
    return sentence(
        "routes.no_good_row",
        "contains no good row: {n} row was refused; line {line} {detail}|"
        "contains no good row: {n} rows were refused; line {line} {detail}",
        n=report.refused,
        line=first.line,
        detail=first.detail,
    )


def clear(session: Session, actor: Actor) -> None:
    """Delete the table."""
    before = status_of(session)
    session.execute(sa.delete(TableRoute))
    session.execute(sa.delete(TableImport))
    audit.record(session, actor, "routes.delete", TARGET, before=before)
    announce(session)


def status_of(session: Session) -> dict[str, Any]:
    """How many routes the table has, and where it comes from."""
    row = session.get(TableImport, ONLY_ROW)
    return {"routes": row.routes if row else 0, "source": row.source if row else None}


def announce(session: Session) -> None:
    """Tell whoever shows routes of a change, once it is committed; others look at the table each minute."""
    events.publish(session, Message(TOPIC, CHANGED, b"{}"), stored=False)
