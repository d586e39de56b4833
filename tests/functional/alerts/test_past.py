"""The dry run over stored history, by the REST API and by the command."""

import json

import pytest
from click.testing import CliRunner

from skywatch.cli import group
from tests.accounts import Population
from tests.functional.history.recorded import T, iso, record

URL = "/api/v1/alerts/"
RULE = {"name": "Any", "conditions": {"field": "on_ground", "op": "eq", "value": False}, "message": "{callsign}"}
SPAN = {"from": iso(T + 60), "to": iso(T + 360)}


@pytest.fixture
def client(make_client, sqlite_url):
    client = make_client(database_url=sqlite_url, auth_mode="hybrid")
    population = Population(client.runtime)
    client.people = {role: population.bearer(population.user(role, role)) for role in ("operator", "analyst")}
    record(client.runtime.sessions, 400)
    return client


def addresses(alerts):
    return sorted(alert["icao_hex"] for alert in alerts)


def test_what_a_rule_would_have_announced(client):
    def dry(who, **body):
        return client.post_json(URL + "rules/test", {"rule": RULE, **SPAN, **body}, headers=client.people[who]).json

    civil, all_of_them = dry("operator"), dry("analyst")
    assert addresses(civil["alerts"]) == ["4B1620"]
    assert addresses(all_of_them["alerts"]) == ["43C001", "4B1620"]
    assert (all_of_them["count"], all_of_them["per_hour"], all_of_them["truncated"]) == (2, 24.0, False)
    assert civil["alerts"][0]["message"] == "SWR1"
    crowd = dry("analyst", rule={**RULE, "count": {"op": "ge", "value": 2}})
    assert [alert["count"] for alert in crowd["alerts"]] == [2]
    assert client.get(URL + "history", headers=client.people["analyst"]).json["count"] == 0


def test_the_command(client, sqlite_url, tmp_path):
    ini, file = tmp_path / "test.ini", tmp_path / "rule.json"
    ini.write_text(
        "[app:main]\nuse = egg:skywatch\nenvironment = development\n"
        f"secret = only-for-tests-0123456789abcdef0123456789\ndatabase_url = {sqlite_url}\n"
    )

    def run(rule, *options):
        file.write_text(json.dumps(rule))
        return CliRunner().invoke(group, ["rules", "test", str(ini), str(file), *options])

    done = run(RULE, "--from", SPAN["from"], "--to", SPAN["to"])
    assert done.exit_code == 0, done.output
    assert addresses(map(json.loads, done.stdout.splitlines())) == ["43C001", "4B1620"]
    assert "2 alerts, 24.0 an hour" in done.stderr
    for rule, options, words in (
        ({"conditions": {"field": "alt", "op": "lt", "value": 1}}, (), "'alt' is not a field"),
        (RULE, ("--from", "yesterday"), "is not an ISO 8601 time"),
        (RULE, ("--from", SPAN["to"], "--to", SPAN["from"]), "must be after --from"),
        (RULE, (), "no live picture"),
        ({**RULE, "conditions": {"field": "geofence", "op": "within", "value": 9}}, (), "no geofence 9"),
    ):
        failed = run(rule, *options)
        assert (failed.exit_code, words in failed.stderr) == (1, True), failed.stderr
