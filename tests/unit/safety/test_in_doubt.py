"""What strangers say of aircraft raises no alarm, and silences none."""

import dataclasses
import json
import random

import pytest

from skywatch.core.database.engine import writing
from skywatch.notify.models import Delivery
from skywatch.picture.state.doubt import unsure_aircraft
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.detection.learnt_places import Learner
from skywatch.safety.events import storage
from skywatch.safety.events.tracker import EventTracker
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.notifying import add_channel, add_user
from tests.unit.safety.drawn import START, Drawn, found, of_type, skies, straight
from tests.unit.safety.test_integrity import at

ONE, SAME_OWNER, TWO = (
    Voice("user-1", "192.0.2.1/32"),
    Voice("user-1", "198.51.100.7/32"),
    Voice("user-2", "203.0.113.9/32"),
)
VOICES = {"one": ONE, "same owner": SAME_OWNER, "two": TWO}
LEVEL = straight(0, 0, 9000, 200, 90)
FALLING = straight(0, 0, 30_000, 300, 90, -8000)
SINGLE, UNCONFIRMED = "heard by one feeder only", "not confirmed by our receivers"


def heard(address, receiver, path=LEVEL, **drawn):
    return Drawn(address, path, receiver=receiver, **drawn)


def events_of(aircraft, seconds=25, thresholds=None):
    return found(skies(aircraft, seconds, voices=VOICES), thresholds)


def told(events):
    """Type, severity and whether it is in doubt, of each event that was raised."""
    return [(event.finding.type, event.finding.severity, event.finding.in_doubt) for event in events if event.raised]


def invented(kind, receivers):
    """What a stranger invents to raise events of a kind, the same by each of these receivers."""
    fields, path, other = {"category": "A3"}, LEVEL, []
    if kind == "emergency_squawk":
        fields |= {"squawk": "7700"}
    elif kind == "acas_ra":
        fields |= {"acas_ra": {"advisory": "Climb", "RAT": "0"}}
    elif kind == "extreme_vertical_rate":
        path = FALLING
    elif kind == "proximity":
        other = [heard("700002", receiver, straight(4, 0, 9000, 200, 270)) for receiver in receivers]
    return [*(heard("700001", receiver, path, fields=fields) for receiver in receivers), *other]


@pytest.mark.parametrize("kind", ["emergency_squawk", "acas_ra", "extreme_vertical_rate", "proximity"])
def test_what_one_owner_alone_invents_is_no_alarm(kind):
    as_ours = told(events_of(invented(kind, ["roof"])))
    assert [of for of, severity, _ in as_ours if severity != "info"] == [kind]
    for receivers in (["one"], ["one", "same owner"]):
        events = events_of(invented(kind, receivers))
        assert told(events) == ([(kind, "info", True)] if kind == "emergency_squawk" else [])
        assert all(SINGLE in event.finding.message for event in events)


def test_many_invented_emergencies_are_counted_as_information_and_apart():
    thresholds = Thresholds(aggregate_events=3)
    emergency = {"fields": {"squawk": "7700"}}
    ghosts = [heard(f"70000{n}", "one", straight(0.01 * n, 0, 9000, 200, 90), **emergency) for n in range(8)]
    assert {event[1:] for event in told(events_of(ghosts, 20, thresholds))} == {("info", True)}
    real = heard("4b0001", "roof", **emergency)
    sure = [event for event in events_of([*ghosts, real], 20, thresholds) if not event.finding.in_doubt]
    assert [(event.finding.hexes, event.finding.severity) for event in sure] == [(("4b0001",), "critical")]


def test_the_advisory_of_ours_is_told_whatever_strangers_say_of_the_threat():
    advised = {"acas_ra": {"advisory": "Climb", "RAT": "0", "threat_id_hex": "700001"}}
    crew = heard("4b0001", "roof", fields=advised)
    assert ("acas_ra", "critical", False) in told(events_of([crew, heard("700001", "one")]))


def test_invented_aircraft_teach_no_floors_and_no_runways():
    learners = []
    for receiver in ("one", "roof"):
        learner = Learner()
        airliners = [
            heard("700001", receiver, fields={"category": "A3"}),
            heard("700002", receiver, straight(0, 1, 0, 140, 90), fields={"category": "A3", "alt_baro": "ground"}),
        ]
        found(skies(airliners, 30, voices=VOICES), learner=learner)
        learners.append((learner.count > 0, len(learner.runways()[0]) > 0))
    assert learners == [(False, False), (True, True)]


