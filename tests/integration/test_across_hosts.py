"""Limits, revocations, caches and claims hold across hosts: what one process does holds in another, over both buses."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import ApiKey
from skywatch.core.bus import open_bus
from skywatch.core.database.engine import writing
from skywatch.core.storage.audit import Actor
from skywatch.core.stored_settings import change
from skywatch.feeders.ingest.connected_feeders import ConnectedFeeders
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.feeder_streams.hub import FeederHub
from tests.accounts import PASSWORD, Population
from tests.unit.feeders.test_claims import Connection, Loop, enter
from tests.waiting import until

V1 = "/api/v1"


@pytest.fixture(params=["redis_url", "nats_url"])
def bus_url(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def hosts(make_client, postgresql_url, bus_url):
    """Two processes on one database and one bus, with a superadmin and a viewer."""
    shared = {"database_url": postgresql_url, "bus": bus_url, "auth_mode": "hybrid", "secret": "x" * 40}
    shared["default_throttle_rates.login"] = "5/minute"
    here, there = make_client(**shared), make_client(**shared)
    here.people = Population(here.runtime)
    here.root = here.people.bearer(here.people.user("root", "superadmin"))
    here.ada = here.people.user("ada", "viewer")
    return here, there


def status(client, path, headers=None):
    return client.get(f"{V1}{path}", headers=headers or {}, expect_errors=True).status_int


def test_a_logout_ends_the_token_everywhere(hosts):
    here, there = hosts
    login = here.post_json(f"{V1}/auth/login", {"username": "ada", "password": PASSWORD}).json
    header = {"Authorization": f"Bearer {login['access']}"}
    assert status(there, "/auth/profile", header) == 200
    here.post_json(f"{V1}/auth/logout", {"refresh": login["refresh"]}, headers=header)
    until(lambda: status(there, "/auth/profile", header) == 401)


def test_a_deleted_key_and_a_disabled_user_are_refused_everywhere(hosts):
    here, there = hosts
    key = {"X-API-Key": here.people.key(here.ada, "aircraft")}
    assert status(there, "/auth/profile", key) == 200
    with here.runtime.sessions() as session:
        number = session.scalars(sa.select(ApiKey.id)).one()
    here.delete(f"{V1}/api-keys/{number}", headers=here.people.bearer(here.ada))
    until(lambda: status(there, "/auth/profile", key) == 401)
    header = here.people.bearer(here.ada)
    assert status(there, "/auth/profile", header) == 200
    here.patch_json(f"{V1}/users/{here.ada}", {"is_active": False}, headers=here.root)
    until(lambda: status(there, "/auth/profile", header) == 401)


def test_access_settings_and_stored_settings_hold_everywhere(hosts):
    here, there = hosts
    assert status(there, "/aircraft/stats") == 401
    here.patch_json(f"{V1}/feature-access/aircraft", {"read_access": "public"}, headers=here.root)
    until(lambda: status(there, "/aircraft/stats") != 401)
    assert there.runtime.current.of(PictureSettings).station != (59.9, 30.3)
    with writing(here.runtime.sessions) as session:
        change(session, here.runtime.settings, Actor("root", "console"), {"station_lat": "59.9", "station_lon": "30.3"})
    until(lambda: there.runtime.current.of(PictureSettings).station == (59.9, 30.3))


def test_guesses_in_one_process_count_in_the_other(hosts):
    here, there = hosts
    wrong = {"username": "ada", "password": "wrong"}

    def guess(client):
        return client.post_json(f"{V1}/auth/login", wrong, expect_errors=True).status_int

    assert guess(there) == 401
    guesses = []
    until(lambda: guesses.append(guess(here)) or guesses[-1] == 429)
    assert len(guesses) <= 6
    # On NATS it arrives a moment later.
    until(lambda: guess(there) == 429)


class Hub(FeederHub):
    """Knows how often it was told that a feeder has connected to another process."""

    told = 0

    def close_soon(self, number):
        super().close_soon(number)
        self.told += 1


def test_a_feeder_is_connected_to_one_process_at_a_time(bus_url):
    made, buses = [], [open_bus(bus_url) for _ in range(2)]
    for name, bus in zip(("one", "two"), buses, strict=True):
        hub = Hub(loop=Loop())
        claims = ConnectedFeeders(bus, hub, name)
        claims.start()
        made.append((claims, hub))
    older, newer, stranger = Connection("net"), Connection("net"), Connection("elsewhere")
    assert enter(made[0], older)
    # A claim that comes late would close the newer connection as well.
    until(lambda: made[1][1].told)
    assert enter(made[1], newer)
    until(lambda: older.is_closed)
    assert not newer.is_closed
    made[1][0].renew()
    assert not enter(made[0], stranger)
    for bus in buses:
        bus.close()
