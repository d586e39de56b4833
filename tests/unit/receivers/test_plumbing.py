"""Rates, lines, options and addresses: what all kinds share."""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Sequence

import pytest

from skywatch.inputs import retrying_input as retrying_module
from skywatch.inputs.lines import LineSplitter
from skywatch.inputs.meter import RateMeter
from skywatch.inputs.retrying_input import InputError, one_line
from skywatch.inputs.transports.http_source import shown_url
from skywatch.receivers.factory import KINDS, open_receiver
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.reports.report import Report
from skywatch.settings import SettingsError
from tests.unit.receivers.collector import Collector, running
from tests.waiting import eventually


def test_rates_are_over_ten_seconds_and_fade() -> None:
    meter = RateMeter(1000.0)
    for second in range(30):
        meter.add(5, 1000.0 + second)
    assert meter.rate(1030.0) == pytest.approx(5, rel=0.11)
    assert meter.rate(1035.0) < 3
    assert meter.rate(1045.0) == 0
    assert meter.rate(9999.0) == 0


def test_the_first_rate_is_over_the_time_that_has_passed() -> None:
    meter = RateMeter(1000.5)
    meter.add(20, 1001.0)
    assert meter.rate(1002.5) == pytest.approx(10)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_come_whole_from_any_pieces(size: int) -> None:
    stream = b"first\r\nsecond\n\n" + b"x" * 40 + b"\nthird\n" + b"y" * 500 + b"\nlast"
    invalid: Counter[str] = Counter()
    splitter = LineSplitter(20, invalid)
    lines = []
    for at in range(0, len(stream), size):
        lines += splitter.feed(stream[at : at + size])
    assert lines + splitter.close() == [b"first\r", b"second", b"", b"third", b"last"]
    assert dict(invalid) == {"too_long": 2}


def test_a_line_without_end_costs_no_memory() -> None:
    splitter = LineSplitter(1000, Counter())
    for _ in range(1000):
        assert splitter.feed(b"z" * 900) == []
    assert len(splitter._rest) <= 1000
    assert splitter.feed(b"\nnext\n") == [b"next"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://user:secret@host:8080/data/aircraft.json", "http://host:8080/data/aircraft.json"),
        ("https://host/v2/point/47/8/250?key=secret&a=b#frag", "https://host/v2/point/47/8/250?..."),
        ("http://[::1]:80/x", "http://[::1]:80/x"),
    ],
)
def test_shown_addresses_hold_no_secret(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("beast", "expected host:port"),
        ("beast localhost", "expected host:port"),
        ("beast localhost:0", "between 1 and 65535"),
        ("beast localhost:99999", "between 1 and 65535"),
        ("sbs localhost:30003 speed=1", "unknown option speed"),
        ("readsb", "expected the address or the path"),
        ("readsb ftp://host/aircraft.json", "http:// or https://"),
        ("readsb http://", "http:// or https://"),
        ("readsb http://host:port/x", "not a good address"),
        ("readsb http://host/x every=0", "every must be between"),
        ("adsbx-v2", "expected the address"),
        ("adsbx-v2 host/v2", "http:// or https://"),
        ("adsbx-v2 https://host/v2 header=key", "header must be"),
        (
            "adsbx-v2 https://host/v2 header=key:env:SKYWATCH_NO_SUCH_VARIABLE",
            "SKYWATCH_NO_SUCH_VARIABLE of header key is not set",
        ),
        ("adsbx-v2 https://host/v2 header=key:file:/no/such/file", "/no/such/file cannot be read"),
        ("adsbx-v2 https://host/v2 header=key:", "printable"),
        ("replay", "expected the path"),
        ("replay /no/such/file", "no file /no/such/file"),
        ("replay /", "no file /"),
        ("radar localhost:1", "unknown kind of receiver"),
    ],
)
def test_bad_settings_name_the_setting(text: str, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason) as caught:
        open_receiver("roof", text, None)
    assert caught.value.name == "receiver.roof"
    assert "\n" not in str(caught.value)


