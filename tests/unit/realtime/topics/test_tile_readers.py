"""Readers of tiles: whoever applies what comes holds what its tiles show, and frames are made once for all of them."""

from __future__ import annotations

import zlib
from typing import Any

import msgspec
import numpy as np
import pytest

from skywatch.realtime.topics import tile_frames
from skywatch.realtime.topics.areas import Area
from skywatch.realtime.topics.columns import ALERT, DEFAULT_FIELDS, Form
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.topics.tile_grid import COARSE, FINE, Grid, TileForm
from skywatch.realtime.wire.frames import Point
from skywatch.realtime.wire.native import PackedProtocol
from tests.realtime import Skies
from tests.unit.realtime.listeners import FakeOutbox, payload_of

FLAGS = DEFAULT_FIELDS.index("flags")
SWISS = {"lat": 46.9, "lon": 7.4}
ANN, BOB = 1, 2


def messages(data: bytes) -> list[dict[str, Any]]:
    """The messages of joined binary frames; compressed ones each stand alone."""
    found = []
    while data:
        is_compressed = data[0] & 0x40
        assert data[0] & 0xF == 2, "MessagePack travels in binary frames"
        size = {126: 2, 127: 8}.get(data[1], 0)
        length = int.from_bytes(data[2 : 2 + size], "big") if size else data[1]
        payload, data = payload_of(data[: 2 + size + length]), data[2 + size + length :]
        if is_compressed:
            payload = zlib.decompressobj(-15).decompress(payload + b"\0\0\xff\xff")
        found.append(msgspec.msgpack.decode(payload))
    return found


class Reader:
    """A client of tiles: it takes what is complete, and applies what changes."""

    def __init__(self, grid: Grid, names: list[str], population="all", user=None, topic="aircraft", deflate=False):
        self.view = LiveView(topic, population, False, None, TileForm(grid, tuple(map(grid.number, names))), user)
        self.outbox = FakeOutbox()
        self.variant = (PackedProtocol.encode_event, deflate)
        self.tiles: dict[str, dict[str, list[Any]]] = {}
        self.events: list[dict[str, Any]] = []

    def read(self) -> list[dict[str, Any]]:
        """Apply what came, and return it."""
        came = [message for frames in self.outbox.frames for message in messages(frames)]
        self.outbox.frames.clear()
        for event in came:
            assert (event["type"], event["topic"], event["event"]) == ("event", self.view.topic, "aircraft:tile")
            data = event["data"]
            assert data.keys() == {"tile", "full", "fields", "rows", "removed", "hidden", "now"}
            assert (tuple(data["fields"]), data["hidden"]) == (DEFAULT_FIELDS, 0)
            rows = self.tiles.setdefault(data["tile"], {})
            if data["full"]:
                rows.clear()
            for address in data["removed"]:
                assert address in rows, "only what was shown is removed"
                del rows[address]
            rows |= {row[0]: row for row in data["rows"]}
        tiles = [(event["seq"], event["data"]["tile"]) for event in came]
        assert len(tiles) == len(set(tiles)), "a tile comes once a tick"
        self.events += came
        return came

    @property
    def marked(self) -> set[str]:
        """The addresses whose rows have the user's flag."""
        return {row[0] for rows in self.tiles.values() for row in rows.values() if row[FLAGS] & ALERT}


def joined(topics: LiveTopics, *readers: Reader) -> None:
    for reader in readers:
        topics.join(reader, reader.view, None)


def wandering(random: np.random.Generator, ticks: int, west: float, count: int = 80) -> list[dict[str, dict[str, Any]]]:
    lat, lon = random.uniform(43, 52, count), random.uniform(west, west + 9, count)
    steps = []
    for _ in range(ticks):
        moving = random.random(count) < 0.7
        lat = np.where(moving, lat + random.normal(0, 0.4, count), lat)
        lon = np.where(moving, lon + random.normal(0, 0.4, count), lon)
        there, known = random.random(count) < 0.97, random.random(count) < 0.95
        steps.append(
            {
                f"{i:06x}": {
                    "military": bool(i % 9 == 0) ^ bool(random.random() < 0.03),
                    **({"lat": float(lat[i]), "lon": (float(lon[i]) + 180) % 360 - 180} if known[i] else {}),
                }
                for i in np.flatnonzero(there).tolist()
            }
        )
    return steps


