"""What is in the database by the time somebody is told of it."""

import json

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.cannonball.location import LocationStore
from skywatch.cannonball.models import CannonballSession, FlightPattern, SessionPattern
from skywatch.cannonball.sessions.messages import session_message
from skywatch.cannonball.tracker.interests.interest import Interest
from skywatch.cannonball.tracker.session import LiveSession
from skywatch.cannonball.tracker.storage.changes import session_change
from skywatch.cannonball.tracker.storage.records import write
from skywatch.cannonball.vocabulary import Identification
from skywatch.core.database.engine import writing
from tests.cannonball import HERE, POLICE, Stage, add_known, add_users, orbit
from tests.waiting import until


@pytest.mark.deep("costs over a processor second")
def test_a_pattern_is_tied_to_its_session_when_its_alert_is_told(make_runtime):
    # The numbers of a running session are written seldom: the alert comes first.
    runtime = make_runtime(cannonball_flush_s=30.0)
    add_users(runtime, 1)
    add_known(runtime, "3C1234,D-HBPA,Bundespolizei\n")
    told = []

    def on_message(message):
        alert = json.loads(message.data)
        if alert.get("alert_type") == "pattern_detected":
            with runtime.sessions() as db:
                ties = db.execute(sa.select(SessionPattern.session_id, SessionPattern.pattern_id)).all()
            told.append((ties, (alert["session"], alert["pattern"])))

    runtime.bus.subscribe(["alerts"], on_message)
    stage = Stage(runtime)
    stage.start()
    stage.locate(1, *HERE)
    stage.fly("3c1234", 550, orbit(47.02, 8.0, 0.7, 80.0))
    stage.close()
    ((ties, pair),) = told
    assert ties == [pair]


def test_a_session_of_a_deleted_user_does_not_end_one_that_began_later(stage):
    stage.locate(1, *HERE)
    stage.fly("3c1234", 2, orbit(47.02, 8.0, 0.7, 80.0))
    until(lambda: stage.rows(CannonballSession))
    (first,) = stage.rows(CannonballSession)
    with writing(stage.runtime.sessions) as db:
        db.execute(sa.delete(User).where(User.id == first.user_id))
    # The tracker learns of the deletion when the next session has begun.
    stage.locate(2, *HERE)
    stage.fly("3c1234", 2, orbit(47.02, 8.0, 0.7, 80.0))
    until(lambda: stage.rows(CannonballSession))
    LocationStore(stage.runtime.bus).delete(1)
    stage.fly("3c1234", 2, orbit(47.02, 8.0, 0.7, 80.0))
    stage.close()
    (second,) = stage.rows(CannonballSession)
    assert (second.user_id, second.is_active, second.end_reason) == (2, True, None)
    assert second.id > first.id


def test_numbers_of_a_session_are_written_and_told_unless_somebody_has_ended_it(stage):
    stage.locate(1, *HERE)
    stage.fly("3c1234", 2, orbit(47.02, 8.0, 0.7, 80.0))
    until(lambda: stage.rows(CannonballSession))
    stage.close()
    (row,) = stage.rows(CannonballSession)
    live = LiveSession(1, "3c1234", Interest(Identification.PATTERN), row.started_at.timestamp(), row.id)
    told = []
    stage.runtime.bus.subscribe(["alerts"], told.append)
    live.distance_nm = live.closest_nm = 1.234
    live.last_seen = row.last_seen.timestamp() + 1
    with writing(stage.runtime.sessions) as db:
        assert write(db, [session_change("updated", live)]).ended_elsewhere == []
    (row,) = stage.rows(CannonballSession)
    assert (row.distance_nm, row.is_active) == (1.234, True)
    assert [message.data for message in told] == [session_message(row).data]
    with writing(stage.runtime.sessions) as db:
        db.execute(sa.update(CannonballSession).values(is_active=False, end_reason="ended_by_user"))
    live.distance_nm = 5.678
    with writing(stage.runtime.sessions) as db:
        assert write(db, [session_change("updated", live)]).ended_elsewhere == [row.id]
    (row,) = stage.rows(CannonballSession)
    assert (row.distance_nm, row.is_active, row.end_reason) == (1.234, False, "ended_by_user")
    assert len(told) == 1


@pytest.mark.deep("costs over a processor second")
def test_records_of_an_aircraft_stay_hidden_whenever_it_was_reported_as_military(stage):
    stage.locate(1, *HERE)
    path = orbit(47.02, 8.0, 0.7, 80.0)
    stage.fly(POLICE, 500, path)
    until(lambda: stage.rows(FlightPattern))
    assert not any(row.military for row in stage.rows(FlightPattern))
    # One of the receivers reports it, for a while.
    stage.fly(POLICE, 120, lambda second: path(second + 500), dbFlags=1)
    stage.fly(POLICE, 120, lambda second: path(second + 620), dbFlags=0)
    stage.close()
    assert all(row.military for row in stage.rows(FlightPattern))
    assert all(row.military for row in stage.rows(CannonballSession))
