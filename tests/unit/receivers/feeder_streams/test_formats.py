"""Feeders that send AVR, SBS or JSON lines: the setting names them, the limits are those of Beast."""

import asyncio
import dataclasses

import pytest

from skywatch.receivers.factory import open_receiver
from skywatch.receivers.feeder_streams.formats import first_lines
from skywatch.receivers.settings import ReceiverSettings
from skywatch.settings import SettingsError
from tests.unit.receivers.feeder_streams.connections import (
    FRAME,
    HELLO,
    connect,
    ended,
    known,
    listening,
    until,
)

AVR = b"@0000000012AB8D4840D6202CC371C32CE0576098;\n"
SBS = b"MSG,3,1,1,4840D6,1,2026/01/01,12:00:00.000,2026/01/01,12:00:00.000,,37000,,,47.5,8.5,,,0,0,0,0\r\n"
JSON = b'{"now":1767268800.1,"hex":"4840d6","type":"adsb_icao","lat":47.5,"lon":8.5,"seen_pos":0.1,"rssi":-7.5}\n'
LINES = {"avr": AVR, "sbs": SBS, "json": JSON}
NAMED = "feeder=Attic allow=127.0.0.0/8"


def run(test):
    asyncio.run(test())


@pytest.mark.parametrize("form", LINES)
def test_lines_are_those_of_the_feeder_that_the_setting_names(form):
    async def test():
        async with listening(options=f"format={form} {NAMED}") as (receiver, sink):
            _, writer = await connect(receiver, LINES[form][:20])
            writer.write(LINES[form][20:] + b"nonsense\n" + LINES[form])
            await until(lambda: sink.messages == 2)
            assert {report.hex for report in sink.reports} == {"4840d6"}
            assert sink.receivers == {"feeder-1"}
            (connection,) = receiver.feeders.connections()
            messages_s, positions_s, aircraft, bytes_s = connection.rates()
            assert (messages_s > 0, positions_s > 0, aircraft, bytes_s > 0) == (True, form != "avr", 1, True)
            assert sum(receiver.status.invalid.values()) == 1

    run(test)


def test_json_shows_no_signal_of_a_feeder_whose_place_is_coarse():
    async def test():
        async with listening(known(shows_signal=False), options=f"format=json {NAMED}") as (receiver, sink):
            await connect(receiver, JSON)
            await until(lambda: sink.reports)
            assert (sink.reports[0].lat, isinstance(sink.reports[0].rssi, float)) == (47.5, False)

    run(test)


@pytest.mark.parametrize("form", LINES)
def test_a_feeder_is_refused_while_no_record_has_its_name(form):
    async def test():
        async with listening(known(name="barn"), options=f"format={form} {NAMED}") as (receiver, sink):
            reader, _ = await connect(receiver, LINES[form])
            assert await ended(reader)
            assert (receiver.status.state, receiver.status.refused, sink.reports) == ("listening", 1, [])
            assert "no feeder called Attic" in receiver.status.last_error
            receiver.feeders.replace([known(name="attic")])
            reader, _ = await connect(receiver, LINES[form])
            await until(lambda: sink.reports)
            receiver.feeders.replace([known(name="barn")])
            assert await ended(reader)

    run(test)


@pytest.mark.parametrize("form", LINES)
def test_other_networks_are_refused(form):
    async def test():
        async with listening(options=f"format={form} feeder=Attic allow=192.0.2.0/24") as (receiver, sink):
            reader, _ = await connect(receiver, LINES[form])
            assert await ended(reader)
            assert (receiver.status.refused, sink.reports) == (1, [])

    run(test)


@pytest.mark.parametrize("form", LINES)
def test_lines_beyond_the_rate_are_dropped_and_counted(form):
    async def test():
        async with listening(options=f"format={form} {NAMED}") as (receiver, sink):
            receiver.settings = ReceiverSettings(feeder_messages_s=10)
            await connect(receiver, LINES[form] * 50)
            await until(lambda: receiver.invalid["too_many"])
            await until(lambda: sink.messages)
            assert (sink.messages, receiver.invalid["too_many"]) == (20, 30)

    run(test)


@pytest.mark.parametrize("form", LINES)
def test_64_kib_without_a_line_that_counts_close(form):
    async def test():
        async with listening(options=f"format={form} {NAMED}") as (receiver, _):
            reader, _ = await connect(receiver, LINES[form] + b"nonsense, at length\n" * 8000)
            assert await ended(reader)

    run(test)


