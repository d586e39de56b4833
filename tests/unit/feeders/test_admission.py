"""Who is let in, and what is written of feeders, on both databases."""

import asyncio
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
from skywatch.realtime.topics.event_log import EventLog
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.feeder_streams import hub as hub_module
from skywatch.receivers.feeder_streams.connection import FeederConnection
from skywatch.receivers.feeder_streams.feeder import KnownFeeder, hash_of
from skywatch.receivers.feeder_streams.hub import FeederHub, feeder_hub
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.mode_s.encoder import airborne_position, beast, squitter
from skywatch.receivers.settings import ReceiverSettings
from skywatch.security.visibility import Visibility
from tests.unit.receivers.collector import Collector
from tests.unit.receivers.feeder_streams import connections
from tests.unit.receivers.feeder_streams.connections import FRAME, HELLO, ended, until
from tests.waiting import PATIENCE_S

DIGITS = "0e48a1bad7d04a1ba2b14b87d7d0a1ba"


@pytest.fixture
def runtime(make_runtime, database_url, monkeypatch):
    # Whoever cannot be looked up in time is a stranger: a busy machine takes its time.
    monkeypatch.setattr(hub_module, "READ_WITHIN_S", PATIENCE_S)
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
    hub = runtime.shared(feeder_hub)
    connection = FeederConnection(
        hub.by_hash(hash_of(DIGITS)), ("203.0.113.7", 4000), network, 100, Counter(), hub, lambda: None
    )
    return connection, hub.claim(connection)


def listen(runtime, scene, admission="registered", options=""):
    """A listener of the process, whose records are read once a second, while a scene is played with it."""

    async def play():
        settings = ReceiverSettings(feeders_admission=admission)
        context = ReceiverContext(settings=settings, feeders=runtime.shared(feeder_hub))
        receiver = open_receiver("in", f"listen 127.0.0.1:0 {options}", None, context)
        sink = Collector()
        task = asyncio.create_task(receiver.run(sink))
        try:
            await until(lambda: receiver.port.number is not None)
            await scene(receiver, sink)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    asyncio.run(play())


SHUT_OUT = [(Feeder, {"enabled": False}), (User, {"is_active": False})]


@pytest.mark.parametrize(("table", "values"), SHUT_OUT)
def test_who_is_shut_out_does_not_come_back_as_anonymous(runtime, table, values):
    FeederAdmission(runtime)._work()

    async def scene(receiver, sink):
        first, _ = await connections.connect(receiver, HELLO + FRAME)
        await until(lambda: sink.receivers == {"feeder-7"})
        change(runtime, table, **values)
        runtime.shared(feeder_hub).read()
        assert await ended(first)
        again, _ = await connections.connect(receiver, HELLO + FRAME)
        assert await ended(again)
        assert (receiver.status.refused, receiver.status.anonymous, sink.messages) == (1, [], 1)
        change(runtime, table, **{name: not value for name, value in values.items()})
        await connections.connect(receiver, HELLO + FRAME)
        await until(lambda: sink.messages == 2)
        assert sink.receivers == {"feeder-7"}

    listen(runtime, scene, "anybody")


def test_a_port_of_a_feeder_that_is_shut_out_says_so(runtime):
    change(runtime, Feeder, enabled=False)
    FeederAdmission(runtime)._work()

    async def scene(receiver, _):
        client, _ = await connections.connect(receiver, b"MSG,8\n")
        assert await ended(client)
        assert receiver.status.last_error == "the feeder called Attic is disabled, or its owner is deactivated"

    listen(runtime, scene, "anybody", "format=sbs feeder=Attic")


def test_a_feeder_that_has_just_been_registered_is_let_in_at_once(runtime):
    with writing(runtime.sessions) as db:
        db.execute(sa.update(Feeder).values(uuid_hash="0" * 64))
    FeederAdmission(runtime)._work()

    async def scene(receiver, sink):
        stranger, _ = await connections.connect(receiver, HELLO + FRAME)
        assert await ended(stranger)
        change(runtime, Feeder, uuid_hash=hash_of(DIGITS))
        await connections.connect(receiver, HELLO + FRAME)
        await until(lambda: sink.receivers == {"feeder-7"})
        assert receiver.status.refused == 1

    listen(runtime, scene)


