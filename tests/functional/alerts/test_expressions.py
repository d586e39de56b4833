"""Regular expressions through the API: compiled once, within budgets, and stored ones of an older version."""

from __future__ import annotations

import json
from unittest.mock import ANY

import pytest
import sqlalchemy as sa

from skywatch.alerts.models import AlertRule
from skywatch.alerts.revision import raise_revision
from skywatch.core.database.engine import writing
from skywatch.core.text.expressions import ExpressionCache
from tests.alerts import LOW, aircraft, test_of

pytestmark = pytest.mark.portable(
    "sends what others send", but=["test_a_stored_rule_beyond_the_budget_can_be_switched_off_and_mended"]
)

URL = "/api/v1/alerts/"


def matching(*texts):
    return {"any": [test_of("flight", "matches", text) for text in texts]}


TOO_MANY = matching(*(rf"(\pL\pN){{29}}N{i}" for i in range(100)))
TOO_LONG = matching(*(f"{i:02d}" + "l" * 480 for i in range(10)))


@pytest.fixture(autouse=True)
def expressions(monkeypatch):
    """A cache of this test's own."""
    cache = ExpressionCache()
    monkeypatch.setattr("skywatch.alerts.conditions.values.expressions", cache)
    return cache


@pytest.fixture
def call(client):
    def call(method, path, body, status=None, who="olga"):
        return client.request(
            URL + path,
            method=method,
            body=json.dumps(body).encode(),
            content_type="application/json",
            headers=client.people[who],
            status=status,
        )

    return call


@pytest.fixture
def old_rule(client, add_rule, stage):
    """Stores conditions as a version without budgets accepted them."""

    def add(conditions):
        rule = add_rule()
        with writing(client.runtime.sessions) as session:
            change = sa.update(AlertRule).where(AlertRule.id == rule["id"])
            session.execute(change.values(conditions=conditions, revision=AlertRule.revision + 1))
            raise_revision(session)
        stage.reload()
        return rule["id"]

    return add


def faults(response):
    return {error["name"]: error["detail"] for error in response.json["errors"]}


@pytest.mark.parametrize(
    ("conditions", "words"),
    [(TOO_MANY, "holds 100 tests with matches; at most 20"), (TOO_LONG, "4820 bytes in all; at most 4096")],
)
def test_every_way_in_has_the_budget(call, add_rule, expressions, conditions, words):
    rule = add_rule()
    before = expressions.compilations
    body = {"name": "Many", "conditions": conditions}
    assert words in faults(call("POST", "rules", body, 400))["conditions"]
    assert words in faults(call("PATCH", f"rules/{rule['id']}", {"conditions": conditions}, 400))["conditions"]
    assert words in faults(call("POST", "rules/test", {"rule": body, "aircraft": []}, 400))["rule.conditions"]
    imported = call("POST", "rules/import", {"version": 1, "rules": [body]}, 400)
    assert words in faults(imported)["rules.0.conditions"]
    assert expressions.compilations == before


def test_an_import_is_counted_as_a_whole_before_it_is_compiled(call, expressions):
    rules = [{"name": "R", "conditions": matching(*(f"{n}i{i}" + "i" * 190 for i in range(20)))} for n in range(9)]
    before = expressions.compilations
    refused = call("POST", "rules/import", {"version": 1, "rules": rules}, 400)
    assert "at most 32768 are allowed" in faults(refused)["rules"]
    assert expressions.compilations == before
    assert call("POST", "rules/import", {"version": 1, "rules": rules[:8]}, 200).json["rules"] == 8
    assert expressions.compilations == before + 160


@pytest.mark.parametrize("path", ["rules", "rules/test", "rules/import"])
def test_a_request_compiles_each_expression_once(call, expressions, path):
    rule = {"name": "Once", "conditions": matching(*(f"once{i}{path}" for i in range(20)))}
    body = {
        "rules": rule,
        "rules/test": {"rule": rule, "aircraft": [aircraft()]},
        "rules/import": {"version": 1, "rules": [rule]},
    }[path]
    before = expressions.compilations
    call("POST", path, body)
    assert expressions.compilations == before + 20


def test_the_tracker_shares_what_the_api_compiled(call, expressions, add_rule, stage):
    conditions = matching("^shared[0-9]$")
    before = expressions.compilations
    for who in ("olga", "otto"):
        add_rule(who, conditions=conditions)
    assert expressions.compilations == before + 1
    stage.tick(aircraft(flight="SHARED1"))
    assert len(stage.told("alert:triggered")) == 2


def test_a_stored_rule_beyond_the_budget_is_not_in_force_and_says_so(client, stage, add_rule, call, old_rule):
    number = old_rule({"any": [*TOO_MANY["any"], LOW]})
    add_rule(name="Other")
    stage.tick(aircraft())
    assert [alert["rule_name"] for alert in stage.told("alert:triggered")] == ["Other"]
    by_id = {rule["id"]: rule for rule in call("GET", "rules", {}).json["rules"]}
    assert by_id.pop(number)["fault"] == "conditions: holds 100 tests with matches; at most 20 are allowed"
    assert [rule["fault"] for rule in by_id.values()] == [None]
    tried = call("POST", f"rules/{number}/test", {"aircraft": [aircraft()]}, 400)
    assert faults(tried) == {"conditions": ANY}


def test_a_stored_rule_beyond_the_budget_can_be_switched_off_and_mended(stage, call, old_rule):
    number = old_rule(TOO_MANY)
    assert "conditions" in faults(call("PATCH", f"rules/{number}", {"name": "Renamed"}, 400))
    assert call("PATCH", f"rules/{number}", {"enabled": False, "name": "Off"}, 200).json["fault"] is None
    assert "conditions" in faults(call("PATCH", f"rules/{number}", {"enabled": True}, 400))
    mended = call("PATCH", f"rules/{number}", {"enabled": True, "conditions": matching("^SWR")}, 200).json
    assert (mended["fault"], mended["name"]) == (None, "Off")
    stage.reload()
    assert call("GET", f"rules/{number}", {}).json["fault"] is None


def test_a_stored_expression_that_needs_too_much_memory_is_named(call, old_rule):
    number = old_rule(matching(r"(\pL\pN){29}N"))
    assert "conditions.any.0.value: needs more than 128 kB" in call("GET", f"rules/{number}", {}).json["fault"]


def test_a_geofence_that_a_refused_rule_names_is_in_use(call, old_rule):
    square = {"type": "Polygon", "coordinates": [[[8, 47], [9, 47], [9, 48], [8, 48], [8, 47]]]}
    fence = call("POST", "geofences", {"name": "Zone", "geometry": square}, 201).json["id"]
    old_rule({"any": [*TOO_MANY["any"], test_of("geofence", "within", fence)]})
    call("DELETE", f"geofences/{fence}", {}, 409)