def test_one_feeder_by_two_formats_from_two_networks_is_no_copied_uuid():
    async def test():
        proxy = "proxy=127.0.0.1"
        async with listening(options=proxy) as (beast, sink), listening(options=f"format=sbs {NAMED}") as (sbs, _):
            sbs.feeders = beast.feeders
            await connect(beast, b"PROXY TCP4 203.0.113.7 192.0.2.1 40123 30004\r\n" + HELLO + FRAME)
            await until(lambda: sink.reports)
            reader, _ = await connect(sbs, SBS)
            assert await ended(reader)
            assert beast.feeders.take_copied() == set()

    run(test)


@pytest.mark.parametrize("options", ["format=avr", "format=sbs feeder=Attic", "format=json allow=10.0.0.0/8"])
def test_a_format_without_uuid_needs_a_feeder_and_networks_unless_anybody_is_let_in(options):
    text = f"listen 0.0.0.0:30103 {options}"
    settings = ReceiverSettings(receivers={"in": text})
    with pytest.raises(SettingsError, match=r"receiver\.in.*needs feeder=NAME and allow=NETWORKS"):
        ReceiverSettings.check(settings)
    ReceiverSettings.check(dataclasses.replace(settings, feeders_admission="anybody"))
    others = {"odd": 'beast "', "quoted": f"'{text}'"}
    ReceiverSettings.check(ReceiverSettings(receivers={"in": f"{text} {NAMED}", **others}))

    async def test():
        receiver = open_receiver("in", text, None)
        task = asyncio.create_task(receiver.run(None))
        await until(lambda: receiver.status.state == "waiting")
        assert "needs feeder=NAME" in receiver.status.last_error
        task.cancel()

    run(test)


def test_anybody_is_let_in_by_name_until_the_uuid_is_registered():
    async def test():
        async with listening(known(digits="1" * 32), admission="anybody") as (receiver, sink):
            reader, _ = await connect(receiver, HELLO + FRAME)
            await until(lambda: sink.reports)
            plain = await connect(receiver, FRAME * 300)  # plain Beast: no UUID can come any more
            await until(lambda: len(receiver.status.anonymous) == 2)
            assert [feeder.name for feeder in receiver.status.anonymous] == ["anonymous-1", "anonymous-2"]
            assert sink.receivers == {"anonymous-1"}
            receiver.feeders.replace([known()])
            assert await ended(reader)
            await connect(receiver, HELLO + FRAME)
            await until(lambda: sink.receivers == {"anonymous-1", "feeder-1"})
            assert [feeder.name for feeder in receiver.status.anonymous] == ["anonymous-2"]
            plain[1].close()
            await until(lambda: not receiver.status.anonymous)

    run(test)


def test_who_sends_no_uuid_in_time_is_anonymous_where_anybody_is_admitted(monkeypatch):
    monkeypatch.setattr("skywatch.receivers.kinds.listen.ADMISSION_S", 0.2)

    async def test():
        async with listening(admission="anybody") as (receiver, sink):
            _, writer = await connect(receiver, FRAME)
            await until(lambda: receiver.status.anonymous)
            assert sink.reports == []
            writer.write(FRAME)
            await until(lambda: sink.reports)
            assert receiver.status.anonymous[0].aircraft == 1
        async with listening(admission="anybody", options="format=sbs") as (receiver, sink):
            await connect(receiver, SBS)
            await until(lambda: sink.receivers == {"anonymous-1"})
        async with listening(known(name="barn"), admission="anybody", options=f"format=sbs {NAMED}") as (receiver, _):
            reader, _ = await connect(receiver, SBS)
            assert await ended(reader)

    run(test)


def test_lines_beyond_a_count_leave_the_unfinished_one():
    assert first_lines(b"a\nb\nc\nd", 2) == b"a\nb\nd"
    assert first_lines(b"a\nb\nc", 0) == b"c"
    assert first_lines(b"a\nb", 1) == b"a\nb"


@pytest.mark.parametrize("name", ["feeder-3", "anonymous-1", "feeders", "trusted-feeders"])
def test_the_name_of_a_feeder_is_refused_for_a_receiver(name):
    with pytest.raises(SettingsError, match=rf"receiver\.{name}: names of feeders"):
        ReceiverSettings(receivers={name: "beast localhost:30005"}).check()
    # A listener puts nothing into the picture under its own name.
    ReceiverSettings(receivers={"feeders": "listen 0.0.0.0:30004"}).check()
