"""What still names a deleted rule, geofence, watch list or alert never comes to mean another one."""

import pytest
import sqlalchemy as sa

from skywatch.alerts.models import Alert
from skywatch.alerts.published_rules import PublishedRules
from skywatch.core.database.engine import writing
from tests.alerts import BOX, LOW, aircraft, test_of
from tests.functional.alerts.conftest import URL
from tests.notifying import add_channel, deliveries

FAR = {"type": "Polygon", "coordinates": [[[-9, 47], [-8, 47], [-8, 48], [-9, 48], [-9, 47]]]}


def test_a_rule_has_none_of_the_conditions_of_one_that_was_deleted_before_it(client, stage, add_rule, history):
    first = add_rule("olga")
    # The tracker has not looked since.
    client.delete(f"{URL}rules/{first['id']}", headers=client.people["olga"], status=204)
    second = add_rule("otto", name="High", conditions=test_of("alt_baro", "gt", 30_000))
    stage.tick(aircraft(alt_baro=3000))
    assert history("otto") == []
    stage.tick(aircraft(alt_baro=35_000))
    assert [alert["rule_id"] for alert in history("otto")] == [second["id"]]
    assert second["id"] > first["id"]


def test_a_geofence_has_not_the_shape_of_one_that_was_deleted_before_it(client, stage, add_rule, history):
    def add(who, geometry):
        body = {"name": "Fence", "geometry": geometry}
        return client.post_json(URL + "geofences", body, headers=client.people[who], status=201).json["id"]

    first = add("olga", BOX)
    stage.reload()
    client.delete(f"{URL}geofences/{first}", headers=client.people["olga"], status=204)
    second = add("otto", FAR)
    add_rule("otto", conditions=test_of("geofence", "within", second))
    stage.tick(aircraft())
    assert history("otto") == []
    assert second > first


def test_a_watch_list_has_no_entry_of_one_that_was_deleted_before_it(client, stage, add_rule, history):
    def add(who, entry):
        body = {"name": "Mine", "entries": [entry]}
        return client.post_json(URL + "watchlists", body, headers=client.people[who], status=201).json["id"]

    first = add("olga", "4B1601")
    stage.reload()
    client.delete(f"{URL}watchlists/{first}", headers=client.people["olga"], status=204)
    second = add("otto", "4B1602")
    add_rule("otto", conditions=test_of("watchlist", "in", second))
    stage.tick(aircraft(1))
    assert history("otto") == []
    assert second > first


@pytest.fixture
def outlived(client, stage, add_rule):
    """The id of an alert of olga's that was delivered, and that retention has removed with all others."""
    add_rule("olga", channels=[add_channel(client.runtime.sessions, client.ids["olga"])])
    stage.tick(aircraft())
    with writing(client.runtime.sessions) as session:
        alert_id = session.scalars(sa.select(Alert.id)).one()
        session.execute(sa.delete(Alert))
    return alert_id


def test_an_alert_has_no_deliveries_of_one_that_retention_removed(client, stage, add_rule, history, outlived):
    add_rule("otto", conditions=LOW)
    stage.tick(aircraft())
    (alert,) = history("otto")
    assert [delivery.subject_id for delivery in deliveries(client.runtime.sessions)] == [outlived]
    assert alert["deliveries"] == []
    assert alert["id"] > outlived


def test_alerts_are_published_after_retention_has_removed_all_before_them(client, stage, add_rule, outlived):
    rule = add_rule("adam", conditions=LOW, mqtt=True)
    stage.tick(aircraft())
    with client.runtime.sessions() as session:
        (alert,) = PublishedRules().events_after(session, outlived, limit=10)
    assert alert.rule_id == rule["id"]
