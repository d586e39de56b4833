"""The history of connections as it is stored and shown."""

import sys
from datetime import UTC, datetime, timedelta

import pytest

from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.engine import writing
from skywatch.reception.connections.storage import MOST, Connection, connections, store
from tests.identities import as_role, install_with_users

ADA = as_role("operator")
# Its own at each test: what was renewed long ago counts as ended.
NOW = 0.0


@pytest.fixture(autouse=True)
def _now(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "NOW", utcnow().replace(microsecond=0).timestamp())


@pytest.fixture
def client(make_client):
    return install_with_users(make_client(auth_mode="hybrid", **{"receiver.roof": "simulate"}))


def write(client, *changes, present=(), is_first=False, is_renewal=False):
    with writing(client.runtime.sessions) as db:
        store(db, changes, dict(present), NOW, is_first=is_first, is_renewal=is_renewal)


def shown(client, path="/api/v1/system/receivers/roof/quality"):
    return client.get(path, headers=ADA).json["connections"]


def text(at):
    return to_iso(datetime.fromtimestamp(at, UTC))


def test_connections_are_shown_the_latest_first_and_the_open_one_without_an_end(client):
    write(
        client, Connection("roof", NOW - 900, NOW - 600, is_open=False), Connection("roof", NOW - 60, NOW, is_open=True)
    )
    assert shown(client) == [
        {"since": text(NOW - 60), "until": None},
        {"since": text(NOW - 900), "until": text(NOW - 600)},
    ]


def test_a_crash_ends_connections_when_they_were_last_seen(client):
    write(client, Connection("roof", NOW - 900, NOW - 600, is_open=True))
    assert shown(client)[0]["until"] == text(NOW - 600), "the tracker is gone"
    write(client, present={"roof": NOW - 5.0}.items(), is_first=True, is_renewal=True)
    assert shown(client)[0]["until"] == text(NOW - 600)


def test_a_connection_to_another_process_outlives_the_tracker(client):
    write(client, Connection("roof", NOW - 900, NOW - 600, is_open=True))
    write(client, present={"roof": NOW - 900}.items(), is_first=True, is_renewal=True)
    assert shown(client) == [{"since": text(NOW - 900), "until": None}]


def test_a_receiver_that_reconnects_all_the_time_has_a_hundred_rows(client):
    write(client, *(Connection("roof", NOW - ago, NOW - ago + 1, is_open=False) for ago in range(MOST + 20)))
    history = shown(client)
    assert len(history) == MOST
    assert history[0]["since"] == text(NOW)


def test_the_connections_of_a_feeder_go_with_it_and_are_its_owners(client):
    number = client.post_json("/api/v1/feeders/", {"name": "Attic"}, headers=ADA, status=201).json["id"]
    change = Connection(f"feeder-{number}", NOW - 60, NOW, is_open=True)
    write(client, change)
    path = f"/api/v1/feeders/{number}/quality"
    assert len(shown(client, path)) == 1
    client.get(path, headers=as_role("viewer", 4), status=403)
    client.delete(f"/api/v1/feeders/{number}/", headers=ADA)
    write(client, change, present={change.receiver: change.since}.items(), is_first=True)
    begin = utcnow() - timedelta(days=1)
    with client.runtime.sessions() as db:
        assert connections(db, change.receiver, begin, utcnow()) == []
