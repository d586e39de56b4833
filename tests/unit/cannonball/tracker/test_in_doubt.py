"""Aircraft that only one feeder has heard: nobody alone sounds the alarm, or keeps it from being sounded."""

import time

import pytest
from msgspec import UNSET

from skywatch.cannonball.models import CannonballAlert, CannonballSession, FlightPattern
from skywatch.core.geo import destination
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.receivers.reports.report import Report
from tests.cannonball import HERE, POLICE, Stage, add_known, add_users, orbit, report, straight

WORDS = "heard by one feeder only"
STRANGER, ANOTHER = Voice("user-1", "192.0.2.1/32"), Voice("user-2", "198.51.100.1/32")
PAST = straight(47.05, 8.0, 180.0, 120.0)


def told(stage):
    """The type and priority of each alert, and whether it says that it is in doubt."""
    alerts = stage.rows(CannonballAlert)
    return [(alert.alert_type, alert.priority, WORDS in alert.message) for alert in alerts]


def test_what_one_stranger_invents_is_information(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 100, PAST, voice=STRANGER, flight="PIROL12")
    stage.fly(POLICE, 100, orbit(47.0, 8.0, 0.3, 120.0), voice=STRANGER, flight="PIROL12", alt_baro=1500)
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.peak_threat_level, session.identification) == ("info", "known")
    kinds, priorities, doubts = zip(*told(stage), strict=True)
    assert {"le_detected", "overhead", "closing_fast"} <= set(kinds)
    assert (set(priorities), set(doubts)) == ({"info"}, {True})


@pytest.mark.parametrize("voice", [None, ANOTHER])
def test_once_it_is_confirmed_it_is_told_as_what_it_is(stage, voice):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 20, PAST, voice=STRANGER)
    assert {entry["level"] for entry in stage.timeline} == {"info"}
    for second in range(75):
        lat, lon, track, speed = PAST(second)
        stage.receive(report(POLICE, stage.now, lat, lon, track=track, gs=speed), voice=STRANGER)
        stage.fly(POLICE, 1, lambda _, at=second: PAST(at), voice=voice)
    stage.close()
    doubtful = [one for one in told(stage) if one[2]]
    sure = [one for one in told(stage) if not one[2]]
    assert ("le_detected", "info", True) in doubtful
    assert ("threat_escalated", "critical", False) in sure
    assert ("overhead", "critical", False) in sure


def test_alerts_in_doubt_begin_no_pause_for_sure_ones_also_after_a_restart(make_runtime):
    runtime = make_runtime()
    add_users(runtime, 1)
    add_known(runtime, "3C1234,D-HBPA,Bundespolizei\n")
    # Pauses are read by the clock of the computer.
    stage = Stage(runtime, time.time() - 700)
    stage.start()
    stage.locate(1, *HERE)
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0), voice=STRANGER)
    stage.silence(320, ((1, *HERE),), every_s=5)
    stage.close()
    later = Stage(runtime, stage.now)
    later.start()
    later.locate(1, *HERE)
    later.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0), voice=STRANGER)
    later.silence(320, ((1, *HERE),), every_s=5)
    later.fly(POLICE, 5, straight(47.05, 8.0, 180.0, 100.0))
    later.close()
    opened = [one for one in told(later) if one[0] == "le_detected"]
    assert opened == [("le_detected", "info", True), ("le_detected", "warning", False)]


def test_a_sure_alert_pauses_those_in_doubt_and_who_goes_on_alone_is_in_doubt(stage):
    stage.locate(1, *HERE)
    stage.fly(POLICE, 5, straight(47.2, 8.0, 180.0, 100.0))
    stage.silence(320, ((1, *HERE),), every_s=5)
    stage.fly(POLICE, 5, straight(47.05, 8.0, 180.0, 100.0), voice=STRANGER)
    stage.close()
    assert told(stage) == [("le_detected", "info", False)]
    assert {entry["level"] for entry in stage.timeline} == {"info"}


def without(path, *names, **fields):
    """What ours say of an aircraft on a path at each second, without these fields."""

    def said(stage, second):
        lat, lon, track, speed = path(second)
        one = report(POLICE, stage.now, lat, lon, **({"track": track, "gs": speed} | fields))
        for name in names:
            setattr(one, name, UNSET)
        if "lat" in names:
            one.position_at = 0.0
        return one

    return said


def beside(stage, ours, strangers, seconds):
    """Ours and one stranger speak of the same aircraft."""
    for second in range(seconds):
        stage.receive(ours(stage, second))
        stage.receive(strangers(stage, second), voice=STRANGER)
        stage.tick()


def test_a_place_that_a_stranger_invents_for_an_aircraft_of_ours_is_information(stage):
    stage.locate(1, *HERE)
    invented = orbit(47.0, 8.0, 0.3, 120.0)
    beside(stage, without(invented, "lat", "lon"), without(invented), 200)
    stage.close()
    alerts = stage.rows(CannonballAlert)
    assert {alert.priority for alert in alerts} == {"info"}
    assert all(alert.message.endswith("not confirmed by our receivers.") for alert in alerts)
    assert {entry["level"] for entry in stage.timeline} == {"info"}
    assert stage.rows(FlightPattern) == []


