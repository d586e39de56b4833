"""Fields of rules that features declare: columns of the picture, and texts of events on any topic of the bus."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from skywatch.aircraft.schemas import FIELDS as AIRCRAFT_FIELDS
from skywatch.alerts.conditions.fields import all_fields, momentary
from skywatch.alerts.conditions.templates import fault_of
from skywatch.alerts.conditions.tree import Conditions, parse
from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.alerts.engine.messages import AircraftMessage
from skywatch.alerts.engine.program import Rights
from skywatch.alerts.engine.rule import Fired, Rule
from skywatch.alerts.history.announcement import message
from skywatch.alerts.history.answers import alert_answer
from skywatch.alerts.models import Alert
from skywatch.alerts.rules.checks import check_rights
from skywatch.alerts.rules.schemas import RuleFields
from skywatch.alerts.tracker.event_inbox import MESSAGES_LIMIT, Inbox
from skywatch.core import rule_fields
from skywatch.core.bus.base import Message
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem
from skywatch.core.rule_fields import RuleEvents, RuleField
from skywatch.features import FEATURES
from skywatch.security.visibility import Visibility
from tests.skies import sky_of

LANDINGS = RuleEvents(topic="balloons.landed", singular="a landing", plural="landings of balloons")
PILOT = RuleField(
    name="pilot", kind="text", meaning="Pilot", events=LANDINGS, member="name", permission="balloons.view_pilots"
)
FIELD = RuleField(name="landing_field", kind="text", meaning="Field", events=LANDINGS, member="field")
SPEED = RuleField(name="speed", kind="number", meaning="Speed", column="gs_kt")
NAME = RuleField(name="name", kind="text", meaning="Name", column="flight", permission="balloons.view_names")
SPECIAL = RuleField(name="special", kind="flag", meaning="Special", column="interesting")

SKY = sky_of({"hex": "4b1601", "flight": "SWR1A", "gs": 8.5})


@pytest.fixture(autouse=True)
def balloons(monkeypatch):
    monkeypatch.setattr(rule_fields, "DECLARED", dict(rule_fields.DECLARED))
    rule_fields.declare([PILOT, FIELD, SPEED, NAME, SPECIAL])


def engine_with(tree, rights=None):
    node, faults = parse(tree)
    assert node is not None, faults
    engine = Engine()
    engine.install(RuleSet((Rule(1, 1, node, for_s=0.0, rights=rights or Rights()),)), 0.0)
    return engine


def on(field, op, value):
    return {"field": field, "op": op, "value": value}


def test_every_field_of_a_live_aircraft_is_a_field_of_rules():
    # The ends of a route are fields of their own.
    assert AIRCRAFT_FIELDS - all_fields().keys() - {"route", "simulated"} == set()
    ghost = {"hex": "700001", "flight": "GHOST", "single_source": True, "disputed": ["altitude", "squawk"]}
    sky = sky_of(ghost, {"hex": "4b1601", "flight": "SWR1A"})
    sky.columns["single_source"][0] = True
    for field, op, value, address in (
        ("single_source", "eq", True, "700001"),
        ("single_source", "eq", False, "4b1601"),
        ("disputed", "contains", "altitude", "700001"),
    ):
        (fired,) = engine_with(on(field, op, value)).tick(sky)
        assert (fired.address, fired.in_doubt) == (address, address == "700001")


def test_events_of_any_topic_are_read_and_tested():
    inbox = Inbox(all_fields().values())
    assert set(inbox.topics) == {"acars.received", "airport_movements", "balloons.landed"}
    data = msgspec.json.encode({"icao_hex": "4B1601", "name": " Ada ", "field": None, "at": 5.0, "military": True})
    inbox.receive(Message("balloons.landed", "message", data))
    for unreadable in (b"not JSON", b'{"icao_hex": "4B1601", "name": 7}', b'{"name": "Ada"}', b"[]"):
        inbox.receive(Message("balloons.landed", "message", unreadable))
    (received,) = inbox.take()
    assert received == AircraftMessage("4b1601", 5.0, {"pilot": "ADA", "landing_field": ""}, military=True)
    engine = engine_with(on("pilot", "eq", "ada"))
    (fired,) = engine.tick(sky_of(), [received])
    assert fired.matched[0]["actual"] == "ADA"
    other = AircraftMessage("4b1602", 6.0, {"acars_text": "ADA"})
    changes = engine.tick(sky_of(), [other])
    assert not [change for change in changes if isinstance(change, Fired)], "another feature's event"


def test_events_beyond_the_limit_of_a_tick_are_not_tested():
    inbox = Inbox(all_fields().values())
    for _ in range(MESSAGES_LIMIT + 5):
        inbox.receive(Message("balloons.landed", "message", b'{"icao_hex": "4B1601", "name": "Ada"}'))
    assert len(list(inbox.take())) == MESSAGES_LIMIT
    assert list(inbox.take()) == []


@pytest.mark.parametrize(
    ("tree", "actual"),
    [
        (on("speed", "ge", 7), 8.5),
        (on("name", "starts_with", "swr"), "SWR1A"),
        (on("special", "eq", False), False),
    ],
)
def test_a_column_of_the_picture_is_a_field(tree, actual):
    engine = engine_with(tree)
    (fired,) = engine.tick(SKY)
    assert [entry["actual"] for entry in fired.matched] == [actual]


def test_a_rule_reads_no_field_that_its_owner_has_no_permission_for():
    visibility = Visibility(1, frozenset({"balloons.view_pilots"}))
    tree = on("name", "starts_with", "swr")
    assert engine_with(tree).tick(SKY)
    assert not engine_with(tree, Rights.of(visibility)).tick(SKY)
    with pytest.raises(Problem, match=r"A rule on name needs balloons\.view_names\."):
        check_rights(RuleFields(name="Balloons", conditions=Conditions.of(tree)), visibility)
    check_rights(RuleFields(name="Ada", conditions=Conditions.of(on("pilot", "eq", "ada"))), visibility)


def test_events_are_named_where_a_rule_cannot_wait_for_them():
    assert momentary() == "enters, leaves, movements at airports, ACARS messages and landings of balloons"


def test_messages_can_name_declared_fields():
    assert fault_of("{pilot} in {landing_field}") is None
    assert fault_of("{copilot}") == "{copilot} is not a field that a message can name"


def alert_of(*matched, text="Ada has landed"):
    return Alert(
        id=1, user_id=1, rule_id=1, rule_name="Landing", priority="info", icao_hex="4B1601", message=text, aircraft={},
        matched=[{"field": name, "op": "eq", "value": value, "actual": value} for name, value in matched],
        military=False, triggered_at=utcnow(), acknowledged=False,
    )  # fmt: skip


def test_a_value_is_shown_only_with_its_permission():
    alert = alert_of(("pilot", "Ada"), ("landing_field", "Thun"))
    shown = alert_answer(alert, [], {"balloons.view_pilots"})
    assert [entry["actual"] for entry in shown["matched"]] == ["Ada", "Thun"]
    assert shown["message"] == "Ada has landed"
    shown = alert_answer(alert, [], {"aircraft.view_details", "acars.view_full"})
    assert [entry["actual"] for entry in shown["matched"]] == [None, "Thun"]
    assert shown["message"] == "Landing", "the message names the pilot"


def test_an_event_of_an_alert_has_a_form_for_each_permission_that_its_values_need():
    forms = message("alert:triggered", alert_of(("pilot", "Ada"), ("name", "SWR1A")), [], 1).forms
    shown = {
        form.needs - {"aircraft.view_details"}: [entry["actual"] for entry in msgspec.json.decode(form.data)["matched"]]
        for form in forms
    }
    assert shown == {
        frozenset({"balloons.view_pilots", "balloons.view_names"}): ["Ada", "SWR1A"],
        frozenset({"balloons.view_pilots"}): ["Ada", None],
        frozenset({"balloons.view_names"}): [None, "SWR1A"],
    }
    assert message("alert:triggered", alert_of(("landing_field", "Thun")), [], 1).forms == ()


@pytest.mark.parametrize(
    ("field", "fault"),
    [
        (RuleField(name="flight", kind="text", meaning="", column="flight"), "has the name of a field of the picture"),
        (RuleField(name="callsign", kind="text", meaning="", column="flight"), "has the name of a field"),
        (RuleField(name="height", kind="number", meaning="", column="height"), "no column height of kind number"),
        (RuleField(name="height", kind="flag", meaning="", column="nic"), "no column nic of kind flag"),
    ],
)
def test_a_declaration_that_the_picture_contradicts_ends_the_start(field, fault):
    rule_fields.declare([field])
    with pytest.raises(ValueError, match=fault):
        all_fields()


def test_a_name_has_one_meaning():
    with pytest.raises(ValueError, match="rule field pilot is declared twice"):
        rule_fields.declare([RuleField(name="pilot", kind="text", meaning="Another", column="flight")])


def test_every_declared_field_of_the_installation_is_in_force():
    assert {field.name for field in FEATURES.provided(RuleField)} <= all_fields().keys()


def test_a_value_that_an_aircraft_does_not_have_is_null_and_unknown_to_other_tests():
    sky = sky_of({"hex": "4b1601"}, {"hex": "4b1602"}, {"hex": "4b1603"})
    # Never seen, seen 400 days ago, and not looked up yet.
    sky.columns["seen_before_days"][:] = [np.inf, 400.0, np.nan]
    for op, value, negated, expected in (
        ("is_null", True, False, ["4b1601"]),
        ("is_null", False, False, ["4b1602"]),
        ("is_null", True, True, ["4b1602"]),
        ("gt", 365, False, ["4b1602"]),
        ("gt", 500, True, ["4b1602"]),
        ("in", [400], False, ["4b1602"]),
    ):
        tree = on("seen_before_days", op, value)
        fired = engine_with({"not": tree} if negated else tree).tick(sky)
        assert [entry.address for entry in fired] == expected, (op, value, negated)
    for tree in (on("seen_before_days", "is_null", 1), on("gs", "is_null", True)):
        assert parse(tree)[0] is None
