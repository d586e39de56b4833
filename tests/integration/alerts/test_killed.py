"""A tracker that is killed again and again while alerts fire loses none and announces none twice."""

import os
import random
import time
from collections import Counter

import pytest
import sqlalchemy as sa

from skywatch.alerts.models import Alert
from skywatch.core.database.models import StoredEvent
from skywatch.notify.models import Delivery
from tests.accounts import Population
from tests.alerts import LOW
from tests.integration.alerts.tracker import LAST
from tests.prefork import start_module
from tests.processes import ENVIRONMENT
from tests.waiting import until

pytestmark = pytest.mark.portable("the alerts and deliveries of tests/functional/alerts and delivering")

# More of them, and with them more moments of a kill: `ALERT_KILLS=50`.
KILLS = int(os.environ.get("ALERT_KILLS", "3"))
URL = "/api/v1/alerts/"


@pytest.fixture
def client(make_client, database_url):
    client = make_client(database_url=database_url, auth_mode="hybrid")
    population = Population(client.runtime)
    client.headers = population.bearer(population.user("olga", "operator"))
    return client


def start(url, began):
    process = start_module("tests.integration.alerts.tracker", url, str(began), environment=ENVIRONMENT)
    assert process.stdout.readline() == "ready\n"
    return process


def test_no_alert_is_lost_or_announced_twice(client, database_url):
    channel = {"name": "Hook", "kind": "webhook", "address": "https://hooks.example.org/x"}
    channel = client.post_json(URL + "channels", channel, headers=client.headers).json["id"]
    rule = {"name": "Low", "conditions": LOW, "for_s": 0, "cooldown_s": 86_400, "channels": [channel]}
    client.post_json(URL + "rules", rule, headers=client.headers)
    chance = random.Random(1)
    began = time.time()
    for _ in range(KILLS):
        tracker = start(database_url, began)
        time.sleep(chance.uniform(0.2, 1.2))
        tracker.kill()
        tracker.wait()
    tracker = start(database_url, began)
    sessions = client.runtime.sessions
    try:
        with sessions() as session:
            until(lambda: (session.rollback(), session.scalar(sa.select(sa.func.count(Alert.id))))[1] == LAST)
    finally:
        tracker.kill()
        tracker.wait()
    with sessions() as session:
        alerts = session.scalars(sa.select(Alert)).all()
        assert Counter(alert.icao_hex for alert in alerts) == {f"4B16{number:02X}": 1 for number in range(LAST)}
        delivered = session.scalars(sa.select(Delivery.subject_id)).all()
        assert sorted(delivered) == sorted(alert.id for alert in alerts)
        triggered = sa.select(sa.func.count()).where(StoredEvent.event == "alert:triggered")
        assert session.scalar(triggered) == LAST


def test_restarts_announce_nothing_again(client, database_url, make_runtime):
    from tests.alerts import BOX, AlertStage, aircraft, test_of

    fence = client.post_json(URL + "geofences", {"name": "Home", "geometry": BOX}, headers=client.headers).json["id"]
    rule = {"name": "Home", "conditions": test_of("geofence", "within", fence), "for_s": 0, "cooldown_s": 0}
    client.post_json(URL + "rules", rule, headers=client.headers)
    sky = [aircraft(number, hex=f"4b{number:04x}") for number in range(300)]
    stage = AlertStage(client.runtime)
    stage.monitor._engine.fired_per_tick = 1000
    stage.tick(*sky)
    for _ in range(3):
        stage.restart()
        stage.tick(*sky)
        stage.tick(*sky)
    stage.close()
    assert client.get(URL + "history?limit=1", headers=client.headers).json["count"] == 300
