"""Decisions that are written together: as if each had been written alone."""

import pytest

from skywatch.alerts.engine.rule import Adopted, Cleared, Fired
from skywatch.alerts.tracker.writer import write
from skywatch.core.database.engine import writing
from tests.alerts import START


def fired(rule, number, at, **members):
    place = {"flight": f"SWR{number}", "lat": 47.46, "alt_baro": 3000}
    matched = ({"field": "alt_baro", "op": "lt", "value": 5000, "actual": 3000},)
    return Fired((rule["id"], rule["user"]), 1, f"4b16{number:02x}", START + at, place, matched, False, **members)


def cleared(rule, number, at):
    return Cleared((rule["id"], rule["user"]), 1, f"4b16{number:02x}", START + at)


def adopted(rule, number, at):
    return Adopted((rule["id"], rule["user"]), 1, (f"4b16{number:02x}",), START + at)


def decisions(rule, other):
    """Alerts of three aircraft and two rules; some end, fire again, or are adopted before they end."""
    return [
        fired(rule, 1, 1),
        fired(rule, 2, 1, geofence="Zurich"),
        fired(rule, 1, 2),
        cleared(rule, 1, 3),
        fired(other, 1, 3, count=4),
        fired(rule, 1, 4),
        cleared(rule, 1, 5),
        cleared(rule, 1, 5),
        adopted(other, 3, 6),
        fired(other, 3, 6),
        cleared(other, 3, 7),
        fired(other, 3, 8),
        cleared(other, 9, 9),
    ]


def shown(stage, history):
    """What is stored and what was published, without the numbers of alerts and rules."""
    alerts = [{name: value for name, value in alert.items() if name not in ("id", "rule_id")} for alert in history()]
    return sorted(alerts, key=lambda alert: (alert["triggered_at"], alert["rule_name"], alert["icao_hex"])), sorted(
        (name, data["rule_name"], data["icao_hex"], data["triggered_at"]) for name, data, _ in stage.events
    )


@pytest.mark.parametrize("cooldown_s", [0, 300])
def test_a_batch_is_written_as_its_decisions_one_by_one(stage, add_rule, history, cooldown_s):
    rule, other = (add_rule(name=name, cooldown_s=cooldown_s) for name in ("Low", "Lower"))
    sessions = stage.runtime.sessions
    with writing(sessions) as session:
        write(session, decisions(rule, other))
    together, count = shown(stage, history), len(stage.events)
    assert len(together[0]) == (5 if cooldown_s == 0 else 4)
    rule, other = (add_rule(name=name, cooldown_s=cooldown_s) for name in ("Low", "Lower"))
    for decision in decisions(rule, other):
        with writing(sessions) as session:
            write(session, [decision])
    alerts, events = shown(stage, lambda: [a for a in history() if a["rule_id"] in (rule["id"], other["id"])])
    assert alerts == together[0]
    assert len(events) == 2 * count
    assert events == sorted(together[1] * 2)


def test_followers_and_owners_have_their_alerts_of_one_batch(client, stage, add_rule, history):
    rule = add_rule(visibility="shared")
    url = f"/api/v1/alerts/rules/{rule['id']}/subscribe"
    client.post_json(url, {}, headers=client.people["otto"])
    follower = {**rule, "user": client.ids["otto"]}
    stranger = {**rule, "user": client.ids["vera"]}
    with writing(stage.runtime.sessions) as session:
        assert write(session, [fired(rule, 1, 1), fired(follower, 1, 1), fired(stranger, 1, 1)]) == 2
    assert [len(history(who)) for who in ("olga", "otto", "vera")] == [1, 1, 0]