def test_a_literal_key_is_never_told() -> None:
    with pytest.raises(SettingsError) as caught:
        open_receiver("net", "adsbx-v2 https://host/v2 'header=api-auth:TOP\x01SECRET'", None)
    assert "SECRET" not in str(caught.value)
    receiver = open_receiver(
        "net", "adsbx-v2 https://u:TOPSECRET@host/v2?key=TOPSECRET header=api-auth:TOPSECRET", None
    )
    assert "TOPSECRET" not in repr(receiver.status)


def test_every_kind_of_the_manual_is_there() -> None:
    assert set(KINDS) == {"readsb", "readsb-lines", "beast", "listen", "avr", "sbs", "adsbx-v2", "replay", "simulate"}


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (ConnectionRefusedError(111, "Connect call failed ('127.0.0.1', 1)"), "connection refused"),
        (OSError("Multiple exceptions: [Errno 111] Connect call failed, [Errno 101] x"), "connection refused"),
        (socket.gaierror(-2, "Name or service not known"), "the host is not known"),
        (FileNotFoundError(2, "No such file or directory", "/x"), "no such file or directory"),
        (ValueError("two\nlines"), "two lines"),
        (KeyError(), "KeyError"),
    ],
)
def test_errors_are_one_line(error: BaseException, text: str) -> None:
    assert one_line(error) == text


class Flaky(RetryingReceiver):
    """Fails as it is told."""

    kind = "flaky"

    def __init__(self, failures: Sequence[BaseException]) -> None:
        super().__init__("flaky", "nowhere")
        self.failures = list(failures)

    async def session(self) -> None:
        if self.failures:
            raise self.failures.pop(0)
        self.set_connected()
        self.deliver([Report("4b1a23")], 1, 0)
        await asyncio.sleep(3600)


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that a receiver makes, without waiting for them."""
    made: list[float] = []
    sleep = asyncio.sleep

    async def note(delay: float) -> None:
        if delay < 1000:
            made.append(delay)
            delay = 0
        await sleep(delay)

    monkeypatch.setattr(retrying_module.asyncio, "sleep", note)
    return made


def test_whatever_goes_wrong_is_named_and_tried_again(pauses: list[float]) -> None:
    failures = [InputError("gone"), ConnectionResetError(104, "Connection reset by peer"), ZeroDivisionError("ours")]

    async def play() -> None:
        flaky = Flaky(failures)
        states = []
        async with running(flaky) as heard:
            while not heard.reports:
                states.append((flaky.status.state, flaky.status.last_error))
                await asyncio.sleep(0)
        assert ("waiting", "gone") in states
        assert ("waiting", "connection reset by peer") in states
        assert ("failed", "ours") in states
        assert flaky.status.state == "connected"
        assert flaky.status.reconnects == 3

    asyncio.run(play())


def test_pauses_grow_from_1_to_30_seconds_and_are_at_least_what_is_asked_for(pauses: list[float]) -> None:
    async def play() -> None:
        flaky = Flaky([InputError("gone")] * 8 + [InputError("busy", pause_s=120)])
        async with running(flaky) as heard:
            while not heard.reports:
                await asyncio.sleep(0)

    asyncio.run(play())
    waited = [pause for pause in pauses if pause > 0]
    assert len(waited) == 9
    for pause, bound in zip(waited, [1, 2, 4, 8, 16, 30, 30, 30], strict=False):
        assert max(0.8 * bound, 1) <= pause <= bound
    assert waited[-1] == 120


def test_the_pause_is_short_again_after_a_healthy_time(pauses: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrying_module, "HEALTHY_S", 0.0)

    class Breaking(Flaky):
        async def session(self) -> None:
            self.set_connected()
            self.deliver([Report("4b1a23")], 1, 0)
            raise InputError("broke")

    async def play() -> None:
        breaking = Breaking([])
        task = asyncio.create_task(breaking.run(Collector()))
        await eventually(lambda: breaking.status.reconnects >= 6)
        task.cancel()

    asyncio.run(play())
    assert all(pause <= 2 for pause in pauses)
