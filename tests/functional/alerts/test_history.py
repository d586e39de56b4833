"""Announced alerts over HTTP: whose they are, what is hidden, acknowledging, filters, statistics and the dry run."""

import pytest

from skywatch.accounts.models import UserRole
from skywatch.core.clock import unix_to_iso, utcnow
from skywatch.core.database.engine import writing
from skywatch.notify.hooks import MqttSource
from tests.alerts import LOW, aircraft, test_of
from tests.functional.alerts.conftest import URL

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_details_are_for_holders_of_the_right_alone",
        "test_filters_and_pages",
        "test_military_aircraft_are_for_holders_of_the_right_alone",
        "test_the_first_who_acknowledges_counts",
        "test_what_is_published_over_mqtt",
    ],
)

MILITARY = "aircraft.view_military"


@pytest.fixture
def get(client):
    def read(path, who="olga", **kw):
        return client.get(URL + path, headers=client.people[who], **kw)

    return read


@pytest.fixture
def post(client):
    def send(path, body=None, who="olga", **kw):
        return client.post_json(URL + path, body or {}, headers=client.people[who], **kw)

    return send


def test_alerts_belong_to_the_rules_owner(stage, add_rule, get, post):
    add_rule()
    stage.tick(aircraft())
    (alert,) = get("history").json["alerts"]
    assert get(f"history/{alert['id']}").json == alert
    get(f"history/{alert['id']}", "otto", status=404)
    post(f"history/{alert['id']}/acknowledge", who="otto", status=404)
    assert get("history", "adam").json["count"] == 1
    assert get("stats", "otto").json["total"] == 0


def test_the_first_who_acknowledges_counts(stage, add_rule, get, post):
    add_rule()
    stage.tick(aircraft(1), aircraft(2))
    first, second = get("history").json["alerts"]
    done = post(f"history/{first['id']}/acknowledge").json
    assert (done["acknowledged"], done["acknowledged_by"]) == (True, "olga")
    again = post(f"history/{first['id']}/acknowledge", who="adam").json
    assert (again["acknowledged_by"], again["acknowledged_at"]) == ("olga", done["acknowledged_at"])
    assert post("history/acknowledge-all").json == {"acknowledged": 1}
    assert [event["id"] for event in stage.told("alert:acknowledged")] == [first["id"], second["id"]]
    assert get("history?acknowledged=false").json["count"] == 0


def test_clients_send_more_with_an_acknowledgement_than_is_read(stage, add_rule, get, post):
    add_rule()
    stage.tick(aircraft(1), aircraft(2))
    first, _ = get("history").json["alerts"]
    more = {"acknowledged": False, "note": "seen", "client": {"version": 2}}
    assert post(f"history/{first['id']}/acknowledge", more).json["acknowledged"] is True
    assert post("history/acknowledge-all", more).json == {"acknowledged": 1}
    post("history/acknowledge-all", [1], status=400)


def test_all_are_acknowledged_and_the_newest_are_told(stage, add_rule, get, post, monkeypatch):
    monkeypatch.setattr("skywatch.alerts.history.service.ANNOUNCED_AT_ONCE", 2)
    monkeypatch.setattr("skywatch.alerts.history.service.IDS_A_STATEMENT", 2)
    add_rule()
    stage.tick(*(aircraft(number) for number in range(5)))
    ids = sorted(alert["id"] for alert in get("history").json["alerts"])
    assert post("history/acknowledge-all").json == {"acknowledged": 5}
    assert [event["id"] for event in stage.told("alert:acknowledged")] == ids[-2:]
    assert {alert["acknowledged_by"] for alert in get("history").json["alerts"]} == {"olga"}
    assert post("history/acknowledge-all").json == {"acknowledged": 0}


def test_filters_and_pages(stage, add_rule, get):
    add_rule(name="Low 100%", priority="critical")
    add_rule(name="Callsign", conditions=test_of("flight", "eq", "swr2"))
    stage.tick(*(aircraft(number) for number in range(5)))
    rules = {alert["rule_name"]: alert["rule_id"] for alert in get("history").json["alerts"]}

    def count(query):
        return get(f"history?{query}").json["count"]

    assert count("") == 6
    assert count(f"rule={rules['Callsign']}") == 1
    assert count("icao_hex=4b1602") == 2
    assert count("priority=critical") == 5
    assert count("q=100%25") == 5
    assert count("q=swr2") == 2
    assert count("q=_") == 0
    assert count(f"to={unix_to_iso(stage.now + 1)}&from={unix_to_iso(stage.now)}") == 6
    assert count(f"to={unix_to_iso(stage.now)}") == 0
    assert count(f"from={unix_to_iso(stage.now + 1)}") == 0
    seen, url = [], URL + "history?limit=2"
    while url:
        page = get(url.partition("/api/v1/alerts/")[2]).json
        seen += [alert["id"] for alert in page["alerts"]]
        url = page["next"]
    assert sorted(seen) == sorted(alert["id"] for alert in get("history").json["alerts"])
    assert get("history?priority=loud", status=400)


