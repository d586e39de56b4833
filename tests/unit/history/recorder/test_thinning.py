"""A thinned track passes within the bound of every position that was received, and is much smaller."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skywatch.history.recorder.thinner import Thinner
from skywatch.history.storage.points import GAP, GROUND, NO_ALTITUDE
from tests.unit.history.tracks import errors, heard, stored

pytestmark = pytest.mark.deep("archives, backups and their worker processes")


def thin(columns, error_m=20.0, altitude_error_ft=25.0):
    """All points kept of columns of shape (steps, aircraft), by slot and time."""
    thinner = Thinner(error_m, altitude_error_ft, 4)
    thinner.reserve(columns[0].shape[1])
    kept = []
    for row in zip(*columns, strict=True):
        heard_now = ~np.isnan(row[1])
        slots = np.flatnonzero(heard_now).astype("i4")
        kept.append(thinner.step(slots, *(column[heard_now] for column in row)))
    kept.append(thinner.open_ends())
    return stored(np.concatenate(kept))


@pytest.mark.parametrize(("error_m", "altitude_error_ft"), [(20.0, 25.0), (5.0, 10.0), (100.0, 100.0)])
def test_every_received_position_is_within_the_bound(error_m, altitude_error_ft):
    columns = heard()
    kept = thin(columns, error_m, altitude_error_ft)
    worst_m = worst_ft = 0.0
    for slot in range(columns[0].shape[1]):
        at, lat, lon, alt = (column[:, slot] for column in columns[:4])
        metres, feet = errors(kept[kept["aircraft"] == slot], at, lat, lon, alt)
        worst_m, worst_ft = max(worst_m, metres.max()), max(worst_ft, feet.max())
    assert worst_m <= error_m
    assert worst_ft <= altitude_error_ft


def test_a_straight_flight_is_kept_in_few_points():
    seconds = 600
    at = 1_750_000_000.0 + np.arange(seconds)[:, None]
    lat = 47.0 + np.arange(seconds)[:, None] * 0.002
    lon = np.full((seconds, 1), 8.0)
    alt, gs, track = (np.full((seconds, 1), v) for v in (36000.0, 432.0, 0.0))
    kept = thin((at, lat, lon, alt, gs, track, np.zeros((seconds, 1), bool)))
    # Two ends, and one in between for each 120 s: a moment must be found from its neighbourhood.
    assert len(kept) <= 2 + seconds // 120


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.floats(0.05, 90.0),
            st.floats(-0.02, 0.02),
            st.floats(-0.02, 0.02),
            st.one_of(st.just(float("nan")), st.floats(-1000, 60000)),
            st.booleans(),
        ),
        min_size=1,
        max_size=60,
    ),
    st.floats(-85, 85),
    st.floats(-179.9, 179.9),
)
def test_no_input_breaks_the_bound(steps, lat0, lon0):
    at, lat, lon, alt, ground = ([] for _ in range(5))
    t, y, x = 1_700_000_000.0, lat0, lon0
    for wait, north, east, height, on_ground in steps:
        t, y, x = t + wait, max(-89.9, min(89.9, y + north)), x + east
        x = x - 360 if x > 180 else x + 360 if x < -180 else x
        at.append(t)
        lat.append(y)
        lon.append(x)
        alt.append(float("nan") if on_ground else height)
        ground.append(on_ground)
    columns = [np.array(c)[:, None] for c in (at, lat, lon, alt)]
    unknown = np.full((len(at), 1), np.nan)
    kept = thin((*columns, unknown, unknown, np.array(ground)[:, None]))
    assert (np.diff(kept["at"]) > 0).all()
    known = ~np.isnan(np.array(alt))
    metres, feet = errors(kept, *(c[:, 0] for c in columns))
    assert metres.max() <= 20.0
    assert feet[known].max(initial=0) <= 25.0
    assert not np.isnan(feet[known]).any()


def test_an_interruption_is_marked_and_not_bridged():
    at = np.array([0.0, 1.0, 2.0, 200.0, 201.0])[:, None] + 1_750_000_000
    lat = np.array([47.0, 47.001, 47.002, 47.5, 47.501])[:, None]
    rest = [np.full((5, 1), v) for v in (8.0, 30000.0, 400.0, 0.0)]
    kept = thin((at, lat, *rest, np.zeros((5, 1), bool)))
    assert [int(f & GAP) for f in kept["flags"]] == [GAP, 0, GAP, 0]


def test_ground_and_missing_altitude_are_kept_apart_from_flight():
    at = 1_750_000_000.0 + np.arange(6.0)[:, None]
    lat = 47.0 + np.arange(6)[:, None] * 1e-4
    nan = float("nan")
    alt = np.array([nan, nan, nan, 1400.0, 1450.0, 1500.0])[:, None]
    ground = np.array([True, True, False, False, False, False])[:, None]
    rest = [np.full((6, 1), v) for v in (100.0, 0.0)]
    kept = thin((at, lat, np.full((6, 1), 8.0), alt, *rest, ground))
    kinds = [int(f & (GROUND | NO_ALTITUDE)) for f in kept["flags"]]
    assert kinds == [GROUND | NO_ALTITUDE] * 2 + [NO_ALTITUDE] + [0] * 2


def test_a_position_repeated_or_older_is_passed_over():
    thinner = Thinner(20, 25)
    one = [np.array([v]) for v in (1000.0, 47.0, 8.0, 1000.0, 100.0, 90.0)]
    slot, ground = np.array([0], "i4"), np.array([False])
    assert len(thinner.step(slot, *one, ground)) == 1
    assert len(thinner.step(slot, *one, ground)) == 0
    assert len(thinner.step(slot, np.array([990.0]), *one[1:], ground)) == 0
    assert len(thinner.open_ends()) == 0


def test_the_recordings_stay_within_the_bound(shared_data):
    received = kept_points = 0
    for path in sorted((shared_data / "feeds").glob("*.jsonl.gz")):
        slots, tracks = {}, {}
        thinner = Thinner(20, 25)
        kept = []
        with gzip.open(path) as lines:
            for line in lines:
                rows = {}
                snapshot = json.loads(line)
                for a in snapshot["aircraft"]:
                    if "lat" not in a or "seen_pos" not in a:
                        continue
                    slot = slots.setdefault(a["hex"], len(slots))
                    alt = a.get("alt_baro")
                    ground = alt == "ground"
                    at = snapshot["now"] - a["seen_pos"]
                    track = tracks.setdefault(slot, [])
                    if track and at < track[-1][0] + 0.02:
                        continue
                    altitude = float("nan") if alt is None or ground else float(alt)
                    track.append((at, a["lat"], a["lon"], altitude))
                    rows[slot] = (*track[-1], a.get("gs", float("nan")), a.get("track", float("nan")), ground)
                if rows:
                    thinner.reserve(len(slots))
                    columns = [np.array(c) for c in zip(*rows.values(), strict=True)]
                    kept.append(thinner.step(np.array(list(rows), "i4"), *columns))
        kept.append(thinner.open_ends())
        points = stored(np.concatenate(kept))
        for slot, track in tracks.items():
            at, lat, lon, alt = np.array(track).T
            metres, feet = errors(points[points["aircraft"] == slot], at, lat, lon, alt)
            assert metres.max() <= 20.0, (path.name, slot)
            assert np.nanmax(np.append(feet, 0.0)) <= 25.0
            received += len(track)
        kept_points += len(points)
    assert received > 13_000
    assert kept_points < 0.85 * received  # the recordings are samples of 5 to 10 s already
