"""Viewers who may know the station's place exactly, and those who may not."""

from __future__ import annotations

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from skywatch.core import geo
from skywatch.http.settings import HttpSettings
from skywatch.realtime.topics.columns import Form
from skywatch.realtime.topics.live_topics import LiveTopics
from skywatch.realtime.topics.picture_state import LiveView
from skywatch.realtime.transports.handshake import Rules, is_local
from tests.skies import sky_of
from tests.unit.realtime.listeners import ModelClient, payload_of

STATION, SHOWN = (47.451234, 8.567891), (47.45, 8.57)
ALL = LiveView("aircraft", "all", False)
EXACT = replace(ALL, exact=True)


def distance(place, entry):
    return round(float(geo.distance_nm(*place, entry["lat"], entry["lon"])), 3)


def tick_of(seq, *aircraft):
    entries = [{**entry, "distance_nm": distance(SHOWN, entry), "bearing": 1.0} for entry in aircraft]
    sky = replace(sky_of(*entries, seq=seq, station=SHOWN), exact_station=STATION)
    if seq > 1:
        sky.columns["previous_row"][:] = range(len(aircraft))
    return sky


def tick(live, seq, *aircraft):
    live.tick([tick_of(seq, *aircraft)])


def plane(step=0):
    return {"hex": "4b1620", "lat": 47.5 + step / 100, "lon": 8.6, "alt_baro": 3000}


def known(client):
    client.read()
    return client.aircraft["4b1620"]["distance_nm"]


def test_each_gets_distances_from_the_place_they_may_know_tick_by_tick():
    live, exact_one, other = LiveTopics(), ModelClient(), ModelClient()
    tick(live, 1, plane())
    live.join(other, ALL, None)
    assert known(other) == distance(SHOWN, plane())
    live.join(exact_one, EXACT, None)
    assert known(exact_one) == distance(STATION, plane())
    for step in (1, 2, 3):
        tick(live, step + 1, plane(step))
        assert known(other) == distance(SHOWN, plane(step))
        assert known(exact_one) == distance(STATION, plane(step))
    assert (other.snapshots, exact_one.snapshots) == (1, 1)
    assert exact_one.updates == 3
    # A point of one view is none of the other: its holder starts over.
    again = ModelClient()
    live.leave(exact_one, EXACT)
    live.join(again, ALL, exact_one.point)
    assert (known(again), again.snapshots) == (distance(SHOWN, plane(3)), 1)


def test_whoever_comes_back_exactly_begins_with_the_present_picture():
    live, first, second = LiveTopics(), ModelClient(), ModelClient()
    tick(live, 1, plane())
    live.join(first, EXACT, None)
    live.leave(first, EXACT)
    for step in (1, 2):
        tick(live, step + 1, plane(step))
    live.join(second, EXACT, None)
    assert known(second) == distance(STATION, plane(2))
    tick(live, 4, plane(3))
    assert known(second) == distance(STATION, plane(3))


def test_whoever_comes_back_exactly_gets_what_was_missed_though_nobody_watched():
    live, client = LiveTopics(), ModelClient()
    steady = [{**plane(), "hex": address} for address in ("4b1621", "4b1622", "4b1623")]

    def pass_by(seq):
        sky = tick_of(seq, plane(seq), *steady)
        sky.columns["changed"][1:] = False
        live.tick([sky])

    tick(live, 1, plane(1), *steady, {**plane(), "hex": "3c6444"})
    live.join(client, EXACT, None)
    client.read()
    live.leave(client, EXACT)
    pass_by(2)  # The last one has left.
    pass_by(3)
    live.join(client, EXACT, client.point)
    assert known(client) == distance(STATION, plane(3))
    assert set(client.aircraft) == {"4b1620", "4b1621", "4b1622", "4b1623"}
    assert (client.snapshots, client.updates) == (1, 1)
    pass_by(4)
    assert known(client) == distance(STATION, plane(4))
    assert (client.snapshots, client.updates) == (1, 2)


def test_where_no_place_is_hidden_the_exact_view_is_everybodys_picture(monkeypatch):
    live, client = LiveTopics(), ModelClient()
    monkeypatch.setattr(
        "skywatch.realtime.topics.picture_state.PictureState.follow", lambda *_: pytest.fail("made twice")
    )
    live.tick([replace(tick_of(1, plane()), exact_station=None)])
    live.join(client, EXACT, None)
    live.tick([replace(tick_of(2, plane(1)), exact_station=None)])
    assert known(client) == distance(SHOWN, plane(1))
    assert (client.snapshots, client.updates) == (1, 1)


def test_the_bytes_for_all_others_are_made_once_whoever_else_watches():
    live, clients = LiveTopics(), [ModelClient() for _ in range(4)]
    tick(live, 1, plane())
    for client in clients[:3]:
        live.join(client, ALL, None)
    live.join(clients[3], EXACT, None)
    for client in clients:
        client.outbox.frames.clear()
    tick(live, 2, plane(1))
    frames = [client.outbox.frames for client in clients]
    assert frames[0][0] is frames[1][0] is frames[2][0]
    assert frames[3] != frames[0]


def test_nobody_exact_no_second_picture(monkeypatch):
    live, client = LiveTopics(), ModelClient()
    monkeypatch.setattr("skywatch.realtime.topics.live_topics.exact", lambda sky: pytest.fail("made for nobody"))
    tick(live, 1, plane())
    live.join(client, ALL, None)
    tick(live, 2, plane(1))
    assert known(client) == distance(SHOWN, plane(1))


def test_rows_of_columns_as_well():
    live, exact_one, other = LiveTopics(), ModelClient(), ModelClient()
    tick(live, 1, plane())
    form = Form(("hex", "distance_nm"))
    seen = {}
    for name, client, view in (("exact", exact_one, EXACT), ("other", other, ALL)):
        live.join(client, replace(view, form=form), None)
        seen[name] = json.loads(payload_of(client.outbox.frames[-1]))["data"]["rows"]
    assert seen["exact"] == [["4b1620", round(distance(STATION, plane()), 1)]]
    assert seen["other"] == [["4b1620", round(distance(SHOWN, plane()), 1)]]


@pytest.mark.parametrize(
    ("peer", "headers", "local"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("203.0.113.5", {}, False),
        ("127.0.0.1", {"x-forwarded-for": "127.0.0.1"}, False),
        ("127.0.0.1", {"forwarded": "for=127.0.0.1"}, False),
        ("127.0.0.1", {"x-real-ip": "203.0.113.5"}, False),
        ("127.0.0.1", {"host": "attacker.example"}, False),
        ("local", {}, False),
    ],
)
def test_who_is_on_this_machine(peer, headers, local):
    request = SimpleNamespace(headers={"host": "localhost:8001", **headers})
    rules = Rules.of(HttpSettings())
    assert is_local(request, peer, rules) is local
