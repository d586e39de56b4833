"""When alerts are over because their rule or user is, and who is told of it."""

import pytest

from skywatch.accounts.models import User
from skywatch.alerts.models import AlertRule
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from tests.alerts import aircraft, test_of
from tests.functional.alerts.conftest import SHOWN, URL
from tests.notifying import add_channel, deliveries, delivering
from tests.receiving import receiving
from tests.waiting import until


def test_an_alert_is_over_when_its_rule_stops_for_its_user(client, stage, add_rule, history):
    olga, ana = client.people["olga"], client.people["ana"]
    own = {name: f"{URL}rules/{add_rule(name=name)['id']}" for name in ("Expired", "Off", "Deleted")}
    shared = {
        name: f"{URL}rules/{add_rule('ana', name=name, visibility='shared')['id']}"
        for name in ("Unfollowed", "Private")
    }
    for url in shared.values():
        client.post_json(f"{url}/subscribe", {}, headers=olga)
    stage.reload()
    stage.tick(aircraft())

    def active(who="olga"):
        return {alert["rule_name"] for alert in history(who) if alert["cleared_at"] is None}

    def cleared():
        return sorted(data["rule_name"] for data in stage.told("alert:cleared"))

    assert active() == {*own, *shared}
    client.patch_json(own["Off"], {"enabled": False}, headers=olga)
    client.delete(own["Deleted"], headers=olga, status=204)
    client.delete(f"{shared['Unfollowed']}/subscribe", headers=olga, status=204)
    client.patch_json(shared["Private"], {"visibility": "private"}, headers=ana)
    assert active() == {"Expired"}
    assert cleared() == ["Deleted", "Off", "Private", "Unfollowed"]
    with writing(stage.runtime.sessions) as session:
        session.get(AlertRule, int(own["Expired"].rpartition("/")[2])).expires_at = utcnow()
    stage.reload()
    assert active() == set()
    assert cleared() == ["Deleted", "Expired", "Off", "Private", "Unfollowed"]
    assert active("ana") == set(shared), "the alerts of the rules' owner go on"
    stage.tick(aircraft())
    stage.reload()
    assert active("ana") == set(shared)


def switch_off(client, rule):
    client.patch_json(f"{URL}rules/{rule['id']}", {"enabled": False}, headers=client.people["olga"])


def change_conditions(client, rule):
    narrower = {"conditions": test_of("alt_baro", "lt", 1000), "channels": []}
    client.patch_json(f"{URL}rules/{rule['id']}", narrower, headers=client.people["olga"])


def delete(client, rule):
    client.delete(f"{URL}rules/{rule['id']}", headers=client.people["olga"], status=204)


def expire(client, rule):
    with writing(client.runtime.sessions) as session:
        session.get(AlertRule, rule["id"]).expires_at = utcnow()


@pytest.mark.parametrize("stop", [switch_off, change_conditions, delete, expire])
def test_the_end_of_an_alert_whose_rule_stops_is_delivered_once(client, stage, add_rule, history, stop):
    with receiving() as receiver, delivering(client.runtime):
        olga = client.ids["olga"]
        both = add_channel(client.runtime.sessions, olga, receiver.url, send_cleared=True)
        plain = add_channel(client.runtime.sessions, olga, receiver.url)
        rule = add_rule(channels=[both, plain])
        stage.tick(aircraft())
        until(lambda: len(receiver.requests) == 2)
        stop(client, rule)
        for _ in range(2):
            stage.reload()
            stage.tick(aircraft(alt_baro=9000))
        until(lambda: len(receiver.requests) == 3)
        until(lambda: [d.state for d in deliveries(client.runtime.sessions)] == ["delivered"] * 3)
        (alert,) = history()
        over = receiver.documents[-1]
        assert (over["type"], over["data"]["id"]) == ("alert.cleared", alert["id"])
        assert over["data"]["cleared_at"] == alert["cleared_at"] == over["timestamp"]
        assert over["data"]["rule_id"] == rule["id"]
        assert set(over["data"]) == SHOWN - {"deliveries"}
        ended = deliveries(client.runtime.sessions)[-1]
        assert (ended.channel_id, ended.rule_id, ended.title) == (both, rule["id"], "Low: over")


def test_a_follower_who_stops_following_is_sent_the_end_in_their_own_channel(client, stage, add_rule):
    sessions, olga = client.runtime.sessions, client.ids["olga"]
    channel = add_channel(sessions, olga, send_cleared=True)
    rule = add_rule("ana", visibility="shared")
    url = f"{URL}rules/{rule['id']}/subscribe"
    client.post_json(url, {"channels": [channel]}, headers=client.people["olga"])
    stage.reload()
    stage.tick(aircraft())
    client.delete(url, headers=client.people["olga"], status=204)
    assert [(d.event, d.user_id) for d in deliveries(sessions)] == [("alert.triggered", olga), ("alert.cleared", olga)]


def test_the_end_of_an_alert_whose_rule_stops_is_held_back_in_quiet_hours(client, stage, add_rule):
    sessions = client.runtime.sessions
    channel = add_channel(sessions, client.ids["olga"], send_cleared=True)
    always = [{"days": [], "from": "00:00", "to": "00:00", "timezone": "UTC"}]
    rule = add_rule(channels=[channel], quiet_hours=always)
    stage.tick(aircraft())
    delete(client, rule)
    assert [(d.event, d.state) for d in deliveries(sessions)] == [
        ("alert.triggered", "held"),
        ("alert.cleared", "held"),
    ]


@pytest.mark.parametrize("goes", ["is switched off", "is deleted"])
def test_an_alert_is_over_when_its_user_goes(client, stage, add_rule, history, goes):
    add_rule()
    stage.tick(aircraft())
    with writing(stage.runtime.sessions) as session:
        user = session.get(User, client.ids["olga"])
        if goes == "is deleted":
            session.delete(user)
        else:
            user.is_active = False
    stage.reload()
    (alert,) = history("adam")
    assert alert["cleared_at"] is not None
    audiences = [audience for event, _, audience in stage.events if event == "alert:cleared"]
    assert [audience.users for audience in audiences] == ([{client.ids["olga"]}] if goes == "is switched off" else [])


def test_a_rule_that_expired_while_no_tracker_ran_has_no_active_alert(stage, add_rule, history):
    rule = add_rule()
    stage.tick(aircraft())
    with writing(stage.runtime.sessions) as session:
        session.get(AlertRule, rule["id"]).expires_at = utcnow()
    stage.restart()
    assert history()[0]["cleared_at"] is not None
