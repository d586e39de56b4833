"""Rules on ``receiver_silent``: who may write one, and when it announces and clears."""

from __future__ import annotations

import time

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.feeders.models import Feeder
from skywatch.picture.access import PictureAccess
from skywatch.reception.silence import WatchedFeeders
from tests.accounts import Population
from tests.alerts import LOW, AlertStage
from tests.unit.picture.reports import Clock, picture_at, snapshot

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=[
        "test_a_disabled_or_deleted_feeder_is_not_silent_and_ends_the_alert",
        "test_a_feeder_that_is_not_back_after_a_restart_is_silent_once_the_time_is_over",
        "test_a_rule_follows_the_new_name_of_its_feeder_and_announces_nothing_twice",
        "test_whoever_loses_a_feeder_is_told_no_more",
    ],
)

RULES = "/api/v1/alerts/rules/"


class Watch:
    """An installation whose tracker receives what a test lets it receive."""

    def __init__(self, client):
        self.client, self.clock = client, Clock()
        people = Population(client.runtime)
        ids = {name: people.user(name, role) for name, role in (("olga", "operator"), ("otto", "operator"))}
        ids["adam"] = people.user("adam", "admin")
        self.people = {name: people.bearer(number) for name, number in ids.items()}
        self.ids = ids
        self.picture = picture_at(self.clock)
        client.runtime.shared(PictureAccess).open(self.picture)
        self.stage = AlertStage(client.runtime)

    def register(self, who, name):
        answer = self.client.post_json("/api/v1/feeders/", {"name": name}, headers=self.people[who], status=201)
        return answer.json["id"]

    def rule(self, who, value, status=201, **members):
        conditions = {"field": "receiver_silent", "op": "eq", "value": value}
        body = {"name": "Silent", "conditions": conditions, "for_s": 0, "cooldown_s": 0, **members}
        answer = self.client.post_json(RULES, body, headers=self.people[who], status=status).json
        self.reload()
        return answer

    def reload(self):
        with self.client.runtime.sessions() as session:
            self.client.runtime.shared(WatchedFeeders).read(session)
        self.stage.reload()

    def receive(self, receiver):
        self.picture.put(receiver, [snapshot("4b1620", self.clock.wall)], 1)

    def tick(self, seconds=1.0):
        self.clock.advance(seconds)
        self.stage.tick(seconds=seconds)

    def alerts(self, who):
        return self.client.get("/api/v1/alerts/history", headers=self.people[who]).json["alerts"]


@pytest.fixture
def watch(make_client, database_url):
    client = make_client(
        database_url=database_url,
        auth_mode="hybrid",
        notify_allow_networks="127.0.0.0/8",
        **{"receiver.Roof": "simulate"},
    )
    watch = Watch(client)
    yield watch
    watch.stage.close()


def test_a_receiver_that_falls_silent_is_announced_once_and_cleared_at_its_return(watch):
    watch.rule("adam", "roof")
    watch.receive("Roof")
    watch.tick(59)
    assert watch.alerts("adam") == []
    watch.tick(1)
    watch.tick(30)
    (alert,) = watch.alerts("adam")
    assert (alert["icao_hex"], alert["count"], alert["aircraft"], alert["cleared_at"]) == (None, None, {}, None)
    assert alert["matched"] == [{"field": "receiver_silent", "op": "eq", "value": "roof", "actual": True}]
    assert alert["message"] == "Silent: roof"
    watch.receive("Roof")
    watch.tick()
    (alert,) = watch.alerts("adam")
    assert alert["cleared_at"] is not None
    assert [event for event, _, _ in watch.stage.events] == ["alert:triggered", "alert:cleared"]


def test_the_owner_of_a_feeder_is_told(watch):
    number = watch.register("olga", "Attic")
    rule = watch.rule("olga", "ATTIC")
    watch.receive(f"feeder-{number}")
    watch.tick(61)
    (alert,) = watch.alerts("olga")
    assert alert["rule_id"] == rule["id"]
    (audience,) = [audience for event, _, audience in watch.stage.events if event == "alert:triggered"]
    assert audience.users == frozenset({watch.ids["olga"]})


def test_the_channels_of_the_owner_get_it(watch):
    channel = {"name": "Phone", "kind": "webhook", "address": "http://127.0.0.1:9/hook"}
    olga = watch.people["olga"]
    number = watch.client.post_json("/api/v1/alerts/channels/", channel, headers=olga, status=201).json["id"]
    feeder = watch.register("olga", "Attic")
    watch.rule("olga", "Attic", channels=[number])
    watch.receive(f"feeder-{feeder}")
    watch.tick(61)
    (delivery,) = watch.client.get("/api/v1/alerts/deliveries/", headers=olga).json["deliveries"]
    assert (delivery["channel"], delivery["alert_id"]) == (number, watch.alerts("olga")[0]["id"])


def test_what_one_may_not_watch_does_not_exist(watch):
    watch.register("olga", "Attic")
    details = {
        watch.rule(who, value, 400)["errors"][0]["detail"]
        for who, value in (("otto", "Attic"), ("otto", "Roof"), ("olga", "Roof"), ("otto", "x"), ("adam", "x"))
    }
    assert len(details) == 1
    watch.rule("adam", "Attic")
    watch.rule("adam", "Roof")


