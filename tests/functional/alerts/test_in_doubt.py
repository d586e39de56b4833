"""Alerts about aircraft that only one feeder has heard: information, until they are confirmed."""

import pytest
import sqlalchemy as sa

from skywatch.acars.topics import RECEIVED
from skywatch.alerts.history.answers import alert_answer
from skywatch.alerts.models import Alert
from skywatch.alerts.published_rules import PublishedRules
from skywatch.core.bus.base import Message
from tests.alerts import LOW, aircraft, test_of
from tests.functional.alerts.conftest import URL

pytestmark = pytest.mark.portable("sends what others send")

WORDS = "heard by one feeder only"
SINGLE = {"single_source": True}
COOLDOWN_S = 300


def summary(alerts):
    """Address, priority and whether it says that it is in doubt, of each alert, oldest first."""
    return [(alert["icao_hex"], alert["priority"], WORDS in alert["message"]) for alert in reversed(alerts)]


@pytest.fixture
def states(stage):
    """What is published of rules by MQTT: whether each is active, and its number."""

    def read():
        with stage.runtime.sessions() as session:
            return [(state.active, state.count) for state in PublishedRules().rules(session)]

    return read


def test_what_only_one_feeder_has_heard_is_information_until_it_is_confirmed(stage, add_rule, history):
    add_rule(priority="critical", message="{callsign} is {priority}", cooldown_s=86_400)
    for _ in range(3):
        stage.tick(aircraft(**SINGLE))
    (alert,) = history()
    assert (alert["priority"], alert["message"]) == ("info", f"SWR1 is info ({WORDS})")
    assert alert["aircraft"]["single_source"] is True
    for _ in range(3):
        stage.tick(aircraft())
    assert summary(history()) == [("4B1601", "info", True), ("4B1601", "critical", False)]
    sure, doubtful = history()
    assert (sure["message"], sure["cleared_at"]) == ("SWR1 is critical", None)
    assert doubtful["cleared_at"] is not None
    assert [told["priority"] for told in stage.told("alert:triggered")] == ["info", "critical"]


def test_what_nobody_confirmed_begins_no_cooldown_for_what_is_real(stage, add_rule, history):
    add_rule(priority="critical", cooldown_s=COOLDOWN_S)
    stage.tick(aircraft(**SINGLE))
    stage.tick(aircraft(alt_baro=9000, **SINGLE))
    stage.tick(aircraft(**SINGLE))
    assert summary(history()) == [("4B1601", "info", True)], "it has one for what is in doubt"
    stage.tick(aircraft(alt_baro=9000, **SINGLE))
    stage.tick(aircraft())
    assert summary(history())[1:] == [("4B1601", "critical", False)]
    stage.tick(aircraft(alt_baro=9000))
    stage.tick(aircraft())
    stage.tick(aircraft(alt_baro=9000))
    stage.tick(aircraft(**SINGLE))
    assert len(history()) == 2, "the cooldown of what is real"


@pytest.mark.parametrize("is_over", [False, True])
def test_a_restart_remembers_what_was_announced_in_doubt(stage, add_rule, history, is_over):
    add_rule(priority="warning", cooldown_s=COOLDOWN_S)
    stage.tick(aircraft(**SINGLE))
    if is_over:
        stage.tick(aircraft(alt_baro=9000, **SINGLE))
    stage.restart()
    stage.tick(aircraft(**SINGLE))
    assert len(history()) == 1
    stage.tick(aircraft())
    assert summary(history()) == [("4B1601", "info", True), ("4B1601", "warning", False)]
    stage.restart()
    stage.tick(aircraft())
    assert len(history()) == 2


def test_a_changed_rule_adopts_what_is_in_doubt_and_announces_it_once_confirmed(stage, add_rule, history, client):
    rule = add_rule(priority="critical")
    stage.tick(aircraft(**SINGLE))
    conditions = {"conditions": test_of("alt_baro", "lt", 6000)}
    client.patch_json(f"{URL}rules/{rule['id']}", conditions, headers=client.people["olga"])
    stage.reload()
    stage.tick(aircraft(**SINGLE))
    assert len(history()) == 1
    stage.restart()
    stage.tick(aircraft(**SINGLE))
    stage.tick(aircraft())
    assert summary(history())[1:] == [("4B1601", "critical", False)]


