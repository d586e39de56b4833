"""Many aircraft that leap, or are in one point: a tick computes no more distances than by their number."""

from types import SimpleNamespace

import numpy as np
import pytest

from skywatch.core import geo
from skywatch.safety.detection import vertical
from skywatch.safety.detection.navigation import circles, gatherings
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.unit.safety.drawn import Drawn, found, skies, straight

pytestmark = pytest.mark.deep("walks a corpus")


def distances(monkeypatch, aircraft, seconds):
    """The most distances that a tick computes, and the events."""
    computed, ticks = [0], []

    def counted(*args, distance_nm=geo.distance_nm):
        result = distance_nm(*args)
        computed[0] += np.size(result)
        return result

    monkeypatch.setattr(geo, "distance_nm", counted)
    passing = skies(aircraft, seconds)

    def watched():
        for sky in passing:
            computed[0] = 0
            yield sky
            ticks.append(computed[0])

    events = found(watched())
    monkeypatch.undo()
    return max(ticks), [event.finding for event in events if event.finding.type == "position_integrity"]


@pytest.mark.parametrize("same", [True, False])
def test_many_that_leap_at_once_cost_no_more_than_their_number(monkeypatch, same):
    """To one point, which is one event, or each to a place of its own."""
    count = 300

    def place(n):
        return geo.destination(47.0, 8.0, 137.5 * n % 360, 60 + n / 2)

    def claimed(n):
        lat, lon = (48.0, 9.0) if same else geo.destination(*place(n), 0, 100)
        return {"lat": round(float(lat), 5), "lon": round(float(lon), 5)}

    aircraft = [
        Drawn(f"{0x4B0000 + n:06x}", straight(0, 0, 30_000, 400, 90), centre=place(n),
              changing=lambda t, n=n: claimed(n) if t >= 15 else {})
        for n in range(count)
    ]  # fmt: skip
    monkeypatch.setattr(circles, "FOLLOWED", 50)
    most, findings = distances(monkeypatch, aircraft, 32)
    assert most <= 100 * count
    shapes = [(finding.numbers.get("shape"), finding) for finding in findings]
    points = [finding for shape, finding in shapes if shape is not None and shape.value == "point"]
    assert [len(finding.hexes) for finding in points] == ([count] if same else [])


def test_many_that_were_always_together_are_no_gathering(monkeypatch):
    count = 300
    aircraft = [Drawn(f"{0x4B0000 + n:06x}", straight(0, 0.0002 * n, 30_000, 400, 90)) for n in range(count)]
    most, findings = distances(monkeypatch, aircraft, 10)
    assert most <= 100 * 2 * count
    assert findings == []


def test_traffic_is_looked_for_at_the_first_of_many_reversals(monkeypatch):
    monkeypatch.setattr(vertical, "SOUGHT", 10)

    def path(n):
        return lambda t: (0.1 * t, 0.01 * n, 20_000 + 50 * min(t, 40 - t))

    aircraft = [Drawn(f"{0x4B0000 + n:06x}", path(n)) for n in range(30)]
    events = [event.finding for event in found(skies(aircraft, 32)) if event.finding.type == "vertical_rate_reversal"]
    assert len(events) == 30
    assert sum("no_traffic" in finding.suppressed_by for finding in events) == 20


@pytest.mark.parametrize("outliers", [0, 1, 5, 150])
def test_who_was_apart_is_the_same_as_by_every_pair(outliers):
    chance = np.random.default_rng(outliers)
    spread_deg = np.where(np.arange(150) < outliers, 0.5, 0.01)
    order = chance.permutation(150)
    lat = 47 + (chance.uniform(-1, 1, 150) * spread_deg)[order]
    lon = 8 + (chance.uniform(-1, 1, 150) * spread_deg)[order]
    apart = [
        (geo.distance_nm(lat[:, None], lon[:, None], lat[others], lon[others]) > gatherings.SPREAD_NM).any(axis=1)
        for others in (gatherings._compared(lat, lon), np.arange(150))
    ]
    assert apart[0].tolist() == apart[1].tolist()


def test_ours_take_the_places_of_those_that_only_strangers_hear(monkeypatch):
    monkeypatch.setattr(circles, "FOLLOWED", 2)
    monkeypatch.setattr(circles.CircleDetector, "_follow", lambda self, frame, thresholds: None)
    detector = circles.CircleDetector()
    index = {address: row for row, address in enumerate(("ours1", "ours2", "ours3", "liar1", "liar2", "liar3"))}
    frame = SimpleNamespace(now=100.0, sky=SimpleNamespace(index=index), strangers=np.arange(len(index)) >= 3)
    for leapt in (["liar1", "liar2"], ["liar3", "ours1"], ["ours2", "ours3", "liar1"]):
        detector.update(frame, leapt, Thresholds())
    assert set(detector._until) == set(detector._trails) == {"ours1", "ours2"}
