"""An installation with people, a client and the monitor of alerts, on both databases."""

import pytest

from tests.accounts import Population
from tests.alerts import LOW, AlertStage

URL = "/api/v1/alerts/"
# The members of an alert in the history.
SHOWN = {
    "id", "rule_id", "rule_name", "priority", "icao_hex", "callsign", "registration", "message", "aircraft", "matched",
    "message_code", "message_params", "geofence",
    "count", "simulated", "triggered_at", "cleared_at", "acknowledged", "acknowledged_by", "acknowledged_at",
    "deliveries",
}  # fmt: skip


@pytest.fixture
def client(make_client, database_url):
    """A client of an installation in mode hybrid; ``client.people`` are headers by name."""
    client = make_client(database_url=database_url, auth_mode="hybrid", notify_allow_networks="127.0.0.0/8")
    population = client.population = Population(client.runtime)
    roles = {"vera": "viewer", "olga": "operator", "otto": "operator", "ana": "analyst", "adam": "admin"}
    client.ids = population.users(roles)
    client.people = population.bearers(client.ids)
    return client


@pytest.fixture
def stage(client):
    """The monitor on the client's runtime."""
    stage = AlertStage(client.runtime)
    yield stage
    stage.close()


@pytest.fixture
def add_rule(client, stage):
    """Creates a rule through the API and puts it in force."""

    def add(who="olga", status=201, **members):
        body = {"name": "Low", "conditions": LOW, "for_s": 0, **members}
        rule = client.post_json(URL + "rules", body, headers=client.people[who], status=status).json
        stage.reload()
        return rule

    return add


@pytest.fixture
def history(client):
    """The alerts of somebody."""

    def read(who="olga", query=""):
        return client.get(f"{URL}history{query}", headers=client.people[who]).json["alerts"]

    return read
