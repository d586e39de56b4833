"""When rules fire, when they are over, and what is told of it."""

import pytest

from skywatch.acars.topics import RECEIVED
from skywatch.alerts.marks import marked_aircraft
from skywatch.core.bus.base import Message
from tests.alerts import BOX, LOW, AlertStage, aircraft, test_of
from tests.functional.alerts.conftest import SHOWN, URL
from tests.waiting import until

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=["test_a_change_of_other_members_announces_nothing", "test_while_it_lasts_the_aircraft_is_marked_for_its_user"],
)


def test_a_rule_announces_an_aircraft_once_and_says_when_it_is_over(stage, add_rule, history):
    rule = add_rule(message="{callsign} at {alt_baro} ft, {distance_nm:.1f} nm")
    for _ in range(5):
        stage.tick(aircraft())
    (alert,) = history()
    assert set(alert) == SHOWN
    assert (alert["rule_id"], alert["icao_hex"], alert["callsign"]) == (rule["id"], "4B1601", "SWR1")
    assert alert["message"] == "SWR1 at 3000 ft, 0.7 nm"
    assert alert["matched"] == [{"field": "alt_baro", "op": "lt", "value": 5000, "actual": 3000}]
    assert (alert["cleared_at"], alert["acknowledged"]) == (None, False)
    stage.tick(aircraft(alt_baro=9000))
    assert history()[0]["cleared_at"] is not None
    assert [event["id"] for event in stage.told("alert:triggered")] == [alert["id"]]
    assert [event["id"] for event in stage.told("alert:cleared")] == [alert["id"]]


def test_while_it_lasts_the_aircraft_is_marked_for_its_user(stage, add_rule, client):
    def marked():
        with stage.runtime.sessions() as session:
            return marked_aircraft(session)

    rule = add_rule()
    assert marked() == {}
    stage.tick(aircraft())
    assert marked() == {rule["user"]: {"4b1601"}}
    add_rule(name="Many", count={"op": "ge", "value": 1})
    stage.tick(aircraft())
    assert marked() == {rule["user"]: {"4b1601"}}, "a rule with a count is about no aircraft in particular"
    stage.tick(aircraft(alt_baro=9000))
    assert marked() == {}
    stage.tick(aircraft(2))
    assert marked() == {rule["user"]: {"4b1602"}}
    client.patch_json(f"{URL}rules/{rule['id']}", {"enabled": False}, headers=client.people["olga"])
    assert marked() == {}


def test_conditions_must_hold_for_as_long_as_the_rule_says(stage, add_rule, history):
    add_rule(for_s=3)
    stage.tick(aircraft())
    stage.tick(aircraft())
    stage.tick(aircraft(alt_baro=9000))
    for _ in range(3):
        stage.tick(aircraft())
        assert history() == []
    stage.tick(aircraft())
    assert len(history()) == 1


def test_two_seconds_are_the_default(client, stage, history):
    body = {"name": "Low", "conditions": LOW}
    assert client.post_json(URL + "rules", body, headers=client.people["olga"]).json["for_s"] == 2
    stage.reload()
    stage.tick(aircraft())
    stage.tick(aircraft())
    assert history() == []
    stage.tick(aircraft())
    assert len(history()) == 1


def test_within_the_margin_it_is_not_over(stage, add_rule, history):
    add_rule(cooldown_s=0)
    stage.tick(aircraft())
    stage.tick(aircraft(alt_baro=5075))
    stage.tick(aircraft())
    assert history()[0]["cleared_at"] is None
    stage.tick(aircraft(alt_baro=5125))
    assert history()[0]["cleared_at"] is not None


def test_an_aircraft_that_is_not_received_is_over_after_a_minute(stage, add_rule, history):
    add_rule(cooldown_s=0)
    stage.tick(aircraft())
    stage.tick(seconds=59)
    stage.tick(aircraft())
    assert (len(history()), history()[0]["cleared_at"]) == (1, None)
    stage.tick(seconds=30)
    stage.tick(seconds=31)
    assert history()[0]["cleared_at"] is not None


def test_after_the_cooldown_it_is_announced_again(stage, add_rule, history):
    add_rule(cooldown_s=100)
    stage.tick(aircraft())
    stage.tick(aircraft(alt_baro=9000))
    stage.tick(aircraft(), seconds=10)
    assert len(history()) == 1
    stage.tick(aircraft(alt_baro=9000))
    stage.tick(aircraft(), seconds=100)
    assert len(history()) == 2