def test_it_is_alone_in_its_rule(watch):
    test = {"field": "receiver_silent", "op": "eq", "value": "Roof"}
    for conditions in ({"all": [test]}, {"any": [test, LOW]}, {"not": test}):
        answer = watch.rule("adam", "Roof", 400, conditions=conditions)
        assert "alone" in answer["errors"][0]["detail"]
    for members in ({"count": {"op": "gt", "value": 1}}, {"conditions": {**test, "op": "ne"}}):
        watch.rule("adam", "Roof", 400, **members)


def test_it_cannot_be_tried_out_and_an_import_is_checked(watch):
    rule = watch.rule("adam", "Roof")
    test = {"field": "receiver_silent", "op": "eq", "value": "Roof"}
    adam, olga = watch.people["adam"], watch.people["olga"]
    for path, body in (("test", {"rule": {"name": "x", "conditions": test}}), (f"{rule['id']}/test", {})):
        answer = watch.client.post_json(f"{RULES}{path}", body, headers=adam, status=400).json
        assert "not about aircraft" in answer["errors"][0]["detail"]
    exported = watch.client.get(f"{RULES}export", headers=adam).json
    assert exported["rules"][0]["conditions"] == test
    refused = watch.client.post_json(f"{RULES}import", exported, headers=olga, status=400).json
    assert refused["errors"][0]["name"] == "rules.0.conditions.value"
    watch.client.post_json(f"{RULES}import", exported, headers=adam)


def test_a_feeder_that_was_never_heard_is_not_silent(watch, monkeypatch):
    number = watch.register("olga", "Attic")
    watch.rule("olga", "Attic")
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 3600)
    watch.tick(3600)
    assert watch.alerts("olga") == []
    watch.receive(f"feeder-{number}")
    watch.tick(61)
    assert len(watch.alerts("olga")) == 1


def test_a_feeder_that_is_not_back_after_a_restart_is_silent_once_the_time_is_over(watch, monkeypatch):
    watch.register("olga", "Attic")
    watch.rule("olga", "Attic")
    with writing(watch.client.runtime.sessions) as db:
        db.execute(sa.update(Feeder).values(last_seen_at=utcnow()))
    watch.reload()
    watch.tick(61)
    assert watch.alerts("olga") == []
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now + 61)
    watch.tick()
    assert len(watch.alerts("olga")) == 1


def test_a_restart_neither_repeats_nor_clears_what_was_announced(watch):
    watch.rule("adam", "Roof")
    watch.receive("Roof")
    watch.tick(61)
    watch.picture.counts["Roof"].last_at = 0.0  # as after a start
    watch.stage.restart()
    watch.tick()
    watch.tick(120)
    (alert,) = watch.alerts("adam")
    assert alert["cleared_at"] is None


def test_a_disabled_or_deleted_feeder_is_not_silent_and_ends_the_alert(watch):
    number = watch.register("olga", "Attic")
    watch.rule("olga", "Attic")
    watch.receive(f"feeder-{number}")
    watch.tick(61)
    url = f"/api/v1/feeders/{number}/"
    watch.client.patch_json(url, {"enabled": False}, headers=watch.people["olga"])
    watch.reload()
    watch.tick()
    assert watch.alerts("olga")[0]["cleared_at"] is not None


def test_a_rule_follows_the_new_name_of_its_feeder_and_announces_nothing_twice(watch):
    number = watch.register("olga", "Attic")
    rules = [watch.rule("olga", "ATTIC"), watch.rule("adam", "Attic"), watch.rule("adam", "Roof")]
    watch.receive(f"feeder-{number}")
    watch.receive("Roof")
    watch.tick(61)
    before = watch.alerts("olga")
    watch.client.patch_json(f"/api/v1/feeders/{number}/", {"name": "Loft"}, headers=watch.people["olga"])
    watch.stage.reload()
    watch.tick()  # the tracker has not read the new name yet
    watch.reload()
    watch.tick()
    shown = [watch.client.get(f"{RULES}{rule['id']}", headers=watch.people["adam"]).json for rule in rules]
    assert [rule["conditions"]["value"] for rule in shown] == ["Loft", "Loft", "Roof"]
    assert watch.alerts("olga") == before
    watch.receive(f"feeder-{number}")
    watch.tick()
    assert watch.alerts("olga")[0]["cleared_at"] is not None
    entries = watch.client.get("/api/v1/system/audit", headers=watch.people["adam"], params={"action": "rule.changed"})
    changes = {entry["target_id"]: entry for entry in entries.json["entries"]}
    assert changes.keys() == {str(rule["id"]) for rule in rules[:2]}
    assert all(entry["after"]["feeder_name"] == "Loft" for entry in changes.values())


def test_whoever_loses_a_feeder_is_told_no_more(watch):
    number = watch.register("olga", "Attic")
    watch.rule("olga", "Attic")
    watch.client.patch_json(f"/api/v1/feeders/{number}/", {"owner": None}, headers=watch.people["adam"])
    watch.receive(f"feeder-{number}")
    watch.reload()
    watch.tick(61)
    assert watch.alerts("olga") == []
