"""Whose clock is off, and documents that stand still: no aircraft becomes immortal or old at once."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from msgspec import UNSET

from skywatch.receivers.reports.documents import DocumentReader
from skywatch.receivers.reports.source_clock import SourceClock

OURS = 1_800_000_000.0


def body(now: float | None, seen: float = 1.0, messages: int | None = None) -> bytes:
    document: dict[str, object] = {
        "aircraft": [{"hex": "4b1a23", "lat": 1.5, "lon": 2.5, "seen": seen, "seen_pos": seen}]
    }
    if now is not None:
        document["now"] = now
    if messages is not None:
        document["messages"] = messages
    return json.dumps(document).encode()


@pytest.mark.parametrize("off_s", [0.0, -3600.0, 7200.0, -1.7e9])
def test_a_clock_that_is_off_changes_no_age(off_s: float) -> None:
    reader = DocumentReader(Counter())
    first = reader.read(body(OURS + off_s), OURS)
    # Whether the clock is off or nobody writes any more can be told by the second document only.
    assert (first is None) == (off_s != 0)
    second = reader.read(body(OURS + off_s + 1), OURS + 1)
    assert second is not None
    assert second.reports[0].at == pytest.approx(OURS)


def test_a_document_that_stands_still_is_taken_once() -> None:
    reader = DocumentReader(Counter())
    assert reader.read(body(OURS), OURS) is not None
    for second in range(1, 200):
        assert reader.read(body(OURS), OURS + second) is None


def test_an_old_file_is_as_old_as_its_server_says() -> None:
    reader = DocumentReader(Counter())
    heard = reader.read(body(OURS - 500), OURS, age_s=600.0)
    assert heard is not None
    assert heard.reports[0].at == pytest.approx(OURS - 601)


def test_a_document_from_long_ago_brings_nobody_back() -> None:
    reader = DocumentReader(Counter())
    assert reader.read(body(OURS - 86_400), OURS) is None
    assert reader.read(body(OURS - 86_400), OURS + 1) is None


def test_without_a_time_the_same_bytes_are_taken_once() -> None:
    reader = DocumentReader(Counter())
    assert reader.read(body(None), OURS) is not None
    assert reader.read(body(None), OURS + 1) is None
    assert reader.read(body(None, seen=2), OURS + 2) is not None


def test_an_aircraft_that_is_silent_keeps_its_time() -> None:
    reader = DocumentReader(Counter())
    times = []
    for second in range(60):
        delay_s = (0.0, 0.4, 0.1, 0.9)[second % 4]
        heard = reader.read(body(OURS + second, seen=1.0 + second), OURS + second + delay_s)
        assert heard is not None
        times.append(heard.reports[0].at)
    assert max(times) - min(times) < 0.5
    assert max(times) <= OURS


def test_messages_are_the_growth_of_the_count() -> None:
    reader = DocumentReader(Counter())
    counts = [
        reader.read(body(OURS + n, seen=0.5, messages=count), OURS + n)
        for n, count in enumerate((1000, 1040, 30, 35, 10**30, -5))
    ]
    # The first, and the first after the source was restarted, can only be guessed: one for each aircraft heard.
    assert [heard.messages for heard in counts if heard] == [1, 40, 1, 5, 1, 1]


def test_absurd_counts_do_not_travel_on() -> None:
    reader = DocumentReader(Counter())
    document = {"now": OURS, "messages": 10**400, "aircraft": [{"hex": "4b1a23", "messages": 2**63}]}
    heard = reader.read(json.dumps(document).encode(), OURS)
    assert heard is not None
    assert heard.messages == 1
    assert heard.reports[0].messages is UNSET
    assert reader.invalid["messages"] == 1


def test_the_offset_follows_clocks_that_are_set() -> None:
    clock = SourceClock()
    assert clock.ours(100.0, OURS) == OURS
    # A delay is kept as age.
    assert clock.ours(101.0, OURS + 6) == pytest.approx(OURS + 1, abs=0.5)
    # A clock set ahead by a little, back by a little, and by years.
    assert clock.ours(110.0, OURS + 7) == OURS + 7
    assert clock.ours(1e9, OURS + 8) == OURS + 8
    assert clock.ours(5.0, OURS + 9) == OURS + 9


def test_nothing_lies_in_our_future() -> None:
    clock = SourceClock()
    for n in range(1000):
        arrived = OURS + n * 0.1
        assert clock.ours((n * 7919 % 101) / 3, arrived) <= arrived