def test_without_a_cooldown_each_time_counts(stage, add_rule, history):
    add_rule(cooldown_s=0)
    for _ in range(3):
        stage.tick(aircraft())
        stage.tick(aircraft(alt_baro=9000))
    assert len(history()) == 3


def test_entering_and_leaving_a_geofence(client, stage, add_rule, history):
    fence = client.post_json(URL + "geofences", {"name": "Home", "geometry": BOX}, headers=client.people["olga"]).json
    add_rule(name="In", for_s=None, conditions=test_of("geofence", "enters", fence["id"]))
    add_rule(name="Out", for_s=None, conditions=test_of("geofence", "leaves", fence["id"]))
    seen_inside_first = aircraft(2)
    stage.tick(aircraft(lat=46.9), seen_inside_first)
    assert history() == []
    stage.tick(aircraft(lat=47.1), seen_inside_first)
    assert [(alert["rule_name"], alert["icao_hex"], alert["geofence"]) for alert in history()] == [
        ("In", "4B1601", "Home")
    ]
    stage.tick(aircraft(lat=47.2), seen_inside_first)
    stage.tick(aircraft(lat=46.8), aircraft(2, lat=46.8))
    assert sorted((alert["rule_name"], alert["icao_hex"]) for alert in history()) == [
        ("In", "4B1601"), ("Out", "4B1601"), ("Out", "4B1602"),
    ]  # fmt: skip


def test_a_count_fires_once_for_the_number(stage, add_rule, history):
    add_rule(name="Crowd", conditions=LOW, count={"op": "gt", "value": 1}, message="{count} aircraft")
    stage.tick(aircraft(1))
    assert history() == []
    stage.tick(aircraft(1), aircraft(2))
    stage.tick(aircraft(1), aircraft(2), aircraft(3))
    (alert,) = history()
    assert (alert["icao_hex"], alert["count"], alert["message"]) == (None, 2, "2 aircraft")
    assert [named["icao_hex"] for named in alert["matched"]] == ["4B1601", "4B1602"]
    stage.tick(aircraft(1))
    assert history()[0]["cleared_at"] is not None


def test_a_cone_overhead(stage, add_rule, history):
    add_rule(conditions=test_of("elevation_deg", "ge", 60))
    stage.tick(aircraft(1, lat=47.45, lon=8.57, alt_baro=10000), aircraft(2, lat=47.7, lon=8.9, alt_baro=10000))
    assert [alert["icao_hex"] for alert in history()] == ["4B1601"]


def test_a_squawk_range_and_a_watch_list(client, stage, add_rule, history):
    body = {"name": "Mine", "entries": ["4b1602", "SWR3"]}
    listed = client.post_json(URL + "watchlists", body, headers=client.people["olga"]).json
    add_rule(name="Squawk", conditions=test_of("squawk", "in", ["3000-3050", "7700"]))
    watched = {"all": [test_of("watchlist", "in", listed["id"]), test_of("distance_nm", "lt", 20)]}
    add_rule(name="Watched", conditions=watched)
    stage.tick(aircraft(1, squawk="3050"), aircraft(2, squawk="3051"), aircraft(3), aircraft(4, squawk="7700"))
    assert sorted((alert["rule_name"], alert["icao_hex"]) for alert in history()) == [
        ("Squawk", "4B1601"), ("Squawk", "4B1604"), ("Watched", "4B1602"), ("Watched", "4B1603"),
    ]  # fmt: skip


def test_an_acars_message_is_tested_when_it_arrives(stage, add_rule, history):
    add_rule("ana", name="Text", for_s=None, conditions=test_of("acars_text", "contains", "engine"))
    add_rule("ana", name="Label", for_s=None, conditions={"all": [test_of("acars_label", "eq", "H1"), LOW]})
    stage.tick(aircraft())
    for data in (
        b'{"icao_hex": "4B1601", "label": "H1", "text": "ENGINE REPORT", "at": 1790000001.5}',
        b'{"icao_hex": "4B16EE", "label": "H1", "text": "Engine 2", "registration": "HB-JCA"}',
        b'{"icao_hex": null, "label": "H1", "text": "engine"}',
        b"not JSON",
    ):
        stage.runtime.bus.publish(Message(RECEIVED, "message", data))
    stage.tick(aircraft())
    found = sorted((alert["rule_name"], alert["icao_hex"]) for alert in history("ana"))
    assert found == [("Label", "4B1601"), ("Text", "4B1601"), ("Text", "4B16EE")]
    assert next(a for a in history("ana") if a["rule_name"] == "Text")["matched"][0]["field"] == "acars_text"


