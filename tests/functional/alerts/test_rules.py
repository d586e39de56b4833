"""Rules over HTTP: shapes, whose they are, sharing, and what is refused."""

import pytest

from tests.alerts import BOX, LOW, aircraft, test_of
from tests.functional.alerts.conftest import URL

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_a_rule_has_its_defaults_and_changes_what_is_named",
        "test_an_import_is_taken_whole_or_refused_whole",
        "test_deleting_a_user_removes_rules_but_not_alerts",
        "test_export_and_import",
        "test_geofences_and_lists_in_use_stay",
        "test_rules_of_others_are_hidden_unless_shared",
    ],
)


def faults(answer):
    return {error["name"]: error["detail"] for error in answer.json["errors"]}


@pytest.fixture
def post(client):
    def send(path, body, who="olga", **kw):
        return client.post_json(URL + path, body, headers=client.people[who], **kw)

    return send


def test_a_rule_has_its_defaults_and_changes_what_is_named(client, post):
    rule = post("rules", {"name": "Low", "conditions": LOW}, status=201).json
    expected = {
        "description": "", "enabled": True, "priority": "info", "for_s": 2, "cooldown_s": 300, "count": None,
        "starts_at": None, "expires_at": None, "quiet_hours": [], "channels": [], "visibility": "private",
        "message": "", "mqtt": False, "is_own": True, "is_subscribed": False, "username": "olga", "conditions": LOW,
    }  # fmt: skip
    assert expected.items() <= rule.items()
    url = f"{URL}rules/{rule['id']}"
    people = client.people
    changed = client.patch_json(url, {"priority": "critical", "for_s": 10}, headers=people["olga"]).json
    assert {**rule, "priority": "critical", "for_s": 10, "updated_at": changed["updated_at"]} == changed
    assert client.get(url, headers=people["olga"]).json == changed
    client.delete(url, headers=people["olga"], status=204)
    client.get(url, headers=people["olga"], status=404)


def test_every_fault_is_named_at_once(post):
    conditions = {
        "all": [
            test_of("altitude", "lt", 1),
            test_of("gs", "within", 1),
            {"field": "gs", "op": "gt", "value": "fast", "unit": "kt"},
            {},
            {"all": [LOW], "any": [LOW]},
            {"any": []},
            test_of("flight", "matches", "(a"),
            test_of("squawk", "in", ["3050-3000"]),
            test_of("class", "eq", "saucer"),
        ]
    }
    window = {"days": ["monday"], "from": "25:00", "to": "6:00", "timezone": "Mars/Base"}
    body = {"name": " ", "conditions": conditions, "quiet_hours": [window], "message": "{flight.__class__}"}
    body |= {"for_s": 4000, "cooldown_s": 1.5, "count": {"op": "about", "value": -1}, "colour": "red", "priority": "x"}
    named = faults(post("rules", body, status=400))
    places = ["0.field", "1.op", "2.unit", "2.value", "3", "4", "5.any", "6.value", "7.value", "8.value"]
    members = ["name", "message", "for_s", "cooldown_s", "count.op", "count.value", "colour", "priority"]
    windows = [f"quiet_hours.0.{name}" for name in ("days", "from", "to", "timezone")]
    assert set(named) == {f"conditions.all.{place}" for place in places} | {*members, *windows}
    assert "'altitude' is not a field" in named["conditions.all.0.field"]
    assert "RE2" in named["conditions.all.6.value"]


@pytest.mark.parametrize(
    ("conditions", "fault"),
    [
        ({}, "conditions"),
        ({"all": []}, "conditions.all"),
        ({"not": {}}, "conditions.not"),
        ({"all": [LOW] * 101}, "conditions"),
        ([], "conditions"),
        ({"all": [LOW], "note": 1}, "conditions.note"),
    ],
)
def test_trees_that_are_none(post, conditions, fault):
    assert fault in faults(post("rules", {"name": "x", "conditions": conditions}, status=400))


