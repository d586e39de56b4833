"""What is saved for a restart, from every kind of receiver: it is read back where it is written, field by field."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import msgspec
import pytest

from skywatch.picture.picture import Picture
from skywatch.picture.state.receiver_view import ReceiverView
from skywatch.picture.storage.saved_picture import decode, encode
from skywatch.picture.storage.saved_reports import SavedReports, pack, unpack
from skywatch.receivers.factory import KINDS, open_receiver
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.reports.limits import Wire, WireLine, WireMutability
from skywatch.receivers.reports.report import Report
from tests.every_receiver import every_receiver
from tests.unit.picture.reports import START, Clock, increment, picture_at, snapshot
from tests.waiting import eventually

STATION = (47.45, 8.56)
# Names that are not the receiver's but count with every tick.
AGES = ("seen", "seen_pos")


def fields_of(report: Report) -> dict[str, Any]:
    """The fields of a report or a view without its ages, which are times by now; a list is what a tuple is."""
    kind: type[Report] = ReceiverView if isinstance(report, ReceiverView) else Report
    values = {name: getattr(report, name) for name in kind.__struct_fields__ if name not in AGES}
    values["heard"] = {n: msgspec.structs.astuple(s) for n, s in values.get("heard", {}).items()}
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def views_of(picture: Picture) -> dict[str, dict[str, dict[str, Any]]]:
    """The fields of every view by receiver and address."""
    return {book.name: {address: fields_of(view) for address, view in book.views.items()} for book in picture._views}


async def heard_from_every_receiver(texts: dict[str, str]) -> Picture:
    """A picture in which every receiver has an aircraft with a position."""
    picture = Picture(STATION, 600.0)
    receivers = [open_receiver(name, text, STATION) for name, text in texts.items()]
    tasks = [asyncio.create_task(receiver.run(picture)) for receiver in receivers]

    def complete() -> bool:
        sky = picture.tick()
        placed = {
            sky.receivers[sky.columns["receiver"][row]] for row, lat in enumerate(sky.columns["lat"]) if lat == lat
        }
        squawks = {book.name for book in picture._views if any(v.squawk for v in book.views.values())}
        return placed >= texts.keys() and squawks >= texts.keys() - {"demo"}

    await eventually(complete, "a position from every receiver", every_s=0.2)
    for task in tasks:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    return picture


def test_what_every_kind_of_receiver_said_comes_back_field_by_field(tmp_path):
    with every_receiver(tmp_path) as sources:
        # What feeders send to a listener is Beast.
        assert set(sources.kinds.values()) == set(KINDS) - {"listen"}
        picture = asyncio.run(heard_from_every_receiver(sources.texts))
    kinds = {type(view).__name__ for book in picture._views for view in book.views.values()}
    assert kinds >= {"Report", "WireLine", "ReceiverView"}
    before = picture.tick()
    saved = decode(encode(picture.save()))
    again = Picture(STATION, 600.0)
    assert again.restore(saved) == set(before.hexes)
    after = again.tick()
    assert views_of(again) == views_of(picture)
    for address in before.hexes:
        was, restored = before.aircraft(address), after.aircraft(address)
        assert {n: v for n, v in restored.items() if n not in AGES} == {n: v for n, v in was.items() if n not in AGES}


@pytest.mark.parametrize("kind", [Report, Wire, WireLine, WireMutability, ReceiverView])
def test_a_report_of_any_class_is_saved_with_every_field(kind):
    """Every field of a report is there, so that one that is added later is saved as well."""
    values: dict[str, Any] = {field.name: f"value of {field.name}" for field in msgspec.structs.fields(Report)}
    values |= {
        "at": START,
        "position_at": START - 1,
        "snapshot": kind is not ReceiverView,
        "mlat": ["lat"],
        "acas_ra": {"a": 1},
    }
    report = kind(**values)
    (restored,) = unpack(msgspec.msgpack.decode(msgspec.msgpack.encode(pack([report])), type=SavedReports))
    assert type(restored) is (ReceiverView if kind is ReceiverView else Report)
    assert fields_of(restored) == fields_of(report)


def test_missing_fields_stay_missing_next_to_those_of_others():
    reports = [snapshot("4b1620", START, squawk="1000"), snapshot("4b1621", START), snapshot("4b1622", START, gs=0.0)]
    restored = unpack(msgspec.msgpack.decode(msgspec.msgpack.encode(pack(reports)), type=SavedReports))
    assert restored == reports
    assert unpack(pack([])) == []


def test_a_field_of_another_release_is_ignored_and_a_missing_one_has_its_default():
    saved = pack([snapshot("4b1620", START, gs=100.0, squawk="1000")])
    saved.fields["invented"] = [1]
    del saved.fields["squawk"]
    assert unpack(saved) == [snapshot("4b1620", START, gs=100.0)]


def test_a_saved_picture_of_lists_that_differ_in_length_is_damaged():
    saved = pack([snapshot("4b1620", START), snapshot("4b1621", START)])
    saved.fields["at"].pop()
    with pytest.raises(ValueError):
        unpack(saved)


def test_increments_and_snapshots_of_one_receiver_are_saved_apart():
    clock = Clock()
    picture = picture_at(clock)
    picture.put("roof", [snapshot("4b1620", START, squawk="1000"), increment("4b1621", START, squawk="7700")], 1)
    again = picture_at(clock)
    assert again.restore(decode(encode(picture.save()))) == {"4b1620", "4b1621"}
    assert views_of(again) == views_of(picture)


def test_whose_a_receiver_was_is_known_after_a_restart():
    clock, stranger = Clock(), Voice("user-1", "10.0.0.1/32")
    picture = picture_at(clock)
    picture.put("feeder-3", [snapshot("4b1620", START)], 1, voice=stranger)
    picture.put("feeder-4", [snapshot("4b1620", START)], 1)
    picture.put("roof", [snapshot("4b1620", START)], 1)
    saved = decode(encode(picture.save()))
    again = picture_at(clock)
    again.restore(saved)
    assert {views.name: views.voice for views in again._views} == {"feeder-3": stranger, "feeder-4": OURS, "roof": OURS}
    # Of a feeder that an earlier release saved nobody knows whether it is trusted.
    for book in saved.books:
        book.voice = None
    assert {book.receiver for book in saved.books if book.whose().is_ours} == {"roof"}
