"""The archive beside the hot store and beside plain Parquet in order of time: bytes, processor time, bytes read.

An hour of 500 simulated aircraft is recorded, and copied until it is two days; then the days are archived. Questions
are answered by the code of the child process in this one, so that its processor time counts; starting the child is
printed apart. Bytes read are those that the process asked the system for. Then the recorded hour is flown on each of
30 days, and that month is asked for in the database, in a folder and in a bucket.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import sqlalchemy as sa
from pyarrow import compute as pc
from pyarrow import parquet as pq

from benchmarks._archive_month import read_by_process, show_month
from benchmarks._history import START, Copies, database, land_in, new_writer, record
from benchmarks._traffic import Traffic
from skywatch.archive.reader import child
from skywatch.archive.reader.queries import arrow_table
from skywatch.archive.reader.questions import Opening, PositionsQuestion
from skywatch.features import load
from skywatch.history.models import Flight
from skywatch.history.storage.archive_columns import table_of
from skywatch.history.storage.archived_points import _points
from skywatch.history.storage.points import Points, address_code
from skywatch.history.storage.reader import Span, read, read_aircraft
from tests.archives import archive

AIRCRAFT, FLOWN_S, COPIES, ROUNDS = 500, 3600, 47, 5
GOAL_BYTES = 9.0
# A box of two degrees in the middle of the traffic, as lat_e5 and lon_e5.
BOX = (4_650_000, 4_850_000, 700_000, 900_000)


def show(what: str, text: str) -> None:
    """One figure."""
    print(f"  {what:<52}{text}")


def measured(work: Callable[[], Any]) -> tuple[float, int, Any]:
    """Processor time of the fastest of some rounds (ms), bytes read by one, and its result."""
    times = []
    for _ in range(ROUNDS):
        before, began = read_by_process(), time.process_time()
        result = work()
        times.append(time.process_time() - began)
        read_in_round = read_by_process() - before
    return min(times) * 1000, read_in_round, result


def main() -> None:
    """The command."""
    with tempfile.TemporaryDirectory() as folder, database("sqlite", Path(folder)) as base:
        writer, traffic = new_writer(base), Traffic(AIRCRAFT, START)
        record(base, traffic, FLOWN_S, writer)
        land_in(writer, traffic.now)
        base.settle()
        month = Path(folder, "flown")
        month.mkdir()
        shutil.copy(Path(folder, "history.sqlite"), month)
        Copies(base, FLOWN_S).make(COPIES)
        place = Path(folder, "archive")
        settings = load({"secret": "x" * 40, "database_url": base.url, "archive_url": place.as_uri()}, {})
        began = time.process_time()
        outcome = archive(base.sessions, settings, now=datetime.fromtimestamp(START, UTC) + timedelta(days=5))
        took_s = time.process_time() - began
        sizes(outcome, took_s)
        reads(base, place, settings.archive_url)
        with database("sqlite", month) as flown:
            show_month(flown, month, FLOWN_S, show)
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import skywatch.archive.reader.child"], check=True)
    show("starting a child", f"{(time.perf_counter() - began) * 1000:.0f} ms on the clock")


def sizes(outcome: Any, took_s: float) -> None:
    """Bytes a position, and a year of such traffic."""
    files = [file for day in outcome.days if day.manifest for file in day.manifest.files]
    rows, size = (sum(getattr(file, name) for file in files if file.stem != "flights") for name in ("rows", "bytes"))
    hours = sum(1 for file in files if file.stem.startswith("positions"))
    show("points archived", f"{rows:,} in {size / 1e6:.1f} MB, {size / rows:.2f} bytes each (goal {GOAL_BYTES:g})")
    show("a year of it", f"{size / hours * 24 * 365 / 1e9:.1f} GB of {AIRCRAFT} aircraft day and night")
    show("archiving", f"{took_s:.1f} s of a processor, {rows / took_s:,.0f} points a second")


def reads(base: Any, place: Path, url: str) -> None:
    """One hour's area, a moment, and an aircraft over all days, from each of three stores."""
    largest = max(place.glob("day=*/positions-*.parquet"), key=lambda path: path.stat().st_size)
    name = str(largest.relative_to(place))
    hour = datetime.strptime(name, "day=%Y-%m-%d/positions-%H.parquet").replace(tzinfo=UTC).timestamp()
    reader = child.Reader(Opening(url, "", "", "", "", 512))
    days = sorted(path.name for path in place.glob("day=*"))
    with base.sessions() as session:
        points = read(session, Span(hour, hour + 3599))
        plain = place / "plain.parquet"
        by_time = points.take(np.argsort(points["at"], kind="stable"))
        pq.write_table(_unordered(by_time), plain, compression="zstd")
        show("an hour in plain Parquet by time", f"{plain.stat().st_size / len(points):.2f} bytes a point")

        def hot_area() -> Points:
            found = read(session, Span(hour, hour + 3599))
            lat, lon = found["lat"], found["lon"]
            return found[(lat >= BOX[0]) & (lat < BOX[1]) & (lon >= BOX[2]) & (lon < BOX[3])]

        def area(path: str) -> Any:
            lat, lon = pc.field("lat_e5"), pc.field("lon_e5")
            box = (lat >= BOX[0]) & (lat < BOX[1]) & (lon >= BOX[2]) & (lon < BOX[3])
            reader.scan("area", [path], ["icao", "flight", "at_cs", "lat_e5", "lon_e5", "alt_ft"], box)
            return arrow_table(reader.database.execute("SELECT * FROM area"))

        tell(
            "area of an hour", measured(hot_area), measured(lambda: area(name)), measured(lambda: area("plain.parquet"))
        )
        at = hour + 1800

        def moment() -> Points:
            question = PositionsQuestion(files=[name], begin_cs=round((at - 600) * 100), end_cs=round((at + 600) * 100))
            return _points(child.respond(reader, question).value)

        tell("sky at a moment", measured(lambda: read(session, Span(at - 600, at + 599))), measured(moment))
        address = session.scalar(sa.select(Flight.icao_hex).order_by(Flight.positions.desc()).limit(1))
        code = address_code(str(address))
        files = [f"{day}/{path.name}" for day in days for path in sorted((place / day).glob("positions-*.parquet"))]
        whole = Span(hour - 3 * 86_400, hour + 3 * 86_400, code)

        def one() -> Points:
            question = PositionsQuestion(files=files, begin_cs=0, end_cs=2**60, icao=code)
            return _points(child.respond(reader, question).value)

        tell(
            f"one aircraft over {len(files)} hours",
            measured(lambda: read_aircraft(session, whole, [(whole.begin, whole.end)])),
            measured(one),
        )


def _unordered(points: Points) -> pa.Table:
    ordered = table_of(points)
    return ordered.sort_by([("at_cs", "ascending")])


def tell(what: str, *results: tuple[float, int, Any]) -> None:
    """A line for each store."""
    for store, (milliseconds, size, result) in zip(("hot store", "archive", "plain by time"), results, strict=False):
        ratio = f", {milliseconds / results[0][0]:.1f} times" if store != "hot store" else ""
        show(f"{what}: {store}", f"{milliseconds:.1f} ms{ratio}, {size / 1e3:,.0f} kB read, {len(result):,} points")


if __name__ == "__main__":
    main()