def test_statistics(stage, add_rule, get):
    stage.now = utcnow().timestamp() - 60
    rule = add_rule(priority="warning")
    add_rule(name="Off", enabled=False)
    stage.tick(aircraft(1), aircraft(2))
    stage.tick(aircraft(1), aircraft(2, alt_baro=9000))
    stats = get("stats").json
    assert (stats["total"], stats["active"], stats["unacknowledged"]) == (2, 1, 2)
    assert stats["by_priority"] == {"info": 0, "warning": 2, "critical": 0}
    (by_rule,) = stats["by_rule"]
    assert (by_rule["rule_id"], by_rule["count"]) == (rule["id"], 2)
    assert sum(day["count"] for day in stats["by_day"]) == 2
    assert (stats["rules"], stats["rules_enabled"]) == (2, 1)


def test_military_aircraft_are_for_holders_of_the_right_alone(client, stage, add_rule, get):
    add_rule("ana")
    add_rule("olga")
    stage.tick(aircraft(1), aircraft(2, military=True))
    assert {alert["icao_hex"] for alert in get("history", "ana").json["alerts"]} == {"4B1601", "4B1602"}
    assert {alert["icao_hex"] for alert in get("history", "olga").json["alerts"]} == {"4B1601"}
    needs = {data["icao_hex"]: audience.needs for _, data, audience in stage.events}
    assert needs == {"4B1601": frozenset(), "4B1602": frozenset({MILITARY})}
    with writing(client.runtime.sessions) as session:
        session.query(UserRole).filter_by(user_id=client.ids["ana"]).delete()
    client.population.user("nobody")
    from skywatch.accounts.changes import begin_change
    from skywatch.accounts.models import Role

    with writing(client.runtime.sessions) as session:
        begin_change(session)
        role = session.query(Role).filter_by(name="operator").one()
        session.add(UserRole(user_id=client.ids["ana"], role_id=role.id))
    hidden = get("history", "ana").json
    assert ({alert["icao_hex"] for alert in hidden["alerts"]}, hidden["count"]) == ({"4B1601"}, 1)
    stage.reload()
    stage.tick(aircraft(1), aircraft(2, military=True), aircraft(3, military=True))
    assert get("stats?days=366", "ana").json["unacknowledged"] <= 1
    assert get("history", "ana").json["count"] == 1


def test_a_count_names_and_counts_only_what_the_owner_may_see(stage, add_rule, get):
    add_rule("olga", count={"op": "ge", "value": 2})
    add_rule("ana", count={"op": "ge", "value": 2})
    stage.tick(aircraft(1), aircraft(2, military=True))
    assert get("history", "olga").json["count"] == 0
    (alert,) = get("history", "ana").json["alerts"]
    assert alert["count"] == 2


def test_a_rule_stops_while_its_owner_is_inactive(client, stage, add_rule, get):
    from skywatch.accounts.models import User

    add_rule()
    with writing(client.runtime.sessions) as session:
        session.get(User, client.ids["olga"]).is_active = False
    stage.reload()
    stage.tick(aircraft())
    assert get("history", "adam").json["count"] == 0


def test_details_are_for_holders_of_the_right_alone(client, stage, get):
    population = client.population
    population.role("plain", ["alerts.view", "alerts.create", "aircraft.view"])
    client.people["paul"] = population.bearer(population.user("paul", "plain"))
    body = {"name": "Low", "conditions": LOW, "for_s": 0, "message": "{registration} {callsign}"}
    client.post_json(URL + "rules", body, headers=client.people["paul"], status=201)
    by_name = {"name": "By registration", "conditions": test_of("r", "eq", "HB-JCA"), "for_s": 0}
    client.post_json(URL + "rules", by_name, headers=client.people["paul"], status=201)
    stage.reload()
    stage.tick(aircraft(r="HB-JCA", operator="Swiss"))
    (alert,) = get("history", "paul").json["alerts"]
    assert (alert["registration"], alert["message"]) == (None, "- SWR1")
    assert "r" not in alert["aircraft"]
    assert "HB-JCA" not in str([message.data_for(frozenset()) for message in stage.messages])


