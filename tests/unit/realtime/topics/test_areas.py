"""Areas by tiles say the same as looking at every aircraft, and unusable areas are refused."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pytest

from skywatch.realtime.topics.areas import Area, parse_area
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView, PictureState
from skywatch.realtime.wire.frames import Point
from tests.realtime import Skies
from tests.unit.realtime.listeners import ModelClient


def flights(
    random: np.random.Generator, west: float, ticks: int, moving_share: float = 0.7
) -> list[dict[str, dict[str, Any]]]:
    """Aircraft that wander about four degrees and now and then vanish, lose their position or stand still."""
    lat, lon = random.uniform(45, 49, 150), random.uniform(0, 4, 150)
    steps = []
    for _ in range(ticks):
        moving = random.random(150) < moving_share
        lat = np.where(moving, lat + random.normal(0, 0.3, 150), lat)
        lon = np.where(moving, lon + random.normal(0, 0.3, 150), lon)
        there, known = random.random(150) < 0.99, random.random(150) < 0.98
        step: dict[str, dict[str, Any]] = {}
        for i in np.flatnonzero(there).tolist():
            where = {"lat": float(lat[i]), "lon": float((west + lon[i] + 180) % 360 - 180)} if known[i] else {}
            step[f"{i:06x}"] = {"military": i % 9 == 0, **where}
        steps.append(step)
    return steps


def inside(step: dict[str, dict[str, Any]], area: Area) -> set[str]:
    return {h for h, a in step.items() if "lat" in a and area.inside(a["lat"], a["lon"])}


@pytest.mark.parametrize("west", [6.0, 178.0, -182.0])
@pytest.mark.parametrize("seed", range(4))
def test_a_tick_tells_an_area_what_looking_at_every_aircraft_would(west, seed):
    random = np.random.default_rng(seed)
    steps = flights(random, west, 12)
    areas = []
    for _ in range(25):
        south, north = sorted(random.uniform(44, 50, 2).round(random.integers(0, 3)).tolist())
        low, high = sorted(random.uniform(-1, 5, 2).round(random.integers(0, 3)).tolist())
        areas.append(Area((west + low + 180) % 360 - 180, south, (west + high + 180) % 360 - 180, north))
    state, skies = PictureState(), Skies()
    state.ingest(skies.next(steps[0]))
    for before, now in itertools.pairwise(steps):
        state.ingest(skies.next(now))
        changed = {h for h, a in now.items() if before.get(h) != a}
        for area in areas:
            data = json.loads(state.update(LiveView("aircraft", "all", False, area), state.sky.seq - 1).data)
            told = [a["hex"] for a in data["aircraft"]]
            assert len(told) == len(set(told))
            assert set(told) == inside(now, area) & changed
            assert sorted(data["removed"]) == sorted(inside(before, area) - inside(now, area))


def test_whoever_comes_back_to_an_area_ends_with_its_aircraft():
    random = np.random.default_rng(9)
    steps = flights(random, 6.0, 40, moving_share=0.02)
    area = Area(7.2, 45.5, 9.4, 47.9)
    view = LiveView("aircraft", "all", False, area)
    live, skies, client = LiveTopics(), Skies(), ModelClient()
    live.tick([skies.next(steps[0])])
    live.join(client, view, None)
    for number, step in enumerate(steps[1:]):
        client.read()
        if number % 4 == 0:
            live.leave(client, view)
        live.tick([skies.next(step)])
        if number % 4 == 2:
            live.join(client, view, client.point)
            client.read()
            assert set(client.aircraft) == inside(step, area)
    assert client.updates >= 15


def test_a_client_that_missed_a_restart_gets_a_snapshot_even_if_numbers_overlap():
    view = LiveView("aircraft", "all", False)
    live, before, after, client = LiveTopics(), Skies("one", seq=20), Skies("two"), ModelClient()
    live.tick([before.next({"4b1620": {"alt": 1}})])
    live.join(client, view, None)
    client.read()
    client.outbox.congested = True
    for number in range(25):
        live.tick([after.next({"3c6444": {"alt": number}})])
    client.outbox.congested = False
    live.catch_up(client, view)
    client.read()
    assert set(client.aircraft) == {"3c6444"}


def test_a_slow_viewer_gets_one_update_instead_of_a_backlog():
    view = LiveView("aircraft", "all", False)
    aircraft = {f"{i:06x}": {"alt": 0} for i in range(50)}
    live, skies, client = LiveTopics(), Skies(), ModelClient()
    live.tick([skies.next(aircraft)])
    live.join(client, view, None)
    client.read()
    client.outbox.congested = True
    for number in range(1, 20):
        live.tick([skies.next(aircraft | {"000001": {"alt": number}})])
    assert client.outbox.frames == []
    client.outbox.congested = False
    live.catch_up(client, view)
    assert len(client.outbox.frames) == 1
    client.read()
    assert (client.updates, client.aircraft["000001"]["alt"], client.seq) == (1, 19, 20)


def test_what_is_made_is_sent_while_the_rest_is_made_and_who_leaves_then_is_left_out(monkeypatch):
    monkeypatch.setattr("skywatch.realtime.topics.live_topics.SEND_EVERY_S", -1.0)
    clients = [ModelClient() for _ in range(3)]
    views = [LiveView("aircraft", "all", False, Area(0, 0, 10 + number, 10)) for number in range(3)]
    told: list[list[int]] = []

    def send() -> None:
        told.append([client.updates + len(client.outbox.frames) for client in clients])
        if len(told) == 1:
            live.leave(clients[1], views[1])

    live, skies = LiveTopics(send=send), Skies()
    live.tick([skies.next({"4b1620": {"lat": 5, "lon": 5}})])
    for client, view in zip(clients, views, strict=True):
        live.join(client, view, None)
        client.read()
    live.tick([skies.next({"4b1620": {"lat": 5, "lon": 5.1}})])
    assert told == [[1, 0, 0], [1, 0, 0], [1, 0, 1]]
    assert live.view_count == 2


def test_a_point_that_is_too_old_is_answered_by_a_snapshot():
    view = LiveView("aircraft", "all", False)
    live, skies = LiveTopics(), Skies()
    first = skies.next({"4b1620": {}})
    live.tick([first])
    point = Point(live.state.epoch(view), first.seq)
    live.tick([skies.next({"4b1620": {"alt": i}}) for i in range(400)])
    client = ModelClient()
    live.join(client, view, point)
    client.read()
    assert (client.snapshots, client.updates) == (1, 0)


def test_another_view_cannot_be_resumed():
    live, skies = LiveTopics(), Skies()
    live.tick([skies.next({"4b1620": {"lat": 47.0, "lon": 8.0}})])
    here = LiveView("aircraft", "civil", False, Area(7, 46, 9, 48))
    for other in (
        LiveView("aircraft", "all", False, here.area),
        LiveView("aircraft", "civil", True, here.area),
        LiveView("aircraft", "civil", False),
        LiveView("aircraft", "civil", False, Area(7, 46, 9, 48.5)),
        LiveView("military", "civil", False, here.area),
    ):
        assert not live.state.can_continue(other, live.state.epoch(here), 1)
    assert live.state.can_continue(here, live.state.epoch(here), 1)


@pytest.mark.parametrize(
    "bbox",
    [
        [1, 2, 3],
        "1,2,3",
        [1, 2, 3, "x"],
        [0, 50, 1, 40],
        [-181, 0, 1, 1],
        [0, 0, 181, 1],
        [0, -91, 1, 1],
        {},
        7,
        [True, 0, 1, 1],
        ["nan", 0, 1, 1],
        [0, 0, "inf", 1],
        [None, 0, 1, 1],
        [10**400, 0, 1, 1],
    ],
    ids=lambda bbox: str(bbox)[:30],
)
def test_what_is_no_area_is_refused(bbox):
    with pytest.raises(ValueError, match="bbox"):
        parse_area(bbox)


def test_areas_are_read_from_numbers_and_from_text():
    assert parse_area([170, -10, -170, 10]) == Area(170, -10, -170, 10) == parse_area("170,-10,-170,10")
    assert parse_area(None) is None
