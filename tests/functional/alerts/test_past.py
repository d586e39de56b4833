"""The dry run over stored history, by the REST API and by the command."""

import json

import pytest
from click.testing import CliRunner

from skywatch.airports.models import Movement
from skywatch.cli import group
from skywatch.core.clock import to_datetime
from skywatch.core.database.engine import writing
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


@pytest.mark.deep("reads the directory of airports")
def test_movements_of_the_past_are_tested(client):
    """Each with the aircraft as it was then; of one that is not recorded the movement alone is known."""
    moved = (
        ("4B1620", 101.0, "landing", "LSZH"),
        ("4B1620", 200.0, "take_off", "LSZH"),
        ("43C001", 150.0, "landing", "LSZH"),
        ("3C0001", 300.0, "touch_and_go", "EDDF"),
        ("3C0002", 310.0, "go_around", "EDDF"),
        ("4B1620", 20.0, "landing", "LSZH"),
        ("4B1620", 360.0, "landing", "LSZH"),
    )
    with writing(client.runtime.sessions) as session:
        for address, at, kind, airport in moved:
            military = address == "43C001"
            session.add(
                Movement(
                    airport=airport, kind=kind, runway="14", at=to_datetime(T + at), sure=0.9, icao_hex=address,
                    callsign="SWR1", military=military, simulated=False,
                )
            )  # fmt: skip

    def dry(who, conditions):
        body = {"rule": {"conditions": conditions, "cooldown_s": 0}, **SPAN}
        return client.post_json(URL + "rules/test", body, headers=client.people[who]).json["alerts"]

    lands = {"field": "lands_at", "op": "in", "value": ["LSZH", "EDDF"]}
    assert addresses(dry("operator", lands)) == ["3C0001", "4B1620"]
    assert addresses(dry("analyst", lands)) == ["3C0001", "43C001", "4B1620"]
    (alert,) = dry("operator", {"all": [lands, {"field": "t", "op": "eq", "value": "A320"}]})
    assert (alert["icao_hex"], alert["triggered_at"]) == ("4B1620", iso(T + 101))
    assert alert["aircraft"]["alt_baro"] == 36_000
    (alert,) = dry("operator", {"field": "takes_off_from", "op": "eq", "value": "EDDF"})
    assert (alert["icao_hex"], alert["callsign"]) == ("3C0001", "SWR1")


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
    with writing(client.runtime.sessions) as session:
        session.add(
            Movement(
                airport="LSZH", kind="landing", at=to_datetime(T + 90), sure=0.9, icao_hex="4B1620", military=False
            )
        )
    done = run({"conditions": {"field": "lands_at", "op": "eq", "value": "LSZH"}}, "--from", SPAN["from"])
    assert "at most 24 hours" in done.stderr
    done = run(
        {"conditions": {"field": "lands_at", "op": "eq", "value": "LSZH"}}, "--from", SPAN["from"], "--to", SPAN["to"]
    )
    assert addresses(map(json.loads, done.stdout.splitlines())) == ["4B1620"], done.stderr
    for rule, options, words in (
        ({"conditions": {"field": "alt", "op": "lt", "value": 1}}, (), "'alt' is not a field"),
        (RULE, ("--from", "yesterday"), "is not an ISO 8601 time"),
        (RULE, ("--from", SPAN["to"], "--to", SPAN["from"]), "must be after --from"),
        (RULE, (), "no live picture"),
        ({**RULE, "conditions": {"field": "geofence", "op": "within", "value": 9}}, (), "no geofence 9"),
    ):
        failed = run(rule, *options)
        assert (failed.exit_code, words in failed.stderr) == (1, True), failed.stderr