@pytest.mark.parametrize("west", [4.0, 176.0], ids=["Europe", "date line"])
@pytest.mark.parametrize("grid", [COARSE, FINE], ids=["coarse", "fine"])
@pytest.mark.parametrize("population", ["all", "civil", "military"])
def test_a_client_holds_what_its_tiles_show_tick_by_tick(grid, population, west):
    topics, skies = LiveTopics(), Skies()
    column = int((west + 180) // grid.size_deg)
    row = 135 // grid.size_deg
    names = [f"{grid.size_deg}:{row + n}:{(column + m) % grid.columns}" for n in range(3) for m in range(4)]
    client = Reader(grid, names, population, topic="military" if population == "military" else "aircraft")
    for number, step in enumerate(wandering(np.random.default_rng(7), 25, west)):
        topics.tick([skies.next(step)])
        if number == 2:
            joined(topics, client)
        client.outbox.congested = number in (10, 11)
        if number == 12:
            topics.catch_up(client, client.view)
        client.read()
        if number < 2 or client.outbox.congested:
            continue
        expected: dict[str, set[str]] = {name: set() for name in names}
        for address, one in step.items():
            if (
                "lat" not in one
                or {"all": False, "civil": one["military"], "military": not one["military"]}[population]
            ):
                continue
            [tile] = grid.numbers_at(np.array([one["lat"]]), np.array([one["lon"]])).tolist()
            if grid.name(tile) in expected:
                expected[grid.name(tile)].add(address)
        assert {name: set(rows) for name, rows in client.tiles.items()} == expected
        for rows in client.tiles.values():
            for address, values in rows.items():
                assert values[1] == round(step[address]["lat"], 4), "rows are complete and of this tick"
    assert sum(event["data"]["full"] for event in client.events) == 2 * len(names), "at first, and after the congestion"


def test_an_aircraft_over_a_border_leaves_one_tile_for_another():
    topics, skies = LiveTopics(), Skies()
    client = Reader(FINE, ["1:136:187", "1:136:188", "1:137:187"])
    topics.tick([skies.next({"4b1620": {"lat": 46.5, "lon": 7.9999}, "3c6444": {"lat": 46.2, "lon": 7.1}})])
    joined(topics, client)
    assert [(e["data"]["tile"], len(e["data"]["rows"])) for e in client.read()] == [
        ("1:136:187", 2), ("1:136:188", 0), ("1:137:187", 0),
    ]  # fmt: skip
    topics.tick([skies.next({"4b1620": {"lat": 46.5, "lon": 8.0}, "3c6444": {"lat": 46.2, "lon": 7.1}})])
    left, entered = client.read()
    assert (left["data"]["tile"], left["data"]["removed"], left["data"]["rows"]) == ("1:136:187", ["4b1620"], [])
    assert (entered["data"]["tile"], entered["data"]["removed"]) == ("1:136:188", [])
    assert [row[:3] for row in entered["data"]["rows"]] == [["4b1620", 46.5, 8.0]]
    assert (left["seq"], left["epoch"]) == (entered["seq"], entered["epoch"])
    topics.tick([skies.next({"4b1620": {"lat": 46.5, "lon": 8.0}, "3c6444": {"lat": 46.2, "lon": 7.1}})])
    assert client.read() == [], "tiles where nothing changed do not come"


def test_rows_are_those_of_columns():
    topics, skies = LiveTopics(), Skies()
    reader = Reader(FINE, ["1:136:187"])
    columns = Reader(FINE, [])
    columns.view = LiveView("aircraft", "all", False, Area(7, 46, 8, 47), Form(DEFAULT_FIELDS))
    topics.tick([skies.next({"4b1620": SWISS | {"military": True}, "3c6444": SWISS})])
    joined(topics, reader, columns)
    topics.tick([skies.next({"4b1620": SWISS | {"lat": 46.91}})])
    ours = [event["data"] for event in reader.read()]
    theirs = [message["data"] for frame in columns.outbox.frames for message in messages(frame)]
    for mine, other in zip(ours, theirs, strict=True):
        assert mine.pop("tile") == "1:136:187"
        assert mine == other


@pytest.fixture
def made(monkeypatch):
    """Counts the frames that are made."""
    frames: list[bytes] = []
    make = tile_frames.message_frame

    def counted(payload: bytes, *arguments: Any, **options: Any) -> bytes:
        frames.append(payload)
        return make(payload, *arguments, **options)

    monkeypatch.setattr(tile_frames, "message_frame", counted)
    return frames


def test_a_frame_is_made_once_a_tick_for_all_and_only_where_somebody_reads(made):
    topics, skies = LiveTopics(), Skies()
    everywhere = {f"{i:06x}": {"lat": i % 80, "lon": i % 170} for i in range(500)}
    readers = [Reader(COARSE, ["5:27:37", f"5:20:{number}"], "civil", user=number) for number in range(50)]
    readers.append(Reader(COARSE, ["5:27:37"], "all", user=7))
    topics.tick([skies.next(everywhere | {"4b1620": SWISS})])
    joined(topics, *readers)
    assert len(made) == 50 + 1 + 1, "of the shared tile one for each right"
    made.clear()
    topics.tick([skies.next(everywhere | {"4b1620": SWISS | {"lat": 46.8}})])
    assert len(made) == 2, "nothing changed in the other tiles, and nobody reads the rest of the world"
    assert len({reader.outbox.frames[-1] for reader in readers}) == 2
    assert readers[0].outbox.frames[-1] == readers[49].outbox.frames[-1]
    for reader in readers:
        topics.leave(reader, reader.view)
    made.clear()
    topics.tick([skies.next({"4b1620": SWISS})])
    assert made == []
    assert topics.view_count == 0


def test_a_compressed_frame_is_made_once_and_stands_alone(made):
    topics, skies = LiveTopics(), Skies()
    sky = {f"{i:06x}": {"lat": 46 + i / 300, "lon": 7.5} for i in range(200)}
    readers = [Reader(FINE, ["1:136:187"], deflate=True) for _ in range(20)] + [Reader(FINE, ["1:136:187"])]
    topics.tick([skies.next(sky)])
    joined(topics, *readers)
    topics.tick([skies.next({a: one | {"lat": one["lat"] + 0.0001} for a, one in sky.items()})])
    assert len(made) == 4, "in full and changed, each plain and compressed"
    assert len({reader.outbox.frames[-1] for reader in readers[:20]}) == 1
    frame = readers[0].outbox.frames[-1]
    assert frame[0] & 0x40, "the frame says that it is compressed"
    assert len(frame) < len(readers[-1].outbox.frames[-1]) / 2
    for reader in readers:
        reader.read()
        assert reader.tiles == readers[0].tiles
    assert len(readers[0].tiles["1:136:187"]) == 200


def test_new_lists_begin_in_full_and_the_old_one_ends(made):
    topics, skies = LiveTopics(), Skies()
    client, moved = Reader(FINE, ["1:136:187"]), Reader(FINE, ["1:138:182", "1:136:187"])
    moved.outbox = client.outbox
    topics.tick([skies.next({"4b1620": SWISS, "3c6444": {"lat": 48.8, "lon": 2.3}})])
    joined(topics, client)
    client.read()
    topics.leave(client, client.view)
    topics.join(client, moved.view, None)
    assert [(e["data"]["tile"], e["data"]["full"], len(e["data"]["rows"])) for e in client.read()] == [
        ("1:138:182", True, 1), ("1:136:187", True, 1),
    ]  # fmt: skip
    topics.leave(client, moved.view)
    made.clear()
    topics.join(client, client.view, None)
    topics.leave(client, client.view)
    assert len(client.read()) == 1
    assert made == [], "who changes its list again and again within a tick has no frame made twice"
    topics.tick([skies.next({})])
    assert client.read() == []


def test_a_gap_in_the_picture_brings_all_tiles_in_full():
    topics, skies = LiveTopics(), Skies()
    client = Reader(FINE, ["1:136:187", "1:0:0"])
    topics.tick([skies.next({"4b1620": SWISS})])
    joined(topics, client)
    epoch = client.read()[0]["epoch"]
    for arrived in (
        [skies.next({"4b1620": SWISS}), skies.next({"3c6444": SWISS})],
        [Skies("another start").next({"a00001": SWISS})],
    ):
        topics.tick(arrived)
        events = client.read()
        assert [event["data"]["full"] for event in events] == [True, True]
        assert set(client.tiles["1:136:187"]) == set(arrived[-1].hexes)
    assert events[0]["epoch"] != epoch


def test_who_comes_back_begins_in_full():
    topics, skies = LiveTopics(), Skies()
    client = Reader(FINE, ["1:136:187"])
    topics.tick([skies.next({"4b1620": SWISS})])
    joined(topics, client)
    [first] = client.read()
    topics.leave(client, client.view)
    topics.join(client, client.view, Point(first["epoch"], first["seq"]))
    [again] = client.read()
    assert again == first
    assert first["data"]["full"]


def test_marks_are_in_the_tiles_of_their_user_alone(made):
    topics, skies = LiveTopics(), Skies()
    names = ["1:136:187", "1:137:187"]
    ann, twin, bob, nobody = (Reader(FINE, names, user=user) for user in (ANN, ANN, BOB, None))
    sky = {f"{i:06x}": {"lat": 46.1 + i / 20, "lon": 7.5} for i in range(38)}
    topics.take_marks({ANN: frozenset({"000001"})})
    topics.tick([skies.next(sky)])
    topics.tick([skies.next(sky)])
    joined(topics, ann, twin, bob, nobody)
    for reader, expected in ((ann, {"000001"}), (twin, {"000001"}), (bob, set()), (nobody, set())):
        reader.read()
        assert reader.marked == expected
    for marks in (
        {ANN: frozenset({"000001", "000002"}), BOB: frozenset({"000030"})},
        {ANN: frozenset({"000030"}), BOB: frozenset({"000030", "ffffff"})},
        {},
        {},
    ):
        made.clear()
        topics.take_marks(marks)
        # All rows change, so that those with a mark come again among those of everybody.
        sky = {address: one | {"lon": one["lon"] + 0.001} for address, one in sky.items()}
        topics.tick([skies.next(sky)])
        for reader in (ann, twin, bob, nobody):
            reader.read()
            assert reader.marked == marks.get(reader.view.user, frozenset()) & sky.keys()
        assert len(made) <= 2 + 4, "two shared ones, and those of each user once"
    made.clear()
    topics.tick([skies.next({address: one | {"lon": 7.7} for address, one in sky.items()})])
    assert len(made) == 2, "without marks all share"


def test_a_mark_alone_changes_a_tile():
    topics, skies = LiveTopics(), Skies()
    ann, nobody = Reader(FINE, ["1:136:187"], user=ANN), Reader(FINE, ["1:136:187"])
    civil = Reader(FINE, ["1:136:187"], "civil", user=ANN)
    sky = {"4b1620": SWISS, "ae0001": SWISS | {"military": True}}
    topics.tick([skies.next(sky)])
    joined(topics, ann, nobody, civil)
    for marks in ({ANN: frozenset({"ae0001"})}, {}):
        for reader in (ann, nobody, civil):
            reader.read()
        topics.take_marks(marks)
        topics.tick([skies.next(sky)])
        [event] = ann.read()
        assert [row[0] for row in event["data"]["rows"]] == ["ae0001"]
        assert ann.marked == set(marks.get(ANN, ()))
        assert (nobody.read(), civil.read()) == ([], []), "nothing is told of aircraft that one may not see"


def test_a_fault_with_one_group_of_readers_ends_with_full_tiles(monkeypatch):
    topics, skies = LiveTopics(wake=lambda: None), Skies()
    civil, everything = Reader(FINE, ["1:136:187"], "civil"), Reader(FINE, ["1:136:187"], "all")
    topics.tick([skies.next({"4b1620": SWISS})])
    joined(topics, civil, everything)
    topics.hand_over()
    for reader in (civil, everything):
        reader.read()
    changes = tile_frames.VariantFrames.changes

    def faulty(self: Any, is_read: Any) -> dict[int, bytes]:
        if self._variant.population == "civil":
            raise RuntimeError("a fault of the program")
        return changes(self, is_read)

    monkeypatch.setattr(tile_frames.VariantFrames, "changes", faulty)
    topics.tick([skies.next({"4b1620": SWISS | {"lat": 46.8}})])
    assert [event["data"]["full"] for event in everything.read()] == [False]
    assert civil.read() == []
    monkeypatch.setattr(tile_frames.VariantFrames, "changes", changes)
    topics.tick([skies.next({"4b1620": SWISS | {"lat": 46.7}})])
    topics.hand_over()
    assert [event["data"]["full"] for event in civil.read()] == [True]
    topics.tick([skies.next({"4b1620": SWISS | {"lat": 46.6}})])
    assert [event["data"]["full"] for event in civil.read()] == [False]
