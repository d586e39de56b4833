"""Feeders that connect: over real sockets, with the bytes that readsb sends."""

import asyncio

import pytest

from skywatch.picture.declared import use_settings
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.feeder_streams import clients
from skywatch.receivers.feeder_streams.connection import clock_of
from skywatch.receivers.feeder_streams.hub import LEAVE_AT, next_reduction, pause_until
from skywatch.receivers.feeder_streams.wire import PingRequest, ping, split_uuid
from skywatch.receivers.kinds import listen
from skywatch.receivers.settings import ReceiverSettings
from skywatch.settings import SettingsError
from tests.unit.receivers.feeder_streams.connections import (
    DIGITS,
    FRAME,
    HELLO,
    PROXY,
    UUID,
    connect,
    ended,
    known,
    listening,
    until,
)


def run(test):
    asyncio.run(test())


def test_frames_behind_a_known_uuid_are_those_of_the_feeder_and_pings_are_sent():
    async def test():
        async with listening() as (receiver, sink):
            ahead = b"\x1a1" + bytes(9) + FRAME  # a heartbeat, and a frame that nobody can be asked about
            reader, writer = await connect(receiver, ahead + HELLO + FRAME)
            await until(lambda: sink.reports)
            assert [report.hex for report in sink.reports] == ["4840d6"]
            assert sink.receivers == {"feeder-1"}
            assert (await reader.read(10))[:2] == b"\x1aP"
            (connection,) = receiver.feeders.connections()
            assert (connection.clock, connection.address.rpartition(":")[0]) == (None, "127.0.0.1")
            writer.close()
            await until(lambda: not receiver.feeders.connections())

    run(test)


def test_a_changed_rate_holds_for_connections_that_there_are():
    async def test():
        async with listening() as (receiver, sink):
            _, writer = await connect(receiver, HELLO + FRAME)
            await until(lambda: sink.reports)
            use_settings([receiver], ReceiverSettings(feeder_messages_s=10, feeder_new_aircraft_minute=7))
            assert receiver.feeders.limit.limit == 7
            writer.write(FRAME * 200)
            await until(lambda: receiver.status.invalid.get("too_many"))
            assert 150 <= receiver.status.invalid["too_many"] <= 180
            use_settings([receiver], ReceiverSettings(feeder_messages_s=100_000))
            await asyncio.sleep(0.3)
            taken = receiver.status.messages
            writer.write(FRAME * 200)
            await until(lambda: receiver.status.messages >= taken + 200)

    run(test)


def test_nothing_is_sent_unasked_and_no_signal_of_a_coarse_position_is_shown():
    async def test():
        async with listening(known(shows_signal=False)) as (receiver, sink):
            reader, _ = await connect(receiver, HELLO[:-3] + FRAME)
            await until(lambda: sink.reports)
            assert not isinstance(sink.reports[0].rssi, float)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await reader.read(1)

    run(test)


@pytest.mark.parametrize(
    "sent", [b"\x1a\xe4" + b"f" * 36 + FRAME, b"x" * 5000, FRAME * 400, b"\x1a\xe4short" + b"z" * 40, PROXY]
)
def test_who_is_not_known_is_closed_and_counted(sent):
    async def test():
        async with listening() as (receiver, sink):
            reader, _ = await connect(receiver, sent)
            assert await ended(reader)
            assert (receiver.status.refused, sink.reports) == (1, [])

    run(test)


def test_who_says_nothing_is_closed(monkeypatch):
    monkeypatch.setattr(listen, "ADMISSION_S", 0.1)

    async def test():
        async with listening() as (receiver, _):
            reader, _ = await connect(receiver, b"")
            assert await ended(reader)
            reader, _ = await connect(receiver, HELLO[:20])
            assert await ended(reader)
            assert receiver.status.refused == 2

    run(test)


def test_garbage_behind_the_uuid_closes():
    async def test():
        async with listening() as (receiver, _):
            reader, _ = await connect(receiver, HELLO + FRAME + b"\x1a3garbage" * 25_000)
            assert await ended(reader)

    run(test)


def test_a_feeder_that_is_disabled_loses_its_connection_within_two_seconds():
    async def test():
        async with listening() as (receiver, sink):
            reader, _ = await connect(receiver, HELLO + FRAME)
            await until(lambda: sink.reports)
            receiver.feeders.replace(())
            assert listen.CHECK_EVERY_S < 2.0
            assert await ended(reader)

    run(test)


