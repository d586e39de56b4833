"""The Redis bus passes the shared suite, against a real server, and survives the loss of it."""

import re
import secrets
import threading
from urllib.parse import urlsplit

import pytest
import redis

from skywatch.core.bus import BusError, Message
from skywatch.core.bus.publish_queue import MAX_MESSAGES
from skywatch.core.bus.redis.bus import RedisBus
from skywatch.core.process.announcer import Announcer
from skywatch.http.limits.limiter import Limiter
from tests.redis_server import OwnRedis
from tests.relay import Relay
from tests.servers import REDIS_URL, require
from tests.unit.core.bus.suite import BusSuite, Inbox
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.deep("starts servers or programs of its own")


class TestRedisBus(BusSuite):
    @pytest.fixture
    def open_bus(self, redis_url):
        opened = []

        def open_one():
            opened.append(RedisBus(redis_url))
            return opened[-1]

        yield open_one
        for bus in opened:
            bus.close()


def test_a_lost_server_is_survived_and_subscribers_learn_of_the_gap(patient_bus):
    require(REDIS_URL, "Redis")
    relay = Relay((urlsplit(REDIS_URL).hostname or "127.0.0.1", urlsplit(REDIS_URL).port or 6379))
    bus = RedisBus(f"redis://127.0.0.1:{relay.address[1]}/0?prefix=skywatch-test-{secrets.token_hex(6)}")
    inbox, mended = Inbox(), threading.Event()
    bus.subscribe(["safety"], inbox, on_reconnect=mended.set)
    # A subscription may take longer than subscribing waits for it.
    assert until(lambda: bus.state().ok)
    bus.publish(Message("safety", "safety:event", b"before"))
    inbox.wait(1)
    relay.cut()
    bus.publish(Message("safety", "safety:event", b"lost"))
    assert until(lambda: bus.dropped == 1)
    assert until(lambda: not bus.healthy())
    with pytest.raises(BusError):
        bus.get("anything")
    relay.mend()
    assert mended.wait(PATIENCE_S)
    assert until(bus.healthy)
    bus.publish(Message("safety", "safety:event", b"after"))
    assert until(lambda: inbox.messages[-1].data == b"after")
    # What was given up may have passed before the way was cut.
    assert [m.data for m in inbox.messages if m.data != b"lost"] == [b"before", b"after"]
    bus.close()
    relay.close()


def test_no_server_is_one_clear_line():
    with pytest.raises(BusError, match=r"^setting bus: Redis cannot be reached"):
        RedisBus("redis://127.0.0.1:1/0")


@pytest.fixture
def own_redis(tmp_path):
    server = OwnRedis(tmp_path)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def quick(monkeypatch):
    """Silence is noticed at once."""
    for name, value in (
        ("queued.HEARTBEAT_S", 0.1),
        ("queued.LATE_S", 1.0),
        ("redis.subscription.SILENT_AFTER_S", 1.0),
    ):
        monkeypatch.setattr(f"skywatch.core.bus.{name}", value)


def reaches(bus, inbox):
    """Whether a message arrives; a busy machine may seem silent again, and those before are lost then."""
    bus.publish(Message("safety", "safety:event", b"after"))
    return any(message.data == b"after" for message in inbox.messages)


def test_a_connection_that_dies_without_a_word_is_noticed_and_replaced(own_redis, quick, caplog):
    relay = Relay(("127.0.0.1", own_redis.port))
    bus = RedisBus(f"redis://127.0.0.1:{relay.port}/0")
    inbox, mended = Inbox(), threading.Event()
    bus.subscribe(["safety"], inbox, on_reconnect=mended.set)
    until(lambda: bus.state().ok, "the subscription")
    relay.fall_silent()
    assert until(lambda: not bus.healthy())
    assert until(lambda: "subscriptions" in bus.state().detail or "Redis" in bus.state().detail)
    with pytest.raises(BusError):
        bus.put("anything", b"", 60)
    relay.speak()
    assert mended.wait(PATIENCE_S)
    assert until(bus.healthy)
    until(lambda: reaches(bus, inbox), "a message", every_s=0.1)
    until(lambda: "can be used again" in caplog.text, "the end of the fault in the log")
    bus.close()
    relay.close()
    # Once what fails and once that it works, for the bus and for the subscription, as often as it seemed silent: a busy
    # machine may be taken for a silent server again.
    mended_again = sum("can be used again" in record.message for record in caplog.records)
    assert len(caplog.records) <= 6 * (mended_again + 1), caplog.text