def test_eight_levels_are_the_deepest(post):
    node = LOW
    for _ in range(7):
        node = {"all": [node]}
    post("rules", {"name": "eight", "conditions": node}, status=201)
    assert "8 levels" in str(faults(post("rules", {"name": "nine", "conditions": {"not": node}}, status=400)))


def test_members_that_contradict_one_another(client, post):
    fence = post("geofences", {"name": "Home", "geometry": BOX}).json["id"]
    enters = test_of("geofence", "enters", fence)
    body = {"name": "x", "conditions": enters, "for_s": 5, "count": {"op": "gt", "value": 1}}
    assert set(faults(post("rules", body, status=400))) == {"for_s", "count"}
    times = {"starts_at": "2026-02-01T00:00:00Z", "expires_at": "2026-01-01T00:00:00Z"}
    assert set(faults(post("rules", {"name": "x", "conditions": LOW} | times, status=400))) == {"expires_at"}
    body = {"name": "x", "conditions": test_of("geofence", "within", 999), "channels": [99]}
    assert set(faults(post("rules", body, status=400))) == {"conditions", "channels"}
    others = {"name": "x", "conditions": enters}
    assert set(faults(post("rules", others, "otto", status=400))) == {"conditions"}


def test_what_somebody_may_not_ask_for(client, post):
    text = {"name": "x", "conditions": test_of("acars_text", "contains", "x")}
    assert post("rules", text, status=403).json["code"] == "permission_denied"
    post("rules", text, "ana", status=201)
    post("rules", {"name": "x", "conditions": LOW, "mqtt": True}, status=403)
    post("rules", {"name": "x", "conditions": LOW, "mqtt": True}, "adam", status=201)
    post("rules", {"name": "x", "conditions": LOW}, "vera", status=403)


def test_rules_of_others_are_hidden_unless_shared(client, post):
    rule = post("rules", {"name": "Mine", "conditions": LOW}).json
    url, people = f"{URL}rules/{rule['id']}", client.people
    for method in ("get", "delete"):
        getattr(client, method)(url, headers=people["otto"], status=404)
    assert client.get(URL + "rules", headers=people["otto"]).json["count"] == 0
    assert client.get(URL + "rules", headers=people["adam"]).json["count"] == 1
    client.patch_json(url, {"visibility": "shared"}, headers=people["olga"])
    seen = client.get(url, headers=people["vera"]).json
    assert (seen["is_own"], seen["channels"], seen["conditions"]) == (False, [], LOW)
    client.patch_json(url, {"name": "Yours"}, headers=people["otto"], status=403)
    client.delete(url, headers=people["otto"], status=403)
    client.patch_json(url, {"name": "Ours"}, headers=people["adam"])


def test_who_follows_a_shared_rule_gets_alerts_of_their_own_by_their_own_rights(client, post, stage, history):
    rule = post("rules", {"name": "Any", "conditions": LOW, "for_s": 0, "visibility": "shared"}, "ana").json
    url = f"rules/{rule['id']}/subscribe"
    assert post(url, {"channels": [99]}, status=400)
    followed = post(url, {"channels": []}).json
    assert (followed["rule"], followed["channels"]) == (rule["id"], [])
    stage.reload()
    stage.tick(aircraft(1), aircraft(2, military=True))
    assert {alert["icao_hex"] for alert in history("ana")} == {"4B1601", "4B1602"}
    assert {alert["icao_hex"] for alert in history("olga")} == {"4B1601"}
    assert client.get(f"{URL}rules/{rule['id']}", headers=client.people["olga"]).json["is_subscribed"] is True
    client.delete(URL + url, headers=client.people["olga"], status=204)
    client.delete(URL + url, headers=client.people["olga"], status=404)
    post(url, {}, "ana", status=409)
    stage.reload()
    stage.tick(aircraft(3))
    assert {alert["icao_hex"] for alert in history("olga")} == {"4B1601"}