def test_invented_aircraft_do_not_hide_a_disturbed_region():
    def turning_bad(t):
        return {"nic": 0, "nac_p": 0} if t >= 25 else {}

    def fleet(first, receiver):
        paths = [straight(6 * n, 6 * (n % 2), 20_000 + 1000 * n, 400, 60 * n) for n in range(5)]
        return [heard(f"{first + n:06x}", receiver, path, changing=turning_bad) for n, path in enumerate(paths)]

    own, ghosts = fleet(0x4B0001, "roof"), fleet(0x700001, "one")
    for aircraft, expected in (([*own, *ghosts], 1), (ghosts, 0)):
        regions = of_type(events_of(aircraft, 80), "position_integrity")
        assert len([event for event in regions if event.finding.key.startswith("region:")]) == expected


@pytest.mark.parametrize("strangers", [["one"], ["one", "two"]])
def test_an_emergency_of_an_aircraft_that_ours_hear_is_one_when_ours_say_it(strangers):
    ours = heard("4b0001", "roof", changing=lambda t: {"squawk": "7700"} if t >= 20 else {})
    ghosts = [heard("4b0001", name, fields={"squawk": "7700", "emergency": "general"}) for name in strangers]
    events = events_of([ours, *ghosts], 15)
    assert told(events) == ([("emergency_squawk", "info", True)] if len(strangers) > 1 or events else [])
    assert all(UNCONFIRMED in event.finding.message for event in events)
    (event,) = events_of([ours, *ghosts], 35)
    assert (event.finding.severity, event.finding.in_doubt) == ("critical", False)
    assert UNCONFIRMED not in event.finding.message


def test_an_emergency_of_an_aircraft_that_strangers_hear_is_one_when_two_owners_say_it():
    def events(changing):
        return events_of([heard("4b0001", "one", fields={"squawk": "7700"}), heard("4b0001", "two", **changing)], 40)

    quiet = events({"fields": {"squawk": "1000"}})
    assert {severity for _, severity, _ in told(quiet)} <= {"info"}
    assert told(events({"fields": {"squawk": "7700"}})) == [("emergency_squawk", "critical", False)]
    late = told(events({"changing": lambda t: {"squawk": "7700"} if t > 20 else {}}))
    assert late == [("emergency_squawk", "critical", False)], "the same event, once it is confirmed"


@pytest.mark.parametrize("strangers", [["one"], ["one", "two"]])
def test_false_positions_that_strangers_say_of_an_aircraft_of_ours_are_information(strangers):
    ours = heard("4b0001", "roof", straight(0, 0, 9000, 240, 90))
    liars = [
        heard(
            "4b0001", name, straight(0, 0, 9000, 240, 90), changing=lambda t: at(240 * t / 3600, 40) if t >= 20 else {}
        )
        for name in strangers
    ]
    honest = [heard(f"4c{n:04x}", "one", straight(5 * n, -5, 20_000 + 1000 * n, 300, 60 * n)) for n in range(6)]
    assert {severity for _, severity, _ in told(events_of([ours, *liars, *honest], 80))} <= {"info"}


def test_a_leap_that_one_stranger_says_of_an_aircraft_of_strangers_is_information():
    path = straight(0, 0, 9000, 240, 90)
    leaping = {"changing": lambda t: at(0, 40) if 40 <= t < 46 else {}}

    def leaps(*heard_by):
        events = told(events_of(heard_by, 50))
        return [(kind, severity) for kind, severity, _ in events if kind == "position_integrity"]

    once = heard("4b0001", "two", path, heard=lambda t: t < 10)
    assert {severity for _, severity in leaps(heard("4b0001", "one", path, **leaping), once)} <= {"info"}
    assert leaps(heard("4b0001", "roof", path, **leaping)) == [("position_integrity", "warning")]


def test_who_goes_on_alone_with_an_aircraft_that_has_left_raises_no_alarm():
    """It was there, heard by ours, a moment ago; a stranger goes on with it and invents the rest."""
    seen = heard("4b0001", "roof", heard=lambda t: t < 5)
    invented_since = heard("4b0001", "one", FALLING, fields={"squawk": "7700"}, heard=lambda t: t >= 70)
    skies_ = list(skies([seen, invented_since], 95, voices=VOICES))
    assert told(found(iter(skies_))) == [("emergency_squawk", "info", True)]
    assert not skies_[-1].column("single_source").any()
    assert unsure_aircraft(skies_[-1]).tolist() == [True]


