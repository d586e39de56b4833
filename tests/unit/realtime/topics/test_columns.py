"""The columns form: what a client that applies full states and changes holds is what the view shows, tick by tick."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from skywatch.realtime.subscribers.commands import InvalidCommand, Subscribe
from skywatch.realtime.topics.areas import Area
from skywatch.realtime.topics.columns import DEFAULT_FIELDS, MILITARY, Form, rows_of, thin
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.wire.native import encode_event
from tests.realtime import Skies
from tests.unit.realtime.listeners import FakeOutbox, payload_of

SWISS = Area(5.9, 45.8, 10.5, 47.8)


class Table:
    """A client of columns: it takes what is complete, and applies what changes."""

    def __init__(self) -> None:
        self.outbox = FakeOutbox()
        self.variant = (encode_event, False)
        self.rows: dict[str, list[Any]] = {}
        self.hidden = 0
        self.events: list[dict[str, Any]] = []

    def read(self) -> None:
        for frame in self.outbox.frames:
            event = json.loads(payload_of(frame))
            assert event["event"] == "aircraft:columns"
            data = event["data"]
            self.events.append(data)
            if data["full"]:
                self.rows = {}
            for address in data["removed"]:
                assert address in self.rows, "only what was shown is removed"
                del self.rows[address]
            self.rows |= {row[0]: row for row in data["rows"]}
            self.hidden = data["hidden"]
        self.outbox.frames.clear()


def wandering(random: np.random.Generator, ticks: int, count: int = 120) -> list[dict[str, dict[str, Any]]]:
    lat, lon = random.uniform(45, 49, count), random.uniform(4, 12, count)
    steps = []
    for _ in range(ticks):
        moving = random.random(count) < 0.7
        lat = np.where(moving, lat + random.normal(0, 0.2, count), lat)
        lon = np.where(moving, lon + random.normal(0, 0.2, count), lon)
        there, known = random.random(count) < 0.97, random.random(count) < 0.95
        steps.append(
            {
                f"{i:06x}": {
                    "military": i % 9 == 0,
                    **({"lat": float(lat[i]), "lon": float(lon[i])} if known[i] else {}),
                }
                for i in np.flatnonzero(there).tolist()
            }
        )
    return steps


@pytest.mark.parametrize("area", [None, SWISS], ids=["whole", "area"])
@pytest.mark.parametrize("limit", [None, 25], ids=["all", "thinned"])
@pytest.mark.parametrize("population", ["all", "civil"])
def test_a_client_holds_what_the_view_shows(area, limit, population):
    topics, skies, client = LiveTopics(), Skies(), Table()
    view = LiveView("aircraft", population, False, area, Form(DEFAULT_FIELDS, limit))
    for number, step in enumerate(wandering(np.random.default_rng(7), 30)):
        topics.tick([skies.next(step)])
        if number == 2:
            topics.join(client, view, None)
        client.outbox.congested = number in (10, 11)
        if number == 12:
            topics.catch_up(client, view)
        client.read()
        if number < 2 or client.outbox.congested:
            continue
        seen = {
            address
            for address, one in step.items()
            if (population == "all" or not one["military"])
            and (area is None or ("lat" in one and area.inside(one["lat"], one["lon"])))
        }
        if limit is None:
            assert set(client.rows) == seen
        else:
            assert set(client.rows) <= seen
            assert len(client.rows) == min(limit, len(seen))
            assert client.hidden == len(seen) - len(client.rows)
        for address, row in client.rows.items():
            lat = step[address].get("lat")
            assert row[1] == (None if lat is None else round(lat, 4)), "rows are complete and of this tick"
            assert bool(row[DEFAULT_FIELDS.index("flags")] & MILITARY) == step[address]["military"]
    assert sum(event["full"] for event in client.events) == 2, "at first, and after the congestion"


def test_who_is_shown_stays_while_there_is_room():
    skies = Skies()
    step = {f"{i:06x}": {"lat": 47 + i / 1000, "lon": 8.0, "military": False} for i in range(500)}
    sky = skies.next(step)
    rows = np.arange(len(sky))
    first = thin(sky, rows, 50, frozenset())
    shown = frozenset(sky.hexes[row] for row in first.tolist())
    again = thin(sky, rows, 50, shown)
    assert first.tolist() == again.tolist()
    spread = sorted(float(sky.column("lat")[row]) for row in first.tolist())
    assert spread[0] < 47.05, "no part of the area goes empty"
    assert spread[-1] > 47.45


def test_emergencies_and_military_aircraft_come_first():
    skies = Skies()
    sky = skies.next({f"{i:06x}": {"lat": 47.0, "lon": 8.0, "military": i in (300, 301)} for i in range(400)})
    sky.column("emergency")[399] = True
    shown = {sky.hexes[row] for row in thin(sky, np.arange(len(sky)), 3, frozenset()).tolist()}
    assert shown == {f"{399:06x}", f"{300:06x}", f"{301:06x}"}


def test_invented_emergencies_and_military_aircraft_take_no_places_of_others():
    skies = Skies()
    sky = skies.next({f"{i:06x}": {"lat": 47.0, "lon": 8.0, "military": i > 200} for i in range(400)})
    sky.column("emergency")[300:] = True
    sky.column("single_source")[200:399] = True
    rows = np.arange(len(sky))
    shown = {sky.hexes[row] for row in thin(sky, rows, 3, frozenset(), marked=np.arange(350, 360)).tolist()}
    assert f"{399:06x}" in shown
    assert max(int(address, 16) for address in shown - {f"{399:06x}"}) < 200


def test_unknown_values_are_null_and_others_are_rounded():
    sky = Skies().next({f"{i:06x}": {"lat": 47.00005 + i, "lon": -0.00004} for i in range(3)})
    columns = sky.columns
    columns["gs_kt"][:], columns["alt_baro_ft"][:] = [120.5, np.nan, 121.5], [np.nan, -25.4, 41_000]
    columns["distance_nm"][:], columns["flight"][:] = [np.nan, 1.26, 0], [b"", b"SWR\xe9", b"SWR1"]
    fields = ("hex", "lat", "gs", "alt_baro", "distance_nm", "flight", "category")
    assert rows_of(sky, np.array([2, 0, 1]), fields, False) == [
        ("000002", 49.0, 122, 41_000, 0.0, "SWR1", None),
        ("000000", 47.0, 120, None, None, None, None),
        ("000001", 48.0, None, -25, 1.3, "SWR\ufffd", None),
    ]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"format": "rows"}, "rows"),
        ({"fields": ["lat"]}, "columns"),
        ({"limit": 5}, "columns"),
        ({"format": "columns", "fields": ["lat", "nonsense"]}, "nonsense is not a field"),
        ({"format": "columns", "limit": 0}, "limit must be"),
        ({"format": "columns", "limit": "9"}, "limit"),
    ],
)
def test_what_is_no_form_is_refused(body, message):
    with pytest.raises(InvalidCommand, match=message) as refused:
        Subscribe({"topics": ["aircraft"], **body})
    assert refused.value.message.code == "validation_failed"


def test_the_address_is_always_the_first_field():
    wanted = Subscribe({"topics": ["aircraft"], "format": "columns", "fields": ["lat", "hex", "flags", "lat"]})
    assert wanted.form == Form(("hex", "lat", "flags"))
