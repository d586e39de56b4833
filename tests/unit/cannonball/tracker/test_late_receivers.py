"""A tracker that starts with an empty picture and without locations ends and announces nothing before it knows."""

import threading
import time

import pytest

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern, KnownAircraft
from skywatch.cannonball.monitor import DETECTIONS_EVERY_S
from skywatch.cannonball.tracker.interests.detections import Detections
from skywatch.cannonball.tracker.interests.inherited import FOUND_AGAIN_S
from skywatch.core.clock import to_datetime
from skywatch.core.database.engine import writing
from tests.cannonball import HERE, POLICE, Stage, add_known, add_users, orbit, straight
from tests.waiting import until

pytestmark = [
    pytest.mark.deep("walks a corpus"),
    pytest.mark.portable(
        "sends what others send",
        but=[
            "test_a_flight_of_a_known_aircraft_counts_once_with_or_without_a_restored_picture",
            "test_a_pattern_that_its_aircraft_left_meanwhile_ends_when_that_is_seen",
            "test_a_session_goes_on_when_location_and_aircraft_come_back_late",
            "test_a_session_of_a_lost_aircraft_ends_when_the_picture_is_complete",
            "test_a_session_whose_aircraft_has_left_the_radius_meanwhile_ends_at_once",
            "test_a_user_who_ends_the_location_after_the_start_ends_the_session",
        ],
    ),
]

LATE_S = 20
COOLDOWNS = ("le_detected", "overhead", "threat_escalated", "threat_cleared", "closing_fast")


@pytest.fixture
def installation(make_runtime, database_url):
    """Opens the installation again, as another process does: a bus in memory begins empty."""

    def open_again(**settings):
        # Nothing but memory keeps alerts from being repeated.
        pauses = {f"cannonball_cooldown_{kind}_s": 0 for kind in COOLDOWNS}
        return make_runtime(database_url=database_url, **{**pauses, **settings})

    runtime = open_again()
    add_users(runtime, 1)
    add_known(runtime, "3C1234,D-HBPA,Bundespolizei\n")
    return open_again


@pytest.fixture
def begin(installation):
    """Starts a tracker at a time."""
    stages = []

    def start(at, **settings):
        stage = Stage(installation(**settings), start=at)
        stages.append(stage)
        stage.start()
        stage.tick()
        assert stage.monitor._is_restored
        return stage

    yield start
    for stage in stages[-1:]:
        stage.close()


def near(lat):
    """A helicopter that stands in the air."""
    return straight(lat, 8.0, 0.0, 0.0)


def states(stage):
    return [(row.id, row.is_active, row.end_reason) for row in stage.rows(CannonballSession)]


@pytest.mark.parametrize("away_s", [1, 240])
def test_a_session_goes_on_when_location_and_aircraft_come_back_late(begin, away_s):
    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(POLICE, 10, near(47.1))
    first.close()
    ((session_id, *_),) = states(first)
    again = begin(first.now + away_s)
    again.silence(LATE_S)
    again.fly(POLICE, 5, near(47.1))
    again.locate(1, *HERE)
    again.fly(POLICE, 100, near(47.1))
    until(lambda: again.monitor._writer._queue.depth == 0)
    assert states(again) == [(session_id, True, None)]
    assert again.alert_types() == []
    assert [alert.alert_type for alert in again.rows(CannonballAlert)] == ["le_detected"]


def test_a_session_of_a_long_lost_aircraft_goes_on_until_the_picture_is_complete(begin):
    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(POLICE, 10, near(47.1))
    first.close()
    again = begin(first.now + 285)
    again.locate(1, *HERE)
    again.silence(LATE_S)
    again.fly(POLICE, 100, near(47.1))
    assert states(again)[0][1:] == (True, None)
    assert again.alert_types() == []


def test_a_session_of_a_lost_aircraft_ends_when_the_picture_is_complete(begin):
    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(POLICE, 10, near(47.1))
    first.close()
    again = begin(first.now + 285)
    again.locate(1, *HERE)
    again.silence(50)
    assert states(again)[0][1] is True
    again.silence(15)
    again.close()
    assert states(again)[0][1:] == (False, "unseen")


def test_a_session_without_a_location_ends_when_the_last_one_would_have_expired(begin):
    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(POLICE, 10, near(47.1))
    first.close()
    again = begin(first.now, cannonball_location_ttl_s=90)
    again.fly(POLICE, 80, near(47.1))
    assert states(again)[0][1] is True
    again.fly(POLICE, 15, near(47.1))
    again.close()
    assert states(again)[0][1:] == (False, "location_gone")


def test_a_user_who_ends_the_location_after_the_start_ends_the_session(begin):
    from skywatch.cannonball.location import LocationStore

    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(POLICE, 10, near(47.1))
    first.close()
    again = begin(first.now)
    again.fly(POLICE, 5, near(47.1))
    LocationStore(again.runtime.bus).delete(1)
    again.fly(POLICE, 5, near(47.1))
    again.close()
    assert states(again)[0][1:] == (False, "location_gone")


def test_a_session_whose_aircraft_has_left_the_radius_meanwhile_ends_at_once(begin):
    first = begin(time.time())
    first.locate(1, *HERE, radius_nm=10)
    first.fly(POLICE, 10, near(47.1))
    first.close()
    again = begin(first.now + 60)
    again.locate(1, *HERE, radius_nm=10)
    again.fly(POLICE, 5, near(47.5))
    again.close()
    assert states(again)[0][1:] == (False, "left_area")


