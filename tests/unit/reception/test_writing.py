"""Quality of reception in the database: rows by hour, restarts, deleted feeders, minutes of a day."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.feeders.models import Feeder
from skywatch.picture.access import PictureAccess
from skywatch.reception.measurement.codec import unpack
from skywatch.reception.measurement.collector import Entry
from skywatch.reception.measurement.hour import Hour, total
from skywatch.reception.measurement.writer import QualityWriter
from skywatch.reception.models import ReceiverQuality
from skywatch.reception.monitor import QualityMonitor
from tests.unit.reception.world import World, aircraft
from tests.waiting import until

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=["test_a_damaged_row_is_replaced", "test_the_monitor_writes_what_a_tracker_receives_and_at_its_end"],
)

AT = datetime(2026, 11, 24, 10, tzinfo=UTC)


@pytest.fixture
def runtime(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    with writing(runtime.sessions) as db:
        now = utcnow()
        row = {"uuid_hash": "0" * 64, "uuid_start": "0" * 8, "created_at": now, "updated_at": now}
        db.add(Feeder(id=7, name="Attic", name_key="attic", lat=48.0, lon=9.0, **row))
    return runtime


def hour(messages, distance_nm=100.0):
    result = Hour((47.0, 8.0))
    result.minutes[5]["messages"], result.minutes[5]["seconds"] = messages, 60
    result.note_ranges(300, np.array([0.0]), np.array([distance_nm]))
    return result


def write(runtime, writer, *entries):
    with writing(runtime.sessions) as db:
        writer.write(db, list(entries))


def rows(runtime):
    with runtime.sessions() as db:
        return {(row.receiver, row.at): row for row in db.scalars(sa.select(ReceiverQuality))}


def messages(row):
    return int(total(unpack(row.summary, row.detail).minutes)["messages"])


def test_an_hour_is_one_row_however_often_it_is_written(runtime):
    writer = QualityWriter()
    write(runtime, writer, Entry("roof", AT, hour(10)), Entry("feeder-7", AT, hour(3)))
    write(runtime, writer, Entry("roof", AT, hour(25)))
    stored = rows(runtime)
    assert {key: messages(row) for key, row in stored.items()} == {("roof", AT): 25, ("feeder-7", AT): 3}
    assert stored["feeder-7", AT].feeder_id == 7


def test_after_a_restart_the_hour_goes_on(runtime):
    write(runtime, QualityWriter(), Entry("roof", AT, hour(10, 150.0)))
    writer = QualityWriter()
    write(runtime, writer, Entry("roof", AT, hour(5)))
    write(runtime, writer, Entry("roof", AT, hour(7)))
    (row,) = rows(runtime).values()
    assert messages(row) == 17
    assert unpack(row.summary, row.detail).ranges.max() == 1500


def test_a_damaged_row_is_replaced(runtime):
    write(runtime, QualityWriter(), Entry("roof", AT, hour(10)))
    with writing(runtime.sessions) as db:
        db.execute(sa.update(ReceiverQuality).values(detail=b"\x07"))
    write(runtime, QualityWriter(), Entry("roof", AT, hour(5)))
    (row,) = rows(runtime).values()
    assert messages(row) == 5


def test_rows_go_with_their_feeder_and_do_not_come_back(runtime):
    writer = QualityWriter()
    write(runtime, writer, Entry("feeder-7", AT, hour(3)), Entry("roof", AT, hour(1)))
    with writing(runtime.sessions) as db:
        db.execute(sa.delete(Feeder))
    assert set(rows(runtime)) == {("roof", AT)}
    write(runtime, writer, Entry("feeder-7", AT, hour(4)), Entry("roof", AT, hour(2)))
    assert set(rows(runtime)) == {("roof", AT)}


def test_minutes_are_stored_for_a_day_and_hours_longer(runtime):
    write(runtime, QualityWriter(), *(Entry("roof", AT - timedelta(hours=ago), hour(1)) for ago in range(27)))
    with_minutes = [at for (_, at), row in rows(runtime).items() if row.detail is not None]
    assert len(rows(runtime)) == 27
    assert min(with_minutes) == AT - timedelta(hours=25)


def test_the_monitor_writes_what_a_tracker_receives_and_at_its_end(runtime):
    world = World()
    runtime.shared(PictureAccess).open(world.picture)
    monitor = QualityMonitor(runtime)
    monitor.start()
    try:
        for _ in range(75):
            world.show("roof", aircraft("4b1620", 0, 90))
            world.show("feeder-7", aircraft("4b1620", 0, 90))
            world.clock.advance(1.0)
            monitor.on_tick(world.picture.tick())
        until(lambda: len(rows(runtime)) >= 2, "a minute is over")
    finally:
        monitor.close()
    stored = {name: unpack(row.summary, row.detail) for (name, _), row in rows(runtime).items()}
    assert stored["feeder-7"].origin == (48.0, 9.0)
    assert stored["roof"].origin == world.picture.station
    assert total(stored["roof"].minutes)["messages"] >= 60