def test_what_a_stranger_adds_to_an_aircraft_of_ours_lowers_nothing(stage):
    stage.locate(1, *HERE)
    # It says that the aircraft stands on the ground.
    beside(stage, without(PAST, "alt_baro", "gs", "track"), without(PAST, alt_baro="ground", gs=0.0), 100)
    stage.close()
    assert ("overhead", "critical", False) in told(stage)
    assert not [doubt for _, _, doubt in told(stage) if doubt]
    (session,) = stage.rows(CannonballSession)
    assert session.peak_threat_level == "critical"


def test_a_callsign_that_a_stranger_invents_makes_no_aircraft_of_ours_one_of_interest(stage):
    stage.locate(1, *HERE)
    for second in range(20):
        lat, lon, track, speed = PAST(second)
        one = report("4b1601", stage.now, lat, lon, track=track, gs=speed)
        stage.receive(one)
        stage.receive(report("4b1601", stage.now, lat, lon, flight="POLICE1"), voice=STRANGER)
        stage.tick()
    stage.close()
    assert stage.rows(CannonballSession) == []


@pytest.mark.parametrize("flight", ["POLICE1", "SWR12"])
def test_the_callsign_that_ours_said_a_while_ago_is_believed_whatever_a_stranger_says(stage, flight):
    # Nobody is near before the callsign is old.
    for second in range(60):
        if second == 30:
            stage.locate(1, *HERE)
        lat, lon, track, speed = PAST(second)
        of_ours = {"flight": "POLICE1"} if second == 0 else {}
        stage.receive(report("4b1601", stage.now, lat, lon, track=track, gs=speed, **of_ours))
        stage.receive(report("4b1601", stage.now, lat, lon, flight=flight), voice=STRANGER)
        stage.tick()
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.identification, session.peak_threat_level) == ("callsign", "critical")


def hold(stage, distance_nm, seconds, voice=None):
    """The aircraft stays at a place north of the user; a stranger says so, or ours, who hear it all the time."""
    lat, lon = destination(*HERE, 0.0, distance_nm)
    for _ in range(seconds):
        stage.receive(Report(POLICE, at=stage.now, type="adsb_icao", alt_baro=1500, messages=1))
        stage.receive(report(POLICE, stage.now, lat, lon, gs=0.0), voice=voice)
        stage.tick()


@pytest.fixture
def now_stage(make_runtime):
    """A stage at the time of the computer, by whose clock pauses and sessions are read at a start."""
    runtime = make_runtime()
    add_users(runtime, 1)
    add_known(runtime, "3C1234,D-HBPA,Bundespolizei\n")
    stage = Stage(runtime, time.time() - 120)
    stage.start()
    stage.locate(1, *HERE)
    return stage


def restarted(stage):
    stage.close()
    later = Stage(stage.runtime, stage.now)
    later.start()
    later.locate(1, *HERE)
    return later


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("sure_nm", [None, 1.8])
def test_a_place_in_doubt_overhead_does_not_silence_the_sure_one(now_stage, sure_nm, is_restarted):
    stage = now_stage
    if sure_nm is not None:
        hold(stage, sure_nm, 5)
    hold(stage, 0.9, 25, voice=STRANGER)
    if is_restarted:
        stage = restarted(stage)
    hold(stage, 0.95, 5)
    stage.close()
    overhead = [
        (alert.priority, alert.in_doubt) for alert in stage.rows(CannonballAlert) if alert.alert_type == "overhead"
    ]
    assert overhead == [("info", True), ("critical", False)]
    (session,) = stage.rows(CannonballSession)
    assert session.closest_nm == pytest.approx(0.9 if sure_nm is None and is_restarted else 0.95, abs=0.01)


def test_a_place_in_doubt_far_away_does_not_end_a_session_that_was_sure_lately(stage):
    stage.locate(1, *HERE)
    hold(stage, 7.0, 5)
    hold(stage, 60.0, 40, voice=STRANGER)
    hold(stage, 1.5, 5)
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert (session.is_active, session.threat_level) == (True, "critical")
    assert ("threat_escalated", "critical", False) in told(stage)


def test_a_session_that_nobody_has_vouched_for_in_a_long_time_ends_by_a_place_in_doubt(stage):
    stage.locate(1, *HERE)
    hold(stage, 7.0, 5)
    unseen_s = int(stage.runtime.settings.cannonball_unseen_s)
    hold(stage, 60.0, 5, voice=STRANGER)
    stage.locate(1, *HERE)
    for _ in range(unseen_s // 10 + 3):
        hold(stage, 60.0, 1, voice=STRANGER)
        stage.now += 9.0
    stage.close()
    (session,) = stage.rows(CannonballSession)
    assert session.end_reason == "left_area"