def test_a_subscription_whose_connection_alone_has_died_is_replaced(own_redis, quick):
    relay = Relay(("127.0.0.1", own_redis.port))
    bus = RedisBus(f"redis://127.0.0.1:{relay.port}/0")
    inbox, mended = Inbox(), threading.Event()
    relay.silent_from_now_on = True
    bus.subscribe(["safety"], inbox, on_reconnect=mended.set)
    assert until(lambda: bus.healthy() and not bus.state().ok)
    relay.silent_from_now_on = False
    assert until(lambda: bus.state().ok)
    until(lambda: reaches(bus, inbox), "a message", every_s=0.1)
    bus.close()
    relay.close()


def test_publishing_to_a_server_that_hangs_never_waits_and_keeps_the_newest(own_redis, monkeypatch):
    monkeypatch.setattr("skywatch.core.bus.redis.bus.SOCKET_TIMEOUT_S", PATIENCE_S)
    relay = Relay(("127.0.0.1", own_redis.port))
    bus = RedisBus(f"redis://127.0.0.1:{relay.port}/0")
    listening, inbox = RedisBus(own_redis.url), Inbox()
    listening.subscribe(["safety", "tracker"], inbox)
    relay.hold()
    bus.publish(Message("safety", "safety:event", b"held"))
    assert until(lambda: not len(bus._queue))
    # The server has not answered that one. Whoever waited for it would do so for a minute, 5,000 times.
    for number in range(5000):
        bus.publish(Message("safety", "safety:event", b"%d" % number))
        bus.publish(Message("tracker", "statistics", b"%d" % number, snapshot=True))
    waiting = len(bus._queue)
    assert waiting == MAX_MESSAGES
    assert bus.dropped == 5001 - waiting
    assert bus.state().figures["dropped"] == bus.dropped
    relay.let_go()
    heard = inbox.wait(1 + waiting)
    assert [m.data for m in heard if m.topic == "safety"][-1] == b"4999"
    assert [m.data for m in heard if m.topic == "tracker"] == [b"4999"]
    bus.close()
    listening.close()
    relay.close()


@pytest.mark.parametrize(
    ("commands", "mended", "detail"),
    [
        (
            [("CONFIG", "SET", "maxmemory", "1")],
            [("CONFIG", "SET", "maxmemory", "0")],
            "Redis is out of memory and refuses writes (maxmemory)",
        ),
        (
            [("REPLICAOF", "127.0.0.1", "1")],
            [("REPLICAOF", "NO", "ONE")],
            "Redis is a replica and refuses writes (READONLY)",
        ),
    ],
    ids=["out of memory", "replica"],
)
def test_a_server_that_refuses_writes_is_named_and_events_pass_all_the_same(own_redis, quick, commands, mended, detail):
    bus, inbox = RedisBus(own_redis.url), Inbox()
    bus.subscribe(["tracker"], inbox)
    until(lambda: bus.state().ok, "the subscription")
    with redis.Redis.from_url(own_redis.url) as admin:
        for command in commands:
            admin.execute_command(*command)
        assert until(lambda: bus.state().detail == detail)
        assert not bus.healthy()

        def arrives():
            bus.publish(Message("tracker", "statistics", b"1", snapshot=True))
            return inbox.messages

        until(arrives, "a message", every_s=0.1)
        with pytest.raises(BusError, match=re.escape(detail)):
            bus.put("anything", b"x", 60)
        for command in mended:
            admin.execute_command(*command)
    assert until(lambda: bus.state().ok)
    bus.put("anything", b"x", 60)
    bus.close()


def test_parts_that_fail_because_the_server_refuses_writes_are_logged_as_one(own_redis, quick, caplog, make_settings):
    bus, limiter = RedisBus(own_redis.url), Limiter(make_settings(bus=own_redis.url))
    announcer = Announcer(bus, ["api"])
    with redis.Redis.from_url(own_redis.url) as admin:
        admin.execute_command("CONFIG", "SET", "maxmemory", "1")
        assert until(lambda: not bus.state().ok)
        limiter.hit("5/minute", "login", "somebody")
        announcer.start()
        until(lambda: announcer.failures)
        admin.execute_command("CONFIG", "SET", "maxmemory", "0")
    assert until(lambda: bus.state().ok)
    announcer.close()
    bus.close()
    began, ended = [record.getMessage() for record in caplog.records if "skywatch" in record.name][:2]
    assert began == "the bus cannot be used: Redis is out of memory and refuses writes (maxmemory)"
    assert "; for the same cause: limits are counted in memory, this process cannot announce its health" in ended
