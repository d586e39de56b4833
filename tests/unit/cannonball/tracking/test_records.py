"""What is in the database by the time somebody is told of it."""

import json

import sqlalchemy as sa

from skywatch.cannonball.models import SessionPattern
from tests.cannonball import Stage, add_known, add_users, orbit

HERE = (47.0, 8.0)


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