def test_what_ours_do_not_say_raises_nothing_where_strangers_say_it():
    mute = {"lat": None, "lon": None, "gs": None, "track": None, "baro_rate": None}
    crossing = straight(4, 0, 9000, 200, 270)
    ours = [heard("4b0001", "roof"), heard("4b0002", "roof", crossing, fields=mute)]
    strangers = [heard("4b0002", name, crossing) for name in ("one", "two")]
    assert told(events_of([*ours, *strangers])) == []
    assert [kind for kind, *_ in told(events_of([ours[0], heard("4b0002", "roof", crossing)]))] == ["proximity"]


@pytest.mark.parametrize("seed", range(3))
def test_drawn_strangers_change_no_alarm_of_ours(seed):
    draw = random.Random(seed)
    real = [
        heard(
            f"4b{n:04x}", "roof", straight(4 * n, draw.uniform(-1, 1), 9000, 200, draw.choice([90, 270])),
            fields={"squawk": draw.choice(["1000", "7700", "7600"]), "emergency": "none", "category": "A3"},
        )
        for n in range(5)
    ]  # fmt: skip
    lies = []
    for _ in range(8):
        name, target = draw.choice(list(VOICES)), draw.choice(real)
        path = draw.choice([target.path, FALLING, straight(draw.uniform(-9, 9), 0, 9000, 300, draw.uniform(0, 360))])
        said = {"squawk": draw.choice(["1000", "7500", "7700"]), "emergency": draw.choice(["none", "unlawful"])}
        lies.append(heard(draw.choice([target.hex, f"70{len(lies):04x}"]), name, path, fields=said))

    def alarms(aircraft):
        findings = [event.finding for event in events_of(aircraft, 30) if event.raised]
        return {(one.type, one.key, one.severity) for one in findings if one.severity != "info"}

    without = alarms(real)
    assert without
    assert alarms([*real, *lies]) == without


class Life:
    """The events of skies as they are stored, published and notified of."""

    def __init__(self, sessions):
        self.sessions, self.detectors, self.book, self.published = sessions, Detectors(), EventTracker(), []

    def play(self, skies_):
        for sky in skies_:
            changes = self.book.update(self.detectors.update(sky, Thresholds()), sky.now, Thresholds())
            with writing(self.sessions) as session:
                ids, messages = storage.write(session, changes)
                for live, row_id in ids:
                    live.id = row_id
            self.published += [(message.event, json.loads(message.data)) for message in messages]

    def severities(self, event):
        return [data["severity"] for name, data in self.published if name == event]


def test_an_emergency_that_is_confirmed_is_told_and_notified_of_again(make_runtime):
    runtime = make_runtime()
    add_channel(runtime.sessions, add_user(runtime.sessions), sources=["safety"])
    life = Life(runtime.sessions)
    emergency = {"squawk": "7700"}
    ghost = heard("4b0001", "one", fields=emergency)
    ours = heard("4b0001", "roof", fields=emergency, heard=lambda t: t >= 30)
    life.play(skies([ghost, ours], 25, voices=VOICES))
    assert life.severities("safety:event") == ["info"]
    # The tracker starts again.
    with runtime.sessions() as session:
        again = storage.read_active(session)
    assert [event.finding.in_doubt for event in again] == [True]
    life.detectors, life.book = Detectors(), EventTracker()
    life.book.restore(again, START + 26)
    life.play(skies([dataclasses.replace(ghost), dataclasses.replace(ours)], 60, began=START + 26, voices=VOICES))
    assert life.severities("safety:event") == ["info", "critical"]
    messages = [data["message"] for _, data in life.published]
    assert SINGLE in messages[0]
    assert SINGLE not in messages[-1]
    with runtime.sessions() as session:
        deliveries = session.query(Delivery).order_by(Delivery.id).all()
    assert [delivery.priority for delivery in deliveries] == ["info", "critical"]


def test_what_strangers_say_prolongs_no_emergency_that_was_sure():
    ghost = heard("4b0001", "one", fields={"squawk": "7700"})
    ours = heard("4b0001", "roof", changing=lambda t: {"squawk": "7700" if t < 20 else "1000"})
    soon = Thresholds(emergency_end_s=10)
    first, *others = events_of([ours], 45, soon)
    assert others == []
    sure, *doubtful = events_of([ours, ghost], 45, soon)
    assert sure.ended_at == first.ended_at
    assert {event.finding.severity for event in doubtful} <= {"info"}