def test_the_newer_connection_of_one_network_replaces_the_older():
    async def test():
        async with listening() as (receiver, sink):
            older, _ = await connect(receiver, HELLO + FRAME)
            await until(lambda: sink.reports)
            _, newer = await connect(receiver, HELLO + FRAME)
            assert await ended(older)
            await until(lambda: sink.messages == 2)
            assert len(receiver.feeders.connections()) == 1
            newer.close()
            assert receiver.feeders.take_copied() == set()

    run(test)


def test_of_two_networks_with_one_uuid_the_older_stays_unless_it_is_silent():
    async def test():
        async with listening(options="proxy=127.0.0.0/8") as (receiver, sink):
            await connect(receiver, PROXY + HELLO + FRAME)
            await until(lambda: sink.reports)
            (older,) = receiver.feeders.connections()
            assert (older.address, older.network) == ("203.0.113.7:40123", "203.0.113.7/32")
            thief, _ = await connect(receiver, PROXY.replace(b"113.7", b"113.8") + HELLO + FRAME)
            assert await ended(thief)
            assert receiver.feeders.take_copied() == {1}
            older.heard_at -= 11
            await connect(receiver, PROXY.replace(b"113.7", b"113.8") + HELLO + FRAME)
            await until(lambda: [c.network for c in receiver.feeders.connections()] == ["203.0.113.8/32"])

    run(test)


def test_a_trusted_proxy_must_send_its_header_and_allow_judges_the_client():
    async def test():
        async with listening(options="proxy=127.0.0.1 allow=203.0.113.7") as (receiver, sink):
            for refused in (HELLO + FRAME, PROXY.replace(b"113.7", b"113.8") + HELLO + FRAME):
                reader, _ = await connect(receiver, refused)
                assert await ended(reader)
            await connect(receiver, PROXY + HELLO + FRAME)
            await until(lambda: sink.reports)

    run(test)


def test_one_network_has_twenty_connections_at_most(monkeypatch):
    monkeypatch.setattr(clients, "MAX_OF_NETWORK", 2)

    async def test():
        async with listening() as (receiver, _):
            idle = [await connect(receiver, b"\x1a") for _ in range(2)]
            await until(lambda: len(receiver.clients) == 2)
            reader, _ = await connect(receiver, HELLO + FRAME)
            assert await ended(reader)
            idle[0][1].close()
            await until(lambda: len(receiver.clients) == 1)
            await connect(receiver, HELLO)
            await until(receiver.feeders.connections)

    run(test)


def test_one_ipv6_site_does_not_take_all_connections_by_its_many_networks(monkeypatch):
    monkeypatch.setattr(clients, "MAX_OF_NETWORK", 2)

    async def test():
        async with listening(options="proxy=127.0.0.1", admission="anybody") as (receiver, _):

            async def is_let_in(address):
                before = len(receiver.clients)
                header = f"PROXY TCP6 {address} 2001:db8::1 40123 30004\r\n".encode()
                reader, _ = await connect(receiver, header + b"\x1a")
                await until(lambda: len(receiver.clients) > before or reader.at_eof())
                return len(receiver.clients) > before

            assert [await is_let_in(f"2001:db8:1:{number}::1") for number in range(10)] == [True] * 8 + [False] * 2
            assert await is_let_in("2001:db8:2:1::1")

    run(test)


def test_frames_beyond_the_rate_are_dropped_and_counted():
    async def test():
        async with listening() as (receiver, sink):
            receiver.settings = ReceiverSettings(feeder_messages_s=10)
            await connect(receiver, HELLO + FRAME * 50)
            await until(lambda: receiver.invalid["too_many"])
            assert (sink.messages, receiver.invalid["too_many"]) == (20, 30)
            assert (receiver.status.messages, len(sink.reports)) == (20, 1)

    run(test)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0.0.0.0",
        "0.0.0.0:1 format=uat",
        "0.0.0.0:1 feeder=A",
        "0.0.0.0:1 format=sbs feeder=",
        "0.0.0.0:1 limit=0",
        "0.0.0.0:1 proxy=here",
        "0.0.0.0:1 alow=::/0",
    ],
)
def test_a_wrong_setting_is_named(text):
    with pytest.raises(SettingsError, match=r"receiver\.in"):
        open_receiver("in", f"listen {text}", None)