def test_a_restart_announces_nothing_again(stage, add_rule, history):
    add_rule(cooldown_s=0)
    stage.tick(*(aircraft(number) for number in range(20)))
    for _ in range(3):
        stage.restart()
        stage.tick()
        stage.tick(*(aircraft(number) for number in range(20)))
        stage.tick(*(aircraft(number) for number in range(20)))
    assert len(history()) == 20
    stage.restart()
    stage.tick(*(aircraft(number) for number in range(21)))
    assert len(history()) == 21, "what began to match meanwhile is announced"


def test_two_trackers_announce_once(stage, add_rule, history):
    add_rule()
    other = AlertStage(stage.runtime, stage.now)
    stage.tick(aircraft())
    other.tick(aircraft())
    other.close()
    assert len(history()) == 1


@pytest.mark.parametrize(
    "change", [{"name": "Other"}, {"cooldown_s": 0}, {"priority": "critical"}, {"message": "x"}, {"for_s": 1}]
)
def test_a_change_of_other_members_announces_nothing(client, stage, add_rule, history, change):
    rule = add_rule()
    stage.tick(aircraft())
    client.patch_json(f"{URL}rules/{rule['id']}", change, headers=client.people["olga"])
    stage.reload()
    for _ in range(3):
        stage.tick(aircraft())
    assert len(history()) == 1


def test_changed_conditions_restart_silently(client, stage, add_rule, history):
    rule = add_rule(cooldown_s=0)
    stage.tick(aircraft(1), aircraft(2, alt_baro=6000))
    wider = {"conditions": test_of("alt_baro", "lt", 7000)}
    client.patch_json(f"{URL}rules/{rule['id']}", wider, headers=client.people["olga"])
    stage.reload()
    stage.tick(aircraft(1), aircraft(2, alt_baro=6000))
    stage.tick(aircraft(1), aircraft(2, alt_baro=6000))
    assert len(history()) == 1
    assert history()[0]["cleared_at"] is not None
    stage.restart()
    stage.tick(aircraft(1), aircraft(2, alt_baro=6000))
    assert len(history()) == 1
    stage.tick(aircraft(1), aircraft(2, alt_baro=9000))
    stage.tick(aircraft(1), aircraft(2, alt_baro=6000), aircraft(3, alt_baro=6500))
    assert sorted(alert["icao_hex"] for alert in history()) == ["4B1601", "4B1602", "4B1603"]


def test_a_rule_that_is_switched_off_is_silent_and_stays_so_when_it_is_back(client, stage, add_rule, history):
    rule = add_rule(cooldown_s=0)
    url = f"{URL}rules/{rule['id']}"
    stage.tick(aircraft(1))
    client.patch_json(url, {"enabled": False}, headers=client.people["olga"])
    stage.reload()
    stage.tick(aircraft(1), aircraft(2))
    assert len(history()) == 1
    client.patch_json(url, {"enabled": True}, headers=client.people["olga"])
    stage.reload()
    stage.tick(aircraft(1), aircraft(2))
    assert len(history()) == 1


def test_a_rule_holds_between_its_times(stage, add_rule, history):
    add_rule(name="Past", expires_at="2020-01-01T00:00:00Z")
    add_rule(name="Future", starts_at="2100-01-01T00:00:00Z")
    add_rule(name="Now", starts_at="2020-01-01T00:00:00Z", expires_at="2100-01-01T00:00:00Z")
    stage.tick(aircraft())
    assert [alert["rule_name"] for alert in history()] == ["Now"]


def test_a_deleted_rule_is_silent_and_its_alerts_stay(client, stage, add_rule, history):
    rule = add_rule()
    stage.tick(aircraft(1))
    client.delete(f"{URL}rules/{rule['id']}", headers=client.people["olga"], status=204)
    stage.reload()
    stage.tick(aircraft(2))
    (alert,) = history()
    assert (alert["rule_id"], alert["rule_name"]) == (None, "Low")


def test_a_change_is_in_force_within_two_seconds(client, history):
    stage = AlertStage(client.runtime)
    stage.monitor._task.start(3.0)
    try:
        body = {"name": "Low", "conditions": LOW, "for_s": 0}
        client.post_json(URL + "rules", body, headers=client.people["olga"], status=201)
        until(lambda: stage.tick(aircraft()) or history())
        assert len(history()) == 1
    finally:
        stage.monitor._task.close()
        stage.close()