def test_an_aircraft_that_stays_overhead_is_announced_once(begin):
    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(POLICE, 10, near(47.005), alt_baro=1500)
    first.close()
    before = first.alert_types()
    assert before.count("overhead") == 1
    again = begin(first.now)
    again.locate(1, *HERE)
    again.silence(LATE_S)
    again.fly(POLICE, 30, near(47.01), alt_baro=1500)
    assert again.alert_types() == []


def test_a_session_that_its_user_ended_is_not_opened_again_by_a_start(begin):
    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(POLICE, 10, near(47.1))
    ((session_id, *_),) = until(lambda: states(first), "the session is stored")
    with writing(first.runtime.sessions) as db:
        row = db.get(CannonballSession, session_id)
        row.is_active, row.ended_at, row.end_reason = False, to_datetime(first.now), "ended_by_user"
    first.fly(POLICE, 10, near(47.1))
    first.close()
    again = begin(first.now)
    again.silence(LATE_S)
    again.locate(1, *HERE)
    again.fly(POLICE, 60, near(47.1))
    again.close()
    assert [row[0] for row in states(again)] == [session_id]
    third = begin(again.now)
    third.locate(1, *HERE, radius_nm=5)
    third.fly(POLICE, 70, near(47.2))
    third.locate(1, *HERE, radius_nm=50)
    third.fly(POLICE, 5, near(47.2))
    third.close()
    assert len(states(third)) == 2, "it has left the radius"


@pytest.mark.parametrize(("away_s", "flights"), [(120, 1), (2400, 2)])
def test_a_flight_of_a_known_aircraft_counts_once_with_or_without_a_restored_picture(begin, away_s, flights):
    first = begin(time.time() - 2400)
    first.fly(POLICE, 10, near(47.1))
    # A flight of which the detection is long ago.
    first.now += 2390.0
    first.monitor._detections._seen_at = dict.fromkeys(first.monitor._detections._seen_at, first.now)
    first.fly(POLICE, 5, near(47.1))
    first.close()
    assert [known.times_detected for known in first.rows(KnownAircraft)] == [1]
    again = begin(first.now + away_s)
    again.silence(LATE_S)
    again.fly(POLICE, 5, near(47.1))
    again.close()
    assert [known.times_detected for known in again.rows(KnownAircraft)] == [flights]


def test_when_known_aircraft_were_seen_is_saved_while_the_tracker_runs(begin, monkeypatch):
    assert DETECTIONS_EVERY_S <= 60
    stage = begin(time.time())
    stage.fly(POLICE, 3, near(47.1))
    stage.monitor._save_detections()
    assert list(stage.monitor._detections.read(stage.runtime.sessions).values()) == [stage.now - 1]


def test_two_that_save_at_once_save_one_after_the_other(monkeypatch):
    entered, inside = threading.Barrier(2), []

    def write(sessions, rows):
        inside.append("in")
        time.sleep(0.02)
        inside.append("out")

    monkeypatch.setattr("skywatch.cannonball.tracker.interests.detections.saved.write", write)
    detections = Detections(300.0)

    def save(known_id):
        detections.restore({known_id: 1_000.0})
        entered.wait()
        detections.save(None, 1_000.0)

    savers = [threading.Thread(target=save, args=(known_id,)) for known_id in (1, 2)]
    for saver in savers:
        saver.start()
    for saver in savers:
        saver.join()
    assert inside in (["in", "out"], ["in", "out"] * 2)


# Found after two minutes.
CIRCLE = orbit(47.02, 8.0, 0.3, 120.0)
UNKNOWN = "a12345"


@pytest.mark.parametrize("away_s", [1, 240])
def test_a_pattern_that_is_flown_over_a_start_is_one_pattern_and_announced_once(begin, away_s):
    pauses = {f"cannonball_cooldown_{kind}_s": 0 for kind in ("new_threat", "pattern_detected")}
    first = begin(time.time(), **pauses)
    first.locate(1, *HERE)
    first.fly(UNKNOWN, 180, CIRCLE)
    first.close()
    before = first.alert_types()
    (pattern,) = first.rows(FlightPattern)
    assert (pattern.ended_at, "new_threat" in before) == (None, True)
    again = begin(first.now + away_s, **pauses)
    again.silence(LATE_S)
    again.locate(1, *HERE)
    again.fly(UNKNOWN, 180, CIRCLE)
    again.close()
    (after,) = again.rows(FlightPattern)
    assert (after.key, after.started_at, after.ended_at) == (pattern.key, pattern.started_at, None)
    assert after.duration_s >= pattern.duration_s + away_s
    assert again.alert_types() == []
    assert [row[1] for row in states(again)] == [True]


def test_a_pattern_that_its_aircraft_left_meanwhile_ends_when_that_is_seen(begin):
    first = begin(time.time())
    first.locate(1, *HERE)
    first.fly(UNKNOWN, 180, CIRCLE)
    first.close()
    again = begin(first.now)
    again.locate(1, *HERE)
    again.silence(LATE_S)
    (pattern,) = again.rows(FlightPattern)
    assert pattern.ended_at is None
    again.fly(UNKNOWN, 5, straight(47.3, 8.0, 0.0, 140.0))
    again.close()
    (pattern,) = again.rows(FlightPattern)
    assert pattern.ended_at is not None


def test_a_pattern_that_is_not_found_again_ends_in_time(begin):
    first = begin(time.time())
    first.fly(UNKNOWN, 180, CIRCLE)
    first.close()
    again = begin(first.now)
    again.silence(int(FOUND_AGAIN_S) - 10, every_s=5)
    assert again.rows(FlightPattern)[0].ended_at is None
    again.silence(20)
    again.close()
    assert again.rows(FlightPattern)[0].ended_at is not None
