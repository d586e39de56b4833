"""The range outline, made of slices of history."""

import numpy as np

from skywatch.history.points import DEGREES, POINT
from skywatch.readsb import outline
from skywatch.readsb.outline import RangeOutline

NOW = 1_800_000_000.0
PLACES = [(47.5, 9.5), (47.5, 10.5), (47.5, 7.0)]


def points():
    made = np.zeros(len(PLACES), POINT)
    made["lat"], made["lon"] = (np.round(np.array(PLACES) / DEGREES)).T
    made["alt"] = 2000
    return made


def test_the_outline_follows_a_station_that_is_moved(monkeypatch):
    at = outline.slice_of(NOW - 7200)
    monkeypatch.setattr(outline, "read_slices", lambda session, span: [(at, points())] if span.begin <= at else [])
    made = RangeOutline()
    assert made.points(None, (47.5, 8.0), NOW, True) == [(47.5, 10.5, 10000), (47.5, 7.0, 10000)]
    # What was kept of old slices was measured from the old place.
    moved = made.points(None, (47.5, 10.0), NOW, True)
    assert {lon for _, lon, _ in moved} == {7.0, 9.5, 10.5}
    assert moved == RangeOutline().points(None, (47.5, 10.0), NOW, True)