def test_a_number_that_holds_only_with_what_one_feeder_heard_is_information(stage, add_rule, history):
    add_rule(priority="critical", count={"op": "ge", "value": 2}, cooldown_s=0)
    invented = [aircraft(n, **SINGLE) for n in range(8, 11)]
    stage.tick(aircraft(1), *invented)
    assert summary(history()) == [(None, "info", True)]
    assert history()[0]["count"] == 4
    stage.tick(aircraft(1), aircraft(2), *invented)
    assert summary(history())[1:] == [(None, "critical", False)]
    assert history()[0]["count"] == 2
    assert {entry["icao_hex"] for entry in history()[0]["matched"]} == {"4B1601", "4B1602"}
    # Neither does what is invented keep it from ending, and from beginning again.
    stage.tick(aircraft(1), *invented)
    assert history()[0]["cleared_at"] is not None
    stage.tick(aircraft(1), *invented)
    stage.tick(aircraft(1), aircraft(2), *invented)
    assert summary(history())[2:] == [(None, "info", True), (None, "critical", False)]


def test_invented_aircraft_keep_no_rule_from_telling_that_few_are_left(stage, add_rule, history):
    add_rule(priority="critical", count={"op": "lt", "value": 2}, cooldown_s=0)
    invented = [aircraft(n, **SINGLE) for n in range(8, 11)]
    stage.tick(aircraft(1), aircraft(2), *invented)
    assert history() == []
    stage.tick(aircraft(1), *invented)
    assert summary(history()) == [(None, "critical", False)]


def test_what_is_in_doubt_switches_nothing_on_by_mqtt(stage, add_rule, states):
    add_rule("adam", mqtt=True)
    stage.tick(aircraft(**SINGLE))
    assert states() == [(False, 0)]
    stage.tick(aircraft())
    assert states() == [(True, 1)]


def test_rules_ask_for_what_only_one_feeder_has_heard(stage, add_rule, history):
    add_rule(name="Ghosts", conditions=test_of("single_source", "eq", True))
    add_rule(name="Sure", conditions={"all": [LOW, test_of("single_source", "eq", False)]}, priority="critical")
    stage.tick(aircraft(1, **SINGLE), aircraft(2))
    assert {(alert["rule_name"], alert["icao_hex"]) for alert in history()} == {
        ("Ghosts", "4B1601"),
        ("Sure", "4B1602"),
    }


def test_who_may_not_see_a_value_in_the_message_is_told_the_doubt(stage, add_rule, history):
    add_rule(message="{registration}")
    stage.tick(aircraft(r="HB-ABC", **SINGLE))
    assert history()[0]["message"] == f"HB-ABC ({WORDS})"
    with stage.runtime.sessions() as session:
        alert = session.scalars(sa.select(Alert)).one()
    assert alert_answer(alert, [], {"alerts.view"})["message"] == f"Low ({WORDS})"


def test_an_acars_message_that_we_received_is_no_doubt(stage, add_rule, history):
    add_rule(conditions=test_of("acars_label", "eq", "SQ"), priority="critical")
    stage.tick(aircraft(**SINGLE))
    stage.runtime.bus.publish(Message(RECEIVED, "message", b'{"icao_hex": "4B1601", "label": "SQ"}'))
    stage.tick(aircraft(**SINGLE))
    assert summary(history()) == [("4B1601", "critical", False)]


def test_a_dry_run_says_what_would_be_information(client):
    body = {
        "rule": {"name": "Low", "conditions": LOW, "for_s": 0, "priority": "critical"},
        "aircraft": [aircraft(1, **SINGLE), aircraft(2)],
    }
    answer = client.post_json(URL + "rules/test", body, headers=client.people["olga"]).json
    assert [(alert["priority"], WORDS in alert["message"]) for alert in answer["alerts"]] == [
        ("critical", False),
        ("info", True),
    ]