def test_the_records_are_read_once_for_all_who_ask_within_a_tenth_of_a_second(monkeypatch):
    read = []

    def read_records(keys):
        read.append(keys)
        return [KnownFeeder(9, hash_of("9" * 32), True, "shed")]

    hub = FeederHub(read_records)

    async def ask():
        found = await asyncio.gather(*(hub.find_by_uuid(f"{number:032x}") for number in range(500)))
        # The next reading is far away: who asks goes on with what is known.
        found += await asyncio.gather(hub.find_by_uuid("9" * 32), hub.find_by_name("Shed"))
        found += await asyncio.gather(hub.find_by_uuid("8" * 32), hub.find_by_uuid(""))
        return [feeder and feeder.id for feeder in found]

    monkeypatch.setattr(hub_module, "READ_EVERY_S", 3600.0)
    monkeypatch.setattr(hub_module, "READ_WITHIN_S", PATIENCE_S)
    assert asyncio.run(ask()) == [None] * 500 + [9, 9, None, None]
    assert list(map(len, read)) == [500]


def test_who_is_unknown_stays_so_while_the_records_cannot_be_read(caplog):
    def fail(keys):
        raise OSError("the database is away")

    hub = FeederHub(fail)
    assert asyncio.run(hub.find_by_uuid(DIGITS)) is None
    assert "records of new feeders are not read" in caplog.text


def test_a_feeder_is_let_in_until_it_its_owner_or_its_uuid_is_not(runtime):
    admission, hub = FeederAdmission(runtime), runtime.shared(feeder_hub)
    admission._work()
    feeder = hub.by_hash(hash_of(DIGITS))
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
    assert (hub.by_hash(hash_of(DIGITS)), hub.is_admitted(feeder)) == (None, False)
    renewed = hub.by_hash("0" * 64)
    with writing(runtime.sessions) as db:
        db.execute(sa.delete(Feeder))
    admission._work()
    assert not hub.is_admitted(renewed)


def test_owners_who_change_places_within_a_second_are_both_noticed(runtime):
    admission, hub = FeederAdmission(runtime), runtime.shared(feeder_hub)
    with writing(runtime.sessions) as db:
        db.add(
            User(id=2, username="bob", username_key="bob", email="", email_key=None, display_name="", is_active=False)
        )
        db.flush()
        now = utcnow()
        row = {"uuid_hash": "1" * 64, "uuid_start": "11111111", "created_at": now, "updated_at": now}
        db.add(Feeder(id=8, owner_id=2, name="Barn", name_key="barn", **row))
    admission._work()
    first = hub.by_hash(hash_of(DIGITS))
    with writing(runtime.sessions) as db:
        db.execute(sa.update(User).values(is_active=sa.not_(User.is_active)))
    admission._work()
    assert not hub.is_admitted(first)
    assert hub.by_hash("1" * 64).id == 8


def test_states_are_published_and_last_seen_is_written(runtime):
    admission, hub = FeederAdmission(runtime), runtime.shared(feeder_hub)
    admission._work()
    connection, is_in = connect(runtime)
    reception = runtime.shared(InstallationFeeders)
    hub.gatherer.add = lambda stream: hub.gatherer._waiting.__setitem__(stream.slot, stream)
    assert is_in
    for refused in (0, 1):
        connection.receive(b"".join(beast(squitter(0x4B1617, airborne_position(47.5, 8.5, odd)), 0) for odd in (0, 1)))
        hub.gatherer.flush(1_700_000_000.0)
        reception.take("", hub.reduce(), {"feeder-7": refused}.get)
    connection.last_frame_at = 1_700_000_000.0
    reception.take("", hub.reduce(), {"feeder-7": 1}.get)
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
    hub, admission = runtime.shared(feeder_hub), FeederAdmission(runtime)
    for privacy in ("10km", "none", "exact"):
        change(runtime, Feeder, place_privacy=privacy)
        admission._work()
        assert hub.by_name("attic").shows_signal is (privacy == "exact")