def test_the_dry_run_on_given_aircraft(client, post):
    rule = {"name": "Low", "conditions": LOW, "message": "{callsign}"}
    given = [aircraft(1), aircraft(2, alt_baro=9000), aircraft(3, military=True)]
    result = post("rules/test", {"rule": rule, "aircraft": given}).json
    assert [alert["icao_hex"] for alert in result["alerts"]] == ["4B1601"]
    assert (result["count"], result["truncated"], result["per_hour"]) == (1, False, None)
    assert result["alerts"][0]["message"] == "SWR1"
    both = post("rules/test", {"rule": rule, "aircraft": given}, "ana").json
    assert both["count"] == 2
    assert client.get(URL + "history", headers=client.people["ana"]).json["count"] == 0


@pytest.mark.parametrize(
    "members", [{}, {"count": {"op": "ge", "value": 1}}, {"message": "{callsign} at {alt_baro} ft, {priority}"}]
)
def test_the_dry_run_has_the_message_of_the_alert(stage, add_rule, get, post, members):
    rule = add_rule(**members)
    stage.tick(aircraft())
    (alert,) = get("history").json["alerts"]
    (tried,) = post(f"rules/{rule['id']}/test", {"aircraft": [aircraft()]}).json["alerts"]
    assert tried["message"] == alert["message"]


def test_the_dry_run_of_a_stored_rule_and_of_one_that_is_not_the_callers(add_rule, post):
    rule = add_rule()
    body = {"aircraft": [aircraft()]}
    assert post(f"rules/{rule['id']}/test", body).json["count"] == 1
    assert post("rules/test", {"rule_id": rule["id"], **body}).json["count"] == 1
    post(f"rules/{rule['id']}/test", body, "otto", status=404)
    post("rules/test", {"rule_id": rule["id"], **body}, "otto", status=404)


def test_a_shared_rule_of_somebody_else_is_tried_on_the_live_picture_only(add_rule, post):
    """Given aircraft and history would show where its geofences are and what its watch lists hold."""
    rule = add_rule(visibility="shared")
    span = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-01T01:00:00Z"}
    for body in ({"aircraft": [aircraft()]}, {"aircraft": []}, span, {"to": "2026-01-01T01:00:00Z"}):
        for path, named in ((f"rules/{rule['id']}/test", {}), ("rules/test", {"rule_id": rule["id"]})):
            problem = post(path, {**named, **body}, "otto", status=403).json
            assert problem["detail"] == "A rule of somebody else is tried on the live picture only."
            if "from" not in body and "to" not in body:
                post(path, {**named, **body}, "olga")
                post(path, {**named, **body}, "adam")
    assert post(f"rules/{rule['id']}/test", {}, "otto").json["count"] == 0
    post("rules/test", {"rule_id": rule["id"]}, "otto")


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({}, "rule"),
        ({"rule": {"conditions": LOW}, "rule_id": 1}, "rule"),
        ({"rule": {"conditions": {}}}, "rule.conditions"),
        ({"rule": {"conditions": test_of("geofence", "within", 5)}}, "rule.conditions"),
        ({"rule": {"conditions": LOW}, "aircraft": [{"hex": "xyz"}]}, "aircraft.0"),
        ({"rule": {"conditions": LOW}, "aircraft": [{"hex": "4b1601", "lat": 91, "lon": 0}]}, "aircraft.0"),
        ({"rule": {"conditions": LOW}, "to": "2026-01-01T00:00:00Z"}, "from"),
        ({"rule": {"conditions": LOW}, "from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z"}, "to"),
        ({"rule": {"conditions": LOW}, "from": "2026-01-01T00:00:00Z", "to": "2026-01-03T00:00:00Z"}, "to"),
    ],
)
def test_dry_runs_that_are_refused(post, body, name):
    assert name in {error["name"] for error in post("rules/test", body, status=400).json["errors"]}


def test_what_is_published_over_mqtt(client, stage, add_rule):
    rules = client.runtime.features.provided(MqttSource)[0].create()
    add_rule("adam", name="Not published")
    shown = add_rule("adam", name="Published", mqtt=True)
    crowd = add_rule("adam", name="Crowd", mqtt=True, count={"op": "ge", "value": 2})
    with client.runtime.sessions() as session:
        before = rules.last_alert_id(session)
    stage.tick(aircraft(1), aircraft(2))
    with client.runtime.sessions() as session:
        states = [(state.id, state.name, state.active, state.count) for state in rules.rules(session)]
        assert states == [(shown["id"], "Published", True, 2), (crowd["id"], "Crowd", True, 2)]
        alerts = rules.events_after(session, before, 10)
        assert [alert.rule_id for alert in alerts] == [shown["id"], shown["id"], crowd["id"]]
        assert alerts[0].document["icao_hex"] == "4B1601"
        assert rules.statistics(session)["unacknowledged"] == 5