def test_a_uuid_is_read_without_regard_to_case_and_hyphens():
    assert split_uuid(b"noise\x1a\xe4" + UUID.upper().encode() + b"rest") == (DIGITS, b"rest")
    assert split_uuid(b"\x1a\xe4" + DIGITS.encode() + b"ffff") == (DIGITS, b"")
    assert split_uuid(b"\x1a\xe4" + b"0e48a1ba-" + b"?" * 27) == ("", b"")
    assert split_uuid(b"\x1a\xe4" + UUID.encode()[:-1]) is None


def test_a_doubled_escape_ahead_of_the_uuid_begins_none():
    data = b"\x1a3" + bytes(6) + b"\x80" + b"\x1a\x1a\xe4" + b"0" * 40
    assert split_uuid(data) is None
    assert split_uuid(data + b"\x1a\x1a\x1a\xe4" + UUID.encode()) == (DIGITS, b"")


def test_a_request_for_pings_is_read_however_it_is_cut():
    for cut in range(1, 5):
        sent = b"\x1a\x1a\x1aWO"
        pings = PingRequest()
        pings.look_in(sent[:cut])
        pings.look_in(sent[cut:])
        assert pings.is_made
    pings = PingRequest()
    for data in (b"\x1a", b"\x1aWO", b"x\x1a\x1aWO"):
        pings.look_in(data)
    assert not pings.is_made


def test_the_name_of_a_receiver_passed_on_is_read_over_with_doubled_escapes():
    async def test():
        async with listening() as (receiver, sink):
            passed_on = b"\x1a\xe3" + b"\x01\x1a\x1a2\x1a\x1a" + b"\x1a\x1a" * 4
            await connect(receiver, HELLO + passed_on + FRAME + passed_on + FRAME)
            await until(lambda: sink.messages == 2)
            assert receiver.invalid["broken"] == 0

    run(test)


def test_garbage_costs_only_the_frames_that_it_touches():
    async def test():
        async with listening() as (receiver, sink):
            await connect(receiver, HELLO + FRAME + b"\x1a3garb" + FRAME + b"noise" + FRAME[:9] + FRAME)
            await until(lambda: sink.messages == 3)
            assert receiver.feeders.connections()

    run(test)


def test_a_ping_is_three_bytes_of_milliseconds_with_doubled_escapes():
    assert ping(0.001) == b"\x1aP\0\0\x01"
    assert ping(0x1A1A1A / 1000) == b"\x1aP" + b"\x1a" * 6


@pytest.mark.parametrize(
    ("ticks", "clock"),
    [([0, 0], "none"), ([12_000_000, 12_500_000], "free"), ([(3600 << 30) | 5, (3601 << 30) | 999_999_999], "gps")],
)
def test_a_clock_is_recognized(ticks, clock):
    assert clock_of(ticks, 86_400 * 20_000 + 3601.0) == clock


@pytest.mark.parametrize("days", [0.1, 30, 89, 91, 200, 270])
def test_a_free_running_counter_is_free_however_long_it_has_run(days):
    ticks = [int((days * 86_400 + second) * 12e6) for second in range(5)]
    assert clock_of(ticks, 86_400 * 20_000 + 43_200.0) == "free"


def test_the_second_of_a_day_agrees_across_midnight():
    assert clock_of([(86_399 << 30) | 5], 86_400 * 20_000 + 0.5) == "gps"
    assert clock_of([(1 << 30) | 5], 86_400 * 20_000 - 0.5) == "gps"


@pytest.mark.parametrize("ahead_s", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("began_at", [1000.0, 1000.3, 1000.79, 1000.81])
def test_reports_leave_before_the_tick_whatever_reducing_takes(began_at, ahead_s):
    at = next_reduction(began_at, ahead_s)
    assert (at + ahead_s) % 1.0 == pytest.approx(LEAVE_AT)
    assert began_at + 0.5 <= at < began_at + 1.5


def test_a_clock_that_is_set_stops_no_reduction():
    at = next_reduction(1_000.0, 0.2)
    assert pause_until(at, 1_000.1) == pytest.approx(at - 1_000.1)
    assert 0.0 < pause_until(at, 1_000.0 - 3_600.0) <= 1.5
    assert pause_until(at, 1_000.0 + 3_600.0) == 0.0
