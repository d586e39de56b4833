"""Safety events over a start whose picture is empty at first: none is ended before that is known, none begins again."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from skywatch.core.database.engine import create_session_factory
from skywatch.picture.state.clock import Completion
from skywatch.picture.state.sky import Sky
from skywatch.safety.detection.finding import SEVERITIES, TYPES, Closest, Finding, Position, Quantity
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import RESTORED_S, EventTracker, LiveEvent, change_of
from skywatch.safety.models import SafetyEvent
from skywatch.safety.monitor import SafetyMonitor
from tests.unit.safety.drawn import START, Drawn, skies, straight
from tests.waiting import until

pytestmark = pytest.mark.portable(
    "sends what others send", but=["test_an_event_lasts_over_a_start_whose_receiver_is_late"]
)

LATE_S = 20
CLIMB = {"ARA": "1000000", "RAT": "0", "advisory": "Climb", "threat_id_hex": "4b0002"}
OVER = {**CLIMB, "RAT": "1"}


def advised(from_s: float, to_s: float, over_s: float = 1e9) -> Any:
    """An advisory with a frame a second for a time, and then the terminated bit."""

    def fields(t: float) -> dict[str, Any]:
        if not from_s <= t <= to_s:
            return {"acas_ra": None}
        return {"acas_ra": {**(OVER if t >= over_s else CLIMB), "unix_timestamp": START + t}}

    return fields


# They meet after 72 s.
MEETING = (Drawn("4b0001", straight(0, 0, 9000, 200, 90)), Drawn("4b0002", straight(8, 0.2, 9000, 200, 270)))
# Near, but no longer closing: no detector that begins now raises it.
ABREAST = [Drawn("4b0001", straight(0, 0, 9000, 200, 90)), Drawn("4b0002", straight(0, 0.3, 9000, 200, 90))]
SQUAWK = (Drawn("4b0001", straight(0, 0, 9000, 200, 90), fields={"squawk": "7700"}),)


@functools.cache
def drawn_skies(aircraft: tuple[Drawn, ...], seconds: int) -> list[Sky]:
    """Skies for the tests with every database: drawing them costs as much as judging them."""
    return list(skies(aircraft, seconds))


class Stage:
    """The monitor over drawn traffic, with a database; another one takes up where it stopped."""

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime
        self.told: list[str] = []
        runtime.bus.subscribe(["safety"], lambda message: self.told.append(message.event))
        self.begin()

    def begin(self) -> None:
        self.monitor = SafetyMonitor(self.runtime)
        self.monitor._writer.start(60.0)
        self.completion = Completion(60.0)

    def restart(self) -> None:
        self.monitor._writer.close()
        self.begin()

    def run(self, drawn: list[Sky], *, silent_s: int = 0) -> None:
        """Ticks with these skies, the first ``silent_s`` of them without aircraft."""
        from skywatch.picture.state.sky import empty_sky

        for number, sky in enumerate(drawn):
            shown = sky
            if number < silent_s:
                shown = replace(empty_sky(sky.now, sky.epoch), seq=sky.seq)
            elif number == silent_s and number:
                columns = {**sky.columns, "previous_row": sky.columns["previous_row"] * 0 - 1}
                shown = replace(sky, columns=columns)
            self.monitor.on_tick(replace(shown, is_complete=self.completion.tick(sky.now)))
        until(lambda: self.monitor._queue.depth == 0)

    def rows(self) -> list[SafetyEvent]:
        with create_session_factory(self.runtime.engine)() as session:
            return session.query(SafetyEvent).order_by(SafetyEvent.id).all()

    def active(self, kind: str) -> list[bool]:
        """Whether each raised event of a type lasts."""
        return [row.ended_at is None for row in self.rows() if row.type == kind and not row.held_back]

    def close(self) -> None:
        self.monitor._writer.close()


@pytest.fixture
def stage(make_runtime, sqlite_url):
    stage = Stage(make_runtime(database_url=sqlite_url))
    yield stage
    stage.close()


@pytest.fixture
def stage_of_each(make_runtime, database_url):
    """A stage with every kind of database; what is read back is the same for each."""
    stage = Stage(make_runtime(database_url=database_url))
    yield stage
    stage.close()


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("away_s", [1, 300])
def test_an_event_lasts_over_a_start_whose_receiver_is_late(stage_of_each, away_s):
    drawn = drawn_skies(SQUAWK, 60 + away_s + 150)
    stage_of_each.run(drawn[:60])
    assert stage_of_each.active("emergency_squawk") == [True]
    stage_of_each.restart()
    stage_of_each.run(drawn[60 + away_s :], silent_s=LATE_S)
    assert stage_of_each.active("emergency_squawk") == [True]
    assert stage_of_each.told.count("safety:event") == 1
    assert "safety:event_resolved" not in stage_of_each.told


def test_an_event_of_a_lost_aircraft_ends_once_the_picture_is_complete(stage):
    drawn = drawn_skies(SQUAWK, 60 + 130)
    stage.run(drawn[:60])
    stage.restart()
    stage.run(drawn[60:120], silent_s=100)
    assert stage.active("emergency_squawk") == [True]
    stage.run(drawn[120:], silent_s=100)
    assert stage.active("emergency_squawk") == [False]


@pytest.mark.deep("costs over a processor second")
def test_an_encounter_that_is_over_meanwhile_ends(stage):
    drawn = drawn_skies(MEETING, 60 + 200)
    stage.run(drawn[:60])
    assert stage.active("proximity") == [True]
    stage.restart()
    stage.run(drawn[60:], silent_s=LATE_S)
    assert stage.active("proximity") == [False]
    assert stage.told.count("safety:event_resolved") == 1


def test_an_encounter_of_before_a_start_lasts_until_the_two_are_apart():
    from skywatch.safety.detection.aggregation import Aggregation
    from skywatch.safety.detection.conflicts.encounters import ProximityDetector
    from skywatch.safety.detection.frame import Frame
    from skywatch.safety.thresholds.thresholds import Thresholds

    finding = Finding(type="proximity", key="4b0001:4b0002", severity="warning", message="", hexes=("4b0001", "4b0002"))
    for findings, lasts in (([], False), ([finding], True)):
        detector = ProximityDetector(Aggregation())
        detector.restore(findings)
        drawn = list(skies(ABREAST, 60))
        # Only the picture of a start leaves an encounter of which nothing is received.
        for sky in (replace(sky, is_complete=False) for sky in drawn[LATE_S:]):
            last = detector.update(Frame(sky), Thresholds(), frozenset())
        assert bool(last) is lasts


def test_the_terminated_bit_ends_an_advisory_of_before_a_start(stage):
    fields = {"version": 2}
    flying = [
        Drawn("4b0001", straight(0, 0, 9000, 200, 90), fields=fields, changing=advised(20, 90, over_s=60 + LATE_S)),
        Drawn("4b0002", straight(0, 9, 9000, 200, 90)),
    ]
    drawn = list(skies(flying, 60 + 60))
    stage.run(drawn[:50])
    assert stage.active("acas_ra") == [True]
    stage.restart()
    stage.run(drawn[60:], silent_s=LATE_S)
    assert stage.active("acas_ra") == [False]
    assert len([row for row in stage.rows() if row.type == "acas_ra"]) == 1


@pytest.mark.deep("costs over a processor second")
def test_a_tracker_that_stood_still_ends_no_event(stage):
    drawn = drawn_skies(SQUAWK, 70 + 120 + 120)
    stage.completion._needed_s = 10
    stage.run(drawn[:70])
    stage.completion._needed_s = 60
    later = drawn[70 + 120 :]
    stage.run(later, silent_s=5)
    assert stage.active("emergency_squawk") == [True]
    assert stage.told.count("safety:event") == 1


def test_a_restored_event_is_not_ended_in_a_picture_that_is_not_complete():
    from skywatch.safety.thresholds.thresholds import Thresholds

    finding = Finding(type="emergency_squawk", key="4b0001:x", severity="critical", message="", hexes=("4b0001",))
    book = EventTracker()
    book.restore([LiveEvent(finding, START, START, START, id=1, raised=True)], START)
    late = START + RESTORED_S + 100
    assert book.update([], late, Thresholds(), is_complete=False) == []
    (change,) = book.update([], late + 1, Thresholds(), is_complete=True)
    assert change.step == "ended"


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("kind", TYPES)
def test_an_event_is_read_back_as_it_was_written(make_runtime, database_url, kind, severity):
    runtime = make_runtime(database_url=database_url)
    finding = Finding(
        type=kind,
        key="4b0001:4b0002",
        severity=severity,
        message="two aircraft",
        hexes=("4b0001", "4b0002"),
        callsigns=("SWR1", ""),
        numbers={
            "distance": Quantity(0.25, "nm"),
            "vertical": Quantity(300, "ft"),
            "words": Quantity("Climb"),
            "aircraft": Quantity(["4B0001", "4B0002"]),
        },
        position=Position(47.25, 8.5, 9000),
        closest=Closest(START + 12.5, 0.123, 250),
        suppressed_by=("formation",) if severity == "info" else (),
        military=True,
    )
    live = LiveEvent(finding, START, START + 5, START + 5, raised=severity != "info", closest=finding.closest)
    with create_session_factory(runtime.engine)() as session:
        storage.write(session, [change_of("began", live)])
        session.commit()
        (restored,) = storage.read_active(session)
    assert msgspec.structs.asdict(restored.finding) == msgspec.structs.asdict(finding)
    assert (restored.began_at, restored.last_at, restored.raised) == (live.began_at, live.last_at, live.raised)
    assert restored.closest == live.closest
