"""The recordings through picture, writer and database: small on disk, and every received position within the bound."""

import math
from contextlib import ExitStack

import numpy as np
import pytest

from benchmarks._history import ALTITUDE_ERROR_FT, ERROR_M, KINDS, START, database, land_in, new_writer, record, totals
from benchmarks._traffic import Traffic
from skywatch.history.models import Chunk, Tail
from skywatch.history.storage.points import ALTITUDE_FT, AT_S, DEGREES, identity
from skywatch.history.storage.reader import Span, read
from tests.history_errors import Worst, day_error, tape

pytestmark = pytest.mark.nightly("short form of a drill")

MAX_BYTES = 8.0
SECONDS = 900
# A day with a few aircraft, mostly ticks without any .
LEFT_OUT = "calfire_open_busiest_day.jsonl.gz"
# Frames take many times longer than lists, and say the same of the same aircraft.
FRAMES_S = 480.0


@pytest.mark.timeout(900)
def test_recordings_are_stored_within_the_bound(shared_data, tmp_path):
    with ExitStack() as stack:
        bases = [stack.enter_context(database(kind, tmp_path)) for kind in KINDS]
        worst = [Worst() for _ in bases]
        for path in sorted((shared_data / "feeds").glob("*.gz")):
            if path.name == LEFT_OUT:
                continue
            seconds = FRAMES_S if path.name.endswith(".beast.gz") else math.inf
            _, errors = tape(path, *bases, seconds=seconds)
            for all_errors, of_recording in zip(worst, errors, strict=True):
                all_errors.add(of_recording)
        received = [totals(base)[0] for base in bases]
        bases[0].settle(full=True)
        tables = bases[0].tables()
    assert [one.positions for one in worst] == received
    assert min(received) > 14_000
    assert max(one.metres for one in worst) <= ERROR_M
    assert max(one.feet for one in worst) <= ALTITUDE_ERROR_FT
    # On PostgreSQL the empty pages of so small tables count for more than their rows.
    if tables:
        assert sum(tables[table.__tablename__] for table in (Chunk, Tail)) / received[0] <= MAX_BYTES


@pytest.mark.parametrize("kind", KINDS)
def test_made_up_traffic_is_stored_within_the_bound(kind, tmp_path):
    with database(kind, tmp_path) as base:
        writer, traffic = new_writer(base), Traffic(60, START)
        record(base, traffic, SECONDS, writer)
        land_in(writer, traffic.now)
        worst = day_error(base, Traffic(60, START), SECONDS)
        assert worst.positions == totals(base)[0] == 60 * SECONDS
        assert worst.metres <= ERROR_M
        assert worst.feet <= ALTITUDE_ERROR_FT
        # Other traffic is not what is stored.
        assert day_error(base, Traffic(60, START, seed=2), SECONDS).metres > ERROR_M


def test_errors_are_seen(tmp_path):
    with database("sqlite", tmp_path) as base:
        record(base, Traffic(5, START), 60, new_writer(base))
        with base.sessions() as session:
            points = read(session, Span(START, START + 60))
    at = points["at"] * AT_S
    lat, lon, alt = points["lat"] * DEGREES, points["lon"] * DEGREES, points["alt"] * ALTITUDE_FT

    def looked(points, north_deg=0.0, up_ft=0.0):
        worst = Worst()
        worst.look(points, aircraft, at, lat + north_deg, lon, alt + up_ft)
        return worst

    aircraft = identity(points)
    assert looked(points).metres == pytest.approx(0.0, abs=0.5)
    assert looked(points, north_deg=30 / 111_195).metres == pytest.approx(30.0, abs=0.5)
    assert looked(points, up_ft=26).feet == pytest.approx(26.0)
    assert looked(points[aircraft != aircraft[0]]).metres == math.inf
    assert np.isfinite(looked(points).feet)
