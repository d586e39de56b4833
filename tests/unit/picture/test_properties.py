"""What holds of every picture, whatever receivers say: nobody is lost, and what changed is all that changed."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skywatch.picture.state.sky import COLUMNS, from_bytes, to_bytes
from skywatch.picture.storage.saved_picture import decode, encode
from tests.unit.picture.reports import Clock, increment, picture_at, snapshot

pytestmark = pytest.mark.deep("walks a corpus")

ADDRESSES = ("4b1620", "4b1621", "~3c6444", "adf7c8")
UNSTABLE = {"seen", "seen_pos", "messages", "rssi"}

fields = st.fixed_dictionaries(
    {},
    optional={
        "alt_baro": st.sampled_from(["ground", 0, 1000, 35000]),
        "gs": st.sampled_from([0.0, 120.5, 480.0]),
        "track": st.sampled_from([0.0, 359.9]),
        "flight": st.sampled_from(["SWR1", "DLH2AB"]),
        "squawk": st.sampled_from(["1000", "7700"]),
        "emergency": st.sampled_from(["none", "general"]),
        "rssi": st.sampled_from([-3.0, -30.1]),
        "messages": st.integers(0, 1000),
        "type": st.sampled_from(["adsb_icao", "mlat", "mode_s", "tisb_other", "unknown"]),
        "mlat": st.sampled_from([[], ["lat", "lon", "gs"]]),
        "r": st.sampled_from(["HB-IJS", "D-AIBD"]),
        "dbFlags": st.integers(0, 15),
        "nav_modes": st.sampled_from([[], ["tcas"]]),
    },
)
places = st.one_of(
    st.none(), st.tuples(st.sampled_from([47.0, 47.01, 49.0, -89.9]), st.sampled_from([8.0, 8.01, -179.9]))
)
said = st.tuples(
    st.just("say"),
    st.sampled_from(["roof", "net", "raw"]),
    st.sampled_from(ADDRESSES),
    fields,
    places,
    st.sampled_from([0.0, 0.3, 5.0, 59.0, 70.0]),
)
passing = st.tuples(st.just("pass"), st.sampled_from([0.5, 1.0, 20.0, 61.0]))
setting = st.tuples(st.just("set"), st.sampled_from([-3600.0, 7200.0]))


def put(picture, clock, receiver, address, what, place, age_s):
    at = clock.time() - age_s
    position = {} if place is None else {"lat": place[0], "lon": place[1]}
    if receiver == "raw":
        what = {name: value for name, value in what.items() if name != "messages"}
        picture.put(receiver, [increment(address, at, **position, **what)], 1)
    else:
        picture.put(receiver, [snapshot(address, at, **position, **what)], 1)


def listed(sky):
    return {body["hex"]: body for body in msgspec.json.decode(sky.bodies(range(len(sky)), details=True))}


def stable(bodies):
    return {a: {k: v for k, v in body.items() if k not in UNSTABLE} for a, body in bodies.items()}


def check(sky, before, client):
    assert len(set(sky.hexes)) == len(sky.hexes)
    assert set(before) - set(sky.hexes) == set(sky.left), "who was there is there or has left"
    assert not set(sky.left) & set(sky.hexes)
    current = listed(sky)
    assert list(current) == sky.hexes
    for address in sky.left:
        del client[address]
    client.update((sky.hexes[row], current[sky.hexes[row]]) for row in sky.changed_rows)
    assert stable(client) == stable(current)
    for name, dtype in COLUMNS.items():
        column = sky.columns[name]
        assert column.dtype == np.dtype(dtype), name
        assert len(column) == len(sky), name
    for row, address in enumerate(sky.hexes):
        body, previous = current[address], sky.columns["previous_row"][row]
        assert (previous < 0) == (address not in before)
        assert previous < 0 or before[previous] == address
        assert 0 <= body["seen"] <= 60.1
        assert body["on_ground"] == bool(sky.columns["on_ground"][row]) == (body.get("alt_baro") == "ground")
        assert body["military"] == bool(sky.columns["military"][row])
        assert ("lat" in body) == ("lon" in body) == ("seen_pos" in body) == (not np.isnan(sky.columns["lat"][row]))
        assert ("lat" in body) == ("distance_nm" in body)
        assert body["receiver"] == sky.receivers[sky.columns["receiver"][row]]
        assert "r" not in msgspec.json.decode(sky.encoded[row])
    assert from_bytes(to_bytes(sky)).encoded == sky.encoded
    return list(sky.hexes)


@settings(max_examples=75, deadline=None)
@given(st.lists(st.one_of(said, said, said, passing, setting), max_size=25))
def test_every_tick_leads_from_the_last_one_to_the_present_state(events):
    clock = Clock()
    picture = picture_at(clock)
    client: dict = {}
    before = check(picture.tick(), [], client)
    for kind, *event in events:
        if kind == "say":
            put(picture, clock, *event)
        elif kind == "pass":
            clock.advance(*event)
        else:
            clock.set(*event)
        before = check(picture.tick(), before, client)
    warm = picture_at(clock)
    warm.restore(decode(encode(picture.save())))
    assert set(warm.tick().hexes) == set(before)
