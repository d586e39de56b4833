"""Retention and a clock that may be wrong: when it waits, when it goes on, and how much goes in one run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.database.models import AuditEntry, StoredSetting
from skywatch.core.storage.audit import COMMAND_LINE
from skywatch.core.storage.retention import Pruner
from skywatch.core.storage.retention_clock import Reading, RetentionClock, confirm, read_clock, records
from skywatch.features import FEATURES
from skywatch.history.models import Chunk, Flight
from skywatch.system.models import HealthChange

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
BEGIN = datetime(2026, 6, 1, tzinfo=UTC)
YEARS = 3 * 365 * DAY
# Enough for most tests: what is kept for long, what for a day, and what is rarely written.
KINDS = ("positions", "flights", "events", "health")
LIMITS = {"retention_positions_days": 90, "retention_flights_days": 90}


class World:
    """A machine with a clock that can be set, and an installation on it."""

    def __init__(self, sessions, engine, make_settings):
        self.sessions, self.engine, self.make_settings = sessions, engine, make_settings
        self.now, self.uptime, self.boot = BEGIN, timedelta(days=30), "first boot"
        self.settings = make_settings(**LIMITS)
        self.clock = None
        self.begin_service()

    def read(self):
        return Reading(self.now, (self.now - BEGIN - self.uptime).total_seconds(), self.boot)

    def begin_service(self, kinds=KINDS, **options):
        self.clock = RetentionClock(self.sessions, read=self.read, **options)
        self.pruner = Pruner(
            self.engine,
            self.sessions,
            self.settings,
            [kind for kind in FEATURES.retention_kinds() if kinds is None or kind.name in kinds],
            lambda seconds: False,
            clock=self.clock,
        )

    def wait(self, span):
        self.now += span
        self.uptime += span

    def set_clock(self, leap):
        self.now += leap

    def reboot(self, leap=timedelta()):
        self.now += leap
        self.uptime, self.boot = timedelta(minutes=6), f"boot at {self.now}"
        self.begin_service()

    def limit(self, **limits):
        self.settings = self.pruner.settings = self.make_settings(**{**LIMITS, **limits})

    def fill(self, days, per_day=4, begin=None):
        """Tracks and flights of so many days up to now, and one change of health."""
        begin = begin or self.now - days * DAY
        moments = [begin + number * DAY / per_day for number in range(round(days * per_day))]
        chunk = {"shard": 1, "aircraft": 1, "points": 1, "data": b"x"}
        flight = {"icao_hex": "4B1620", "military": False, "emergency": False, "messages": 1, "positions": 1,
                  "points": 1, "distance_nm": 1.0, "active": False}  # fmt: skip
        with writing(self.sessions) as session:
            session.execute(sa.insert(Chunk), [{**chunk, "slice_at": int(at.timestamp())} for at in moments])
            session.execute(sa.insert(Flight), [{**flight, "first_seen_at": at, "last_seen_at": at} for at in moments])

    def run(self):
        self.pruner.run()
        assert self.pruner.faults == {}
        return self.left()

    def left(self):
        """Days of tracks that there are before now."""
        with self.sessions() as session:
            oldest = session.scalar(sa.select(sa.func.min(Chunk.slice_at)))
        return None if oldest is None else (self.now - datetime.fromtimestamp(oldest, UTC)) / DAY

    def count(self):
        with self.sessions() as session:
            return [session.scalar(sa.select(sa.func.count()).select_from(table)) for table in (Chunk, Flight)]

    @property
    def hold(self):
        return self.clock.record.hold


@pytest.fixture
def world(database_url, make_settings):
    engine = create_engine(database_url)
    yield World(create_session_factory(engine), engine, make_settings)
    engine.dispose()


def settled(world, days=90):
    """An installation that has done its runs for long."""
    world.fill(days)
    world.run()
    assert world.hold is None
    return world.count()


def test_in_everyday_work_each_run_deletes_what_has_become_too_old(world):
    settled(world)
    for _ in range(6):
        world.wait(timedelta(minutes=10))
        world.fill(timedelta(minutes=10) / DAY, per_day=288)
        assert world.run() <= 90.01
    for _ in range(3):
        world.wait(DAY)
        assert world.run() <= 90.01
    assert world.clock.record.left == {}


def test_a_clock_three_years_ahead_deletes_nothing(world):
    before = settled(world)
    world.set_clock(YEARS)
    world.run()
    assert world.count() == before
    assert "the clock was set forward by 1,095 days" in world.hold.why
    # Neither do the next runs, nor another process of this machine, nor after a restart of the service.
    for _ in range(3):
        world.wait(HOUR)
        world.begin_service()
        world.run()
    assert world.count() == before
    assert world.hold.since == BEGIN + YEARS


@pytest.mark.parametrize("ahead", [YEARS, 100 * DAY])
def test_a_clock_that_is_ahead_after_a_start_of_the_machine_deletes_nothing(world, ahead):
    before = settled(world)
    world.reboot(ahead)
    # What is written by that clock says nothing for it.
    with writing(world.sessions) as session:
        session.add(HealthChange(at=world.now, part="bus", before="", after="ok", reason=""))
    world.run()
    assert world.count() == before
    assert "2026-05-31" in world.hold.why
    assert not world.hold.is_leap


def test_without_a_recorded_run_the_newest_row_speaks_for_the_clock(world):
    world.fill(90)
    before = world.count()
    world.set_clock(YEARS)
    world.run()
    assert world.count() == before
    assert world.hold is not None


def test_rows_of_the_future_say_nothing_for_the_clock(world):
    settled(world)
    world.fill(3, begin=world.now + YEARS)
    world.wait(timedelta(minutes=10))
    world.run()
    before = world.count()
    world.reboot(YEARS)
    world.run()
    assert world.hold is not None
    assert world.count() == before


def test_small_corrections_are_believed(world):
    settled(world)
    for leap in (timedelta(hours=2), timedelta(hours=-2), timedelta(seconds=3)):
        world.set_clock(leap)
        world.wait(timedelta(minutes=10))
        world.run()
        assert world.hold is None


def test_a_clock_that_is_right_again_is_believed_at_once(world):
    before = settled(world)
    world.set_clock(YEARS)
    world.run()
    world.wait(2 * HOUR)
    world.set_clock(-YEARS)
    world.run()
    assert world.hold is None
    assert world.count() == pytest.approx(before, abs=1)
    # Also where the machine was started in between.
    world.set_clock(YEARS)
    world.run()
    assert world.hold is not None
    world.reboot(-YEARS)
    world.run()
    assert world.hold is None


def test_a_clock_that_was_set_back_is_doubted_too(world):
    before = settled(world)
    world.set_clock(-30 * DAY)
    world.run()
    assert "set back by 30 days" in world.hold.why
    world.set_clock(30 * DAY)
    world.run()
    assert world.hold is None
    assert world.count() == before


def test_it_goes_on_by_itself_after_seven_days_without_another_leap(world):
    before = settled(world)
    world.set_clock(40 * DAY)
    world.run()
    world.wait(6 * DAY)
    world.run()
    world.set_clock(5 * DAY)
    world.run()
    since = world.hold.since
    assert since == world.now
    world.wait(timedelta(days=6, hours=23))
    world.run()
    assert world.count() == before
    assert world.hold.since == since
    world.wait(2 * HOUR)
    world.run()
    assert world.hold is None
    # And then in portions.
    assert world.count()[0] == before[0] - 12
    world.wait(timedelta(minutes=10))
    world.run()
    assert world.count()[0] == before[0] - 12
    world.wait(HOUR)
    world.run()
    assert world.count()[0] == before[0] - 24


def test_it_goes_on_after_a_word(world):
    before = settled(world)
    world.set_clock(10 * DAY)
    world.run()
    with writing(world.sessions) as session:
        confirm(session, COMMAND_LINE)
    world.wait(timedelta(minutes=1))
    world.run()
    assert world.hold is None
    assert world.count()[0] == before[0] - 12
    assert world.clock.record.left["positions"] == pytest.approx(7, abs=0.3)
    with world.sessions() as session:
        (entry,) = session.scalars(sa.select(AuditEntry).where(AuditEntry.action == "retention.clock_confirmed"))
    assert "set forward by 10 days" in entry.before["why"]


def test_a_word_is_for_the_clock_that_it_was_given_for(world):
    before = settled(world)
    world.set_clock(10 * DAY)
    world.run()
    with writing(world.sessions) as session:
        confirm(session, COMMAND_LINE)
    world.set_clock(YEARS)
    world.run()
    assert world.hold is not None
    assert world.count() == before


def test_a_word_holds_until_all_has_gone_although_nothing_new_is_stored(world):
    """The receiver is broken for months: what is stored is really too old."""
    settled(world, 12)
    world.reboot(120 * DAY)
    world.run()
    assert world.hold is not None
    with writing(world.sessions) as session:
        confirm(session, COMMAND_LINE)
    for _ in range(5):
        world.wait(HOUR)
        world.run()
        assert world.hold is None
    assert world.count() == [0, 0]


def test_a_person_at_the_command_line_has_all_deleted_at_once(world):
    settled(world)
    world.set_clock(60 * DAY)
    world.run()
    assert world.hold is not None
    world.begin_service(at_once=True)
    assert world.run() == pytest.approx(90, abs=0.3)
    assert world.hold is None
    world.begin_service()
    world.wait(HOUR)
    world.run()
    assert world.hold is None


def test_a_pause_is_made_up_in_portions_and_says_what_is_left(world):
    settled(world)
    world.reboot(5 * DAY)
    world.fill(1)
    runs = []
    for _ in range(3):
        runs.append(world.run())
        assert world.hold is None
        world.wait(timedelta(minutes=30))
    # Three days with each run of an hour.
    assert runs == pytest.approx([92, 92, 90], abs=0.3)
    assert world.clock.record.left == {}


def test_what_waits_is_said(world):
    settled(world)
    world.reboot(30 * DAY)
    world.fill(1)
    world.run()
    assert world.clock.record.left["positions"] == pytest.approx(27, abs=0.3)
    text = world.clock.record.describe()
    assert "27 days of positions" in text
    assert "3 days of data go in an hour" in text


def test_a_shortened_retention_goes_in_portions(world):
    settled(world)
    world.limit(retention_positions_days=85)
    assert world.run() == pytest.approx(87, abs=0.3)
    world.wait(timedelta(minutes=2))
    assert world.run() == pytest.approx(87, abs=0.3)
    world.wait(HOUR)
    assert world.run() <= 85.01


def test_without_a_recorded_run_the_first_ones_delete_in_portions(world):
    world.fill(100)
    assert world.run() == pytest.approx(97, abs=0.3)


def test_times_without_data_are_no_portions(world):
    settled(world, 10)
    world.wait(300 * DAY)
    world.fill(1)
    with writing(world.sessions) as session:
        confirm(session, COMMAND_LINE)
    for _ in range(6):
        world.run()
        if world.hold is not None:
            with writing(world.sessions) as session:
                confirm(session, COMMAND_LINE)
        world.wait(HOUR)
    assert world.left() <= 1.3


def test_a_run_that_is_killed_has_used_its_portion(world):
    settled(world)
    world.limit(retention_positions_days=30)
    world.pruner._pause = lambda seconds: True  # The process ends amid its work.
    for _ in range(5):
        world.begin_service()
        world.pruner.settings = world.settings
        world.run()
        world.wait(timedelta(minutes=1))
    assert world.left() >= 86.9


def test_limits_of_room_do_not_ask_the_clock(world):
    before = settled(world)
    world.set_clock(YEARS)
    world.limit(retention_positions_mb=0.01)
    world.run()
    assert world.hold is not None
    assert 0 < world.count()[0] < before[0]
    assert world.count()[1] == before[1]


def test_what_is_kept_for_no_longer_than_a_portion_is_not_held_against_the_clock(world):
    """A night without the service is longer than events are kept."""
    settled(world)
    world.reboot(5 * DAY)
    world.run()
    assert world.hold is None


def test_every_kind_of_data_has_its_cutoff_from_the_clock(world):
    """One mechanism for all: what has an age is emptied up to a cut-off that the clock gives, or not at all."""
    world.begin_service(kinds=None)
    settled(world)
    asked = []
    world.pruner._remove = lambda kind, which, at_most=None, before=None: asked.append((kind.name, before))
    world.run()
    limited = {kind.name for kind in world.pruner.kinds if kind.days(world.settings)}
    assert {name for name, before in asked} == limited
    assert len(limited) > 15
    assert all(before <= world.now for _, before in asked)
    asked.clear()
    world.set_clock(YEARS)
    world.run()
    assert asked == []


def test_deleters_remember_apart_and_are_confirmed_together(world):
    settled(world)
    archive = RetentionClock(world.sessions, "archive", read=world.read)
    archive.begin([])
    world.set_clock(YEARS)
    world.run()
    archive.begin([])
    with world.sessions() as session:
        assert {name for name, record in records(session).items() if record.hold} == {"rows", "archive"}
    with writing(world.sessions) as session:
        confirm(session, COMMAND_LINE)
    archive.begin([])
    world.run()
    with world.sessions() as session:
        assert all(record.hold is None for record in records(session).values())


def test_a_record_of_another_release_is_as_none(world):
    settled(world)
    with writing(world.sessions) as session:
        session.get(StoredSetting, "(retention rows)").value = '{"at": 7}'
    world.wait(timedelta(minutes=10))
    world.run()
    assert world.hold is None


def test_the_clock_of_this_machine():
    first, second = read_clock(), read_clock()
    assert first.boot == second.boot != ""
    assert abs(first.offset_s - second.offset_s) < 1
