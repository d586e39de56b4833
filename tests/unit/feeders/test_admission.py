"""Who is let in, and what is written of feeders, on both databases."""

import json
from collections import Counter

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.features import FEATURES
from skywatch.feeders.admission import FeederAdmission
from skywatch.feeders.models import Feeder
from skywatch.feeders.states import published
from skywatch.realtime.events.published import EventLog
from skywatch.realtime.topics import TopicTable
from skywatch.receivers.ingest.reception import FeederReception
from skywatch.receivers.listening.connection import FeederConnection
from skywatch.receivers.listening.hub import FeederHub, hash_of
from skywatch.receivers.mode_s.encoder import airborne_position, beast, squitter
from skywatch.security.visibility import Visibility

DIGITS = "0e48a1bad7d04a1ba2b14b87d7d0a1ba"


@pytest.fixture
def runtime(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    with writing(runtime.sessions) as db:
        db.add(User(id=1, username="ada", username_key="ada", email="", email_key=None, display_name="Ada"))
        db.flush()
        now = utcnow()
        row = {"uuid_hash": hash_of(DIGITS), "uuid_start": DIGITS[:8], "created_at": now, "updated_at": now}
        db.add(Feeder(id=7, owner_id=1, name="Attic", name_key="attic", **row))
    return runtime


def change(runtime, table, **values):
    with writing(runtime.sessions) as db:
        db.execute(sa.update(table).values(**values))


def connect(runtime, network="203.0.113.7/32"):
    hub = runtime.shared(FeederHub)
    connection = FeederConnection(
        hub.by_uuid(DIGITS), ("203.0.113.7", 4000), network, 100, Counter(), hub, lambda: None
    )
    return connection, hub.claim(connection)


def test_a_feeder_is_let_in_until_it_its_owner_or_its_uuid_is_not(runtime):
    admission, hub = FeederAdmission(runtime), runtime.shared(FeederHub)
    admission._work()
    feeder = hub.by_uuid(DIGITS)
    assert (feeder.id, hub.is_admitted(feeder)) == (7, True)
    change(runtime, User, is_active=False)
    admission._work()
    assert not hub.is_admitted(feeder)
    change(runtime, User, is_active=True)
    admission._work()
    assert hub.is_admitted(feeder)
    change(runtime, Feeder, enabled=False)
    admission._work()
    assert not hub.is_admitted(feeder)
    change(runtime, Feeder, enabled=True, uuid_hash="0" * 64)
    admission._work()
    assert (hub.by_uuid(DIGITS), hub.is_admitted(feeder)) == (None, False)
    renewed = hub.by_hash("0" * 64)
    with writing(runtime.sessions) as db:
        db.execute(sa.delete(Feeder))
    admission._work()
    assert not hub.is_admitted(renewed)


def test_owners_who_change_places_within_a_second_are_both_noticed(runtime):
    admission, hub = FeederAdmission(runtime), runtime.shared(FeederHub)
    with writing(runtime.sessions) as db:
        db.add(
            User(id=2, username="bob", username_key="bob", email="", email_key=None, display_name="", is_active=False)
        )
        db.flush()
        now = utcnow()
        row = {"uuid_hash": "1" * 64, "uuid_start": "11111111", "created_at": now, "updated_at": now}
        db.add(Feeder(id=8, owner_id=2, name="Barn", name_key="barn", **row))
    admission._work()
    first = hub.by_uuid(DIGITS)
    with writing(runtime.sessions) as db:
        db.execute(sa.update(User).values(is_active=sa.not_(User.is_active)))
    admission._work()
    assert not hub.is_admitted(first)
    assert hub.by_hash("1" * 64).id == 8


def test_states_are_published_and_last_seen_is_written(runtime):
    admission, hub = FeederAdmission(runtime), runtime.shared(FeederHub)
    admission._work()
    connection, is_in = connect(runtime)
    reception = runtime.shared(FeederReception)
    hub.gatherer.add = lambda stream: hub.gatherer._waiting.__setitem__(stream.slot, stream)
    assert is_in
    for refused in (0, 1):
        hub.refused = {"feeder-7": refused}.get
        connection.receive(b"".join(beast(squitter(0x4B1617, airborne_position(47.5, 8.5, odd)), 0) for odd in (0, 1)))
        hub.gatherer.flush(1_700_000_000.0)
        reception.take("", hub.reduce())
    connection.last_frame_at = 1_700_000_000.0
    reception.take("", hub.reduce())
    admission._work()
    state = published(runtime.bus)[7]
    assert (state.address, state.is_silent, state.aircraft) == ("203.0.113.7:4000", False, 1)
    assert (state.disputes_share, state.duplicates_share, state.clock) == (0.5, 0.0, None)
    assert [hearer.feeder_id for hearer in reception.hearers("4b1617")] == [7]
    admission._write_seen()
    with writing(runtime.sessions) as db:
        assert db.get(Feeder, 7).last_seen_at.timestamp() == 1_700_000_000.0


@pytest.mark.parametrize("owner", [1, None])
def test_a_copied_uuid_is_noted_and_told_to_its_owner_and_managers_once(runtime, owner):
    change(runtime, Feeder, owner_id=owner)
    messages = []
    runtime.bus.subscribe(["system"], messages.append)
    admission = FeederAdmission(runtime)
    admission._work()
    connect(runtime)
    assert not connect(runtime, "203.0.113.8/32")[1]
    admission._work()
    connect(runtime, "203.0.113.8/32")
    admission._work()
    (message,) = messages
    assert (message.event, json.loads(message.data)["id"]) == ("feeder:uuid_copied", 7)
    manager, viewer = frozenset({"feeders.manage"}), frozenset({"system.view_status"})
    assert message.audience.includes(9, manager)
    assert message.audience.includes(1, viewer) is (owner == 1)
    assert not message.audience.includes(2, viewer)
    log = EventLog("system", TopicTable(FEATURES), "start")
    streams = {
        user: log.stream_for(Visibility(user, rights)) for user, rights in ((1, viewer), (2, viewer), (9, manager))
    }
    received = {stream for stream, _ in log.publish(message)}
    assert received == {streams[user] for user in ((1, 9) if owner == 1 else (9,))}
    with writing(runtime.sessions) as db:
        assert db.get(Feeder, 7).notice["kind"] == "uuid_copied"


def test_signals_of_a_feeder_are_shown_only_where_its_place_is_exact(runtime):
    hub, admission = runtime.shared(FeederHub), FeederAdmission(runtime)
    for privacy in ("10km", "none", "exact"):
        change(runtime, Feeder, place_privacy=privacy)
        admission._work()
        assert hub.by_name("attic").shows_signal is (privacy == "exact")
