"""What is not taken apart or written again gives the same picture as if it were."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from msgspec import UNSET

from skywatch.picture.members import SteadyMembers
from skywatch.picture.merging import tick_merge
from skywatch.picture.merging.lead import Lead
from skywatch.picture.merging.steady_arrays import SteadyArrays
from skywatch.picture.picture import Picture
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import Sky
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import ReportColumns
from tests.unit.picture.reports import START, Clock, increment, picture_at, snapshot

SECONDS = 12
OPTIONAL = {
    "flight": ("SWR1", "SWR2", "DLH7 "),
    "squawk": ("1000", "7700", "2341"),
    "emergency": ("none", "general"),
    "category": ("A3", "A5"),
    "alt_baro": ("ground", 3000, 35_000),
    "alt_geom": (3100, 35_200),
    "gs": (12.5, 431.0),
    "track": (10.0, 350.5),
    "baro_rate": (0, -640),
    "ias": (250.0, 251.0),
    "nav_modes": (["lnav"], ["lnav", "tcas"]),
    "nic": (8, 7),
    "version": (0, 2),
    "t": ("A320", "B738"),
    "r": ("HB-ABC", "D-AXYZ"),
    "ownOp": ("Somebody", "Others"),
    "dbFlags": (0, 1, 2),
    "mlat": ((), ("lat", "lon")),
    "tisb": ((), ("alt_baro",)),
    "acas_ra": ({"ra": 1},),
    "type": ("adsb_icao", "mode_s", "mlat", "tisb_icao"),
}
# How often a further receiver says something else.
MOMENTS = 0.3  # and how often it is a moment later
LATER = 0.3  # and how often its position is older than its last message
AGREEMENTS = {"the same": 0.0, "partly the same": 0.1, "different": 0.9}


def said(chance: random.Random, number: int, second: int) -> dict[str, Any]:
    fields = {name: chance.choice(values) for name, values in OPTIONAL.items() if chance.random() < 0.7}
    if chance.random() < 0.9:
        fields |= {"lat": 47.0 + number / 100 + second / 1e3, "lon": 8.0, "seen_pos": 0.1}
    return fields


def heard(fields: dict[str, Any], chance: random.Random, at: float, differs: float) -> dict[str, Any]:
    """What a receiver makes of it, with a time, a count and a signal of its own."""
    own = {name: value for name, value in fields.items() if chance.random() >= differs / 3}
    if "lat" not in own or "lon" not in own:
        own = {name: value for name, value in own.items() if name not in ("lat", "lon")}
    if chance.random() < differs:
        own |= {name: chance.choice(OPTIONAL[name]) for name in chance.sample(sorted(OPTIONAL), 3)}
    if chance.random() < 0.8:
        own["messages"] = chance.randrange(1, 1000)
    if chance.random() < 0.8:
        own["rssi"] = -chance.randrange(30) - 1.0
    if "lat" in own and chance.random() < MOMENTS:
        own["lat"] += 0.0005
    own |= {"at": at - chance.random()}
    if "lat" in own and chance.random() < LATER:
        own["position_at"] = own["at"] - 20 * chance.random()
    return own


def world(seed: int, differs: float, receivers: int, increments: bool) -> list[list[tuple[str, list[Report]]]]:
    """For each second what each receiver reports; aircraft come and go, and keep most of what they said."""
    chance = random.Random(seed)
    now: dict[int, dict[str, Any]] = {}
    seconds = []
    for second in range(SECONDS):
        batches = []
        for number in range(second, second + 30):
            if number not in now or chance.random() < 0.3:
                now[number] = said(chance, number, second)
        for receiver in range(receivers):
            reports = []
            for number in chance.sample(range(second, second + 30), 26):
                fields = heard(now[number], chance, START + second, differs)
                make = increment if increments and number % 3 == 0 and receiver else snapshot
                reports.append(make(f"4b{number:04x}", fields.pop("at"), **fields))
            batches.append((f"r{receiver}", reports))
        seconds.append(batches)
    return seconds


class Forgetful(SteadyMembers):
    """Makes everything again at every tick."""

    def follow(self, hexes, values, airframes, first_seen, rows):
        return SteadyMembers().follow(hexes, values, airframes, first_seen, RowMap(np.full(len(rows), -1)))


def pictures_of(seconds: list[list[tuple[str, list[Report]]]], is_cold: bool) -> tuple[Picture, list[Sky]]:
    clock = Clock()
    picture = picture_at(clock, epoch="e", timeout_s=4.0)
    if is_cold:
        picture._assembly._steady = Forgetful()
    skies = []
    for batches in seconds:
        for receiver, reports in batches:
            picture.put(receiver, reports, len(reports))
        for views in picture._views if is_cold else ():
            views.steady_arrays = SteadyArrays()
        skies.append(picture.tick())
        clock.advance(1.0)
    return picture, skies


def compare(one: Sky, other: Sky, apart: tuple[str, ...] = ()) -> None:
    assert one.hexes == other.hexes
    assert one.encoded == other.encoded
    assert one.details == other.details
    for name, column in one.columns.items():
        if name not in apart:
            np.testing.assert_array_equal(column, other.columns[name], name)
    assert (one.disputed, one.refused) == (other.disputed, other.refused)


@pytest.mark.parametrize("increments", [False, True], ids=["snapshots", "increments too"])
@pytest.mark.parametrize("receivers", [2, 3])
@pytest.mark.parametrize("differs", AGREEMENTS.values(), ids=AGREEMENTS)
def test_receivers_that_agree_make_the_same_picture_as_if_each_was_taken_apart(
    differs: float, receivers: int, increments: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, skies = pictures_of(world(1, differs, receivers, increments), is_cold=False)
    with monkeypatch.context() as patch:
        patch.setattr(tick_merge, "Lead", lambda reports, aircraft: None)
        other, expected = pictures_of(world(1, differs, receivers, increments), is_cold=False)
    for sky, whole in zip(skies, expected, strict=True):
        compare(sky, whole)
    assert one.validator.implausible == other.validator.implausible


@pytest.mark.parametrize("receivers", [1, 2])
def test_members_that_are_kept_are_those_that_would_be_made(receivers: int) -> None:
    for seed in range(2):
        _, skies = pictures_of(world(seed, 0.1, receivers, increments=True), is_cold=False)
        _, expected = pictures_of(world(seed, 0.1, receivers, increments=True), is_cold=True)
        for sky, whole in zip(skies, expected, strict=True):
            # Without the tick before, every airframe may have changed.
            compare(sky, whole, ("airframe_changed", "owner", "operator"))
            assert [sky.name("owner", row) for row in range(len(sky))] == [
                whole.name("owner", row) for row in range(len(whole))
            ]


def test_only_what_says_something_new_is_made_again() -> None:
    clock = Clock()
    picture = picture_at(clock)
    for second in range(3):
        at = clock.time()
        moving = [snapshot(f"4b16{n:02x}", at, lat=47.0, lon=8.0 + second / 100, gs=400.0, nic=8) for n in range(50)]
        moving[7].squawk = "1000" if second < 2 else "7700"
        for receiver in ("roof", "hill"):
            picture.put(receiver, moving, 50)
        sky = picture.tick()
        clock.advance(1.0)
    assert picture._assembly._steady.made == 50 + 1
    assert sky.columns["emergency"].tolist() == [n == 7 for n in range(50)]
    assert sky.aircraft("4b1607")["squawk"] == "7700"


def test_a_further_receiver_is_compared_as_a_whole() -> None:
    views = [snapshot(f"4b16{n:02x}", START, lat=47.0, lon=8.0, messages=n) for n in range(4)]
    theirs = [snapshot(f"4b16{n:02x}", START - 0.5, lat=47.0, lon=8.0, messages=9, rssi=-3.0) for n in range(4)]
    theirs[2].acas_ra = {"ra": 1}
    theirs[3].lat = 47.1
    assert differing(views, theirs[::-1]) == [1]
    theirs[3].lat = theirs[3].lon = UNSET
    assert differing(views, theirs[::-1]) == [0, 1]


def differing(views: list[Report], theirs: list[Report]) -> list[int]:
    """Which of the reports say something else; theirs are of the same aircraft, the last one first."""
    leading, further = ReportColumns.of(views), ReportColumns.of(theirs)
    rows, steady_arrays = np.arange(len(views)), SteadyArrays()
    steady_arrays.follow(further.hexes, further.steady)
    lead = Lead([(leading, rows), (further, rows[::-1])], len(views))
    return lead.differences(further, rows[::-1], steady_arrays).tolist()