def test_geofences_and_lists_in_use_stay(client, post):
    fence = post("geofences", {"name": "Home", "geometry": BOX}).json["id"]
    listed = post("watchlists", {"name": "Mine", "entries": ["4b1601"]}).json["id"]
    body = {
        "name": "Uses",
        "conditions": {"any": [test_of("geofence", "within", fence), test_of("watchlist", "in", listed)]},
    }
    rule = post("rules", body).json["id"]
    headers = client.people["olga"]
    for path in (f"geofences/{fence}", f"watchlists/{listed}"):
        assert "Uses" in client.delete(URL + path, headers=headers, status=409).json["detail"]
    client.delete(f"{URL}rules/{rule}", headers=headers, status=204)
    for path in (f"geofences/{fence}", f"watchlists/{listed}"):
        client.delete(URL + path, headers=headers, status=204)


def test_limits_of_a_user(client, post, monkeypatch):
    monkeypatch.setattr("skywatch.alerts.rules.service.MAX_RULES", 2)
    for _ in range(2):
        post("rules", {"name": "x", "conditions": LOW}, status=201)
    assert post("rules", {"name": "x", "conditions": LOW}, status=409).json["code"] == "conflict"
    post("rules", {"name": "x", "conditions": LOW}, "otto", status=201)


def test_deleting_a_user_removes_rules_but_not_alerts(client, post, stage, history):
    post("rules", {"name": "Low", "conditions": LOW, "for_s": 0})
    post("geofences", {"name": "Home", "geometry": BOX})
    stage.reload()
    stage.tick(aircraft())
    from skywatch.accounts.models import User
    from skywatch.core.database.engine import writing

    with writing(client.runtime.sessions) as session:
        session.delete(session.get(User, client.ids["olga"]))
    adam = client.people["adam"]
    assert client.get(URL + "rules", headers=adam).json["count"] == 0
    assert client.get(URL + "geofences", headers=adam).json["count"] == 0
    assert client.get(URL + "history", headers=adam).json["count"] == 1


def test_export_and_import(client, post):
    fence = post("geofences", {"name": "Home", "geometry": BOX, "ceiling_ft": 3000}).json["id"]
    listed = post("watchlists", {"name": "Mine", "entries": ["4b1601", "SWR2"]}).json["id"]
    conditions = {"all": [test_of("geofence", "within", fence), {"not": test_of("watchlist", "in", listed)}]}
    post("rules", {"name": "Both", "conditions": conditions, "starts_at": "2026-01-01T00:00:00Z"})
    document = client.get(URL + "rules/export", headers=client.people["olga"]).json
    assert set(document) == {"version", "rules", "geofences", "watchlists"}
    assert "channels" not in document["rules"][0]
    assert post("rules/import", document, "otto").json == {"rules": 1, "geofences": 1, "watchlists": 1}
    (rule,) = client.get(URL + "rules", headers=client.people["otto"]).json["rules"]
    (taken,) = client.get(URL + "geofences", headers=client.people["otto"]).json["geofences"]
    assert rule["conditions"]["all"][0]["value"] == taken["id"] != fence
    again = client.get(URL + "rules/export", headers=client.people["otto"]).json
    assert [r["name"] for r in again["rules"]] == ["Both"]


def test_an_import_is_taken_whole_or_refused_whole(client, post):
    crossing = {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]]}
    document = {
        "version": 1,
        "rules": [
            {"name": "good", "conditions": LOW},
            {"name": "bad", "conditions": test_of("alt", "lt", 1)},
            {"name": "lost", "conditions": test_of("geofence", "within", 77)},
        ],
        "geofences": [{"id": 1, "name": "x", "geometry": crossing}],
        "watchlists": [{"id": 1, "name": "x", "entries": ["good1", "not an entry at all"]}],
    }
    named = faults(post("rules/import", document, status=400))
    assert set(named) == {"rules.1.conditions.field", "geofences.0.geometry", "watchlists.0.entries.1"}
    document["geofences"], document["watchlists"], document["rules"] = (
        [],
        [],
        [document["rules"][0], document["rules"][2]],
    )
    assert set(faults(post("rules/import", document, status=400))) == {"rules.1.conditions"}
    assert client.get(URL + "rules", headers=client.people["olga"]).json["count"] == 0
    assert set(faults(post("rules/import", {"version": 2, "rules": {}}, status=400))) >= {"rules"}
