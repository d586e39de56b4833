"""Many aircraft in one place: real ones are compared each with each, invented ones cost no more than others."""

import dataclasses
import math
import random

import numpy as np
import pytest

from skywatch.picture.state.sky import Sky
from skywatch.receivers.feeder_streams.voices import Voice
from skywatch.safety.detection.conflicts import cells, companions, encounters
from skywatch.safety.detection.conflicts.cells import Motion, most_pairs, neighbours
from skywatch.safety.detection.conflicts.proximity import candidates
from skywatch.safety.detection.detectors import Detectors
from skywatch.safety.monitor import SafetyMonitor
from skywatch.safety.thresholds.thresholds import Thresholds
from tests.unit.safety.drawn import Drawn, found, of_type, skies, straight
from tests.unit.safety.ordinary import airliner, circle, circuit, light
from tests.unit.safety.test_cells import judged

T = Thresholds()
VOICES = {"one": Voice("user-1", "192.0.2.1/32"), "two": Voice("user-2", "203.0.113.9/32")}


def motion(chance, lat, lon, alt_ft, speed_kt, climb_fps=0.0, strangers=None):
    """Aircraft at some places, in any direction."""
    count, angle = len(lat), chance.uniform(0, 2 * np.pi, len(lat))
    every = [np.broadcast_to(np.asarray(values, "f8"), count) for values in (alt_ft, speed_kt, climb_fps)]
    east, north = every[1] * np.sin(angle), every[1] * np.cos(angle)
    return Motion(np.arange(count), lat, lon, every[0], east, north, every[2], strangers=strangers)


def joined(*parts):
    """Several skies as one."""
    names = ("lat", "lon", "alt_ft", "east_kt", "north_kt", "climb_fps")
    columns = [np.concatenate([getattr(part, name) for part in parts]) for name in names]
    return Motion(np.arange(len(columns[0])), *columns)


def around(chance, lat, lon, radius_nm, count):
    """Places, the most in the middle."""
    away, bearing = np.abs(chance.normal(0, radius_nm, count)), chance.uniform(0, 2 * np.pi, count)
    return (
        lat + away * np.cos(bearing) / 60,
        lon + away * np.sin(bearing) / 60 / math.cos(math.radians(lat)),
        away,
    )


def hub(chance, lat=34.0, lon=-118.0, count=400):
    """A hub with its approaches, other airfields and overflights."""
    lats, lons, away = around(chance, lat, lon, 30, count)
    height = np.clip(away * 150 + chance.normal(0, 1500, count), 800, 40_000)
    return motion(chance, lats, lons, height, np.clip(100 + away * 8, 90, 480), chance.choice([0, 0, 20, -14], count))


def fly_in(chance, count=250):
    lats, lons, _ = around(chance, 44.0, -88.5, 5, count)
    return motion(chance, lats, lons, chance.uniform(900, 3500, count), chance.uniform(80, 140, count))


def thermal(chance, count=80):
    lats, lons, _ = around(chance, 48.0, 9.0, 0.2, count)
    return motion(chance, lats, lons, chance.uniform(3000, 6000, count), chance.uniform(40, 60, count), 8.0)


def world(chance):
    """15,000 aircraft, half of them around 450 hubs."""
    hubs = [
        hub(chance, chance.uniform(28, 54), chance.uniform(-120, 140), 3 + int(chance.exponential(13)))
        for _ in range(450)
    ]
    count = 15_000 - sum(len(part.rows) for part in hubs)
    levels = chance.integers(290, 410, count) // 10 * 1000.0
    lats, lons = chance.uniform(-40, 65, count), chance.uniform(-180, 180, count)
    return joined(*hubs, motion(chance, lats, lons, levels, chance.uniform(400, 520, count)))


BUSY = {"hub": hub, "fly-in": fly_in, "thermal": thermal}


@pytest.mark.parametrize("place", BUSY.values(), ids=BUSY)
def test_everybody_in_a_busy_place_is_compared_with_everybody(place):
    m = place(np.random.default_rng(5))
    first, second, crowd = neighbours(m, 60.0, 3.0, 800.0)
    everybody = judged(m, *np.triu_indices(len(m.rows), 1))
    assert everybody
    assert judged(m, first, second) == everybody
    assert len(crowd) == 0


@pytest.mark.deep("costs over a processor second")
def test_everybody_in_the_busiest_sky_is_compared():
    chance = np.random.default_rng(6)
    m = joined(world(chance), *(place(chance) for place in BUSY.values()))
    pairs, counts = {}, []
    for whom, near in (("cells", neighbours), ("each", _each_with_each)):
        first, second, crowd = near(m, 60.0, 3.0, 800.0)
        pairs[whom] = judged(m, first, second)
        counts.append(len(crowd))
    assert len(pairs["each"]) > 500
    assert pairs["cells"] == pairs["each"]
    assert counts == [0, 0]


def _each_with_each(m, horizon_s, widest_nm, highest_ft):
    """Every pair whose latitudes and longitudes are near enough, without any cells."""
    reach = 60 / 3600 * 2 * 520 / 60 + 0.1
    order = np.argsort(m.lat)
    first, second = [], []
    for place, row in enumerate(order.tolist()):
        end = np.searchsorted(m.lat[order], m.lat[row] + reach)
        others = order[place + 1 : end]
        apart = np.abs((m.lon[others] - m.lon[row] + 180) % 360 - 180) * math.cos(math.radians(m.lat[row]))
        near = others[apart <= 2 * reach]
        first.append(np.full(len(near), row))
        second.append(near)
    return np.concatenate(first), np.concatenate(second), np.empty(0, np.intp)


def gathered():
    """A hundred in the circuit of a fly-in, a formation of a dozen, forty in a thermal, a hub's two finals."""
    r = random.Random(3)
    [lap, *_] = circuit(r)
    places = {
        (44.0, -88.5): [light(lambda t, late=3.3 * n: lap.path(t + late)) for n in range(100)],
        (47.0, 8.0): [light(straight(0.06 * (n % 4), 0.06 * (n // 4), 5000, 180, 70)) for n in range(12)],
        (48.5, 9.5): [
            Drawn(
                "",
                circle(r.uniform(0.06, 0.4), r.uniform(20, 26), r.random(), 3000 + 90 * n, 300),
                noise_m=15.0,
                fields={"category": "B1"},
            )
            for n in range(40)
        ],
        (50.0, 8.6): [
            *(airliner(straight(12 * s, 12 * (1 - abs(s)), 3000, 250, -90 * s)) for s in (-1, 1)),
            *(
                airliner(straight(-2.6 * n, side, 800 + 800 * n, 150 + 5 * (n % 3), 90, -750))
                for side in (0.0, 0.4, 1.0)
                for n in range(8)
            ),
        ],
    }
    drawn = [dataclasses.replace(aircraft, centre=place) for place, of in places.items() for aircraft in of]
    for number, aircraft in enumerate(drawn):
        aircraft.hex = f"{0x4B0000 + number:06x}"
    return drawn


@pytest.mark.deep("walks a corpus")
def test_gathered_aircraft_give_the_events_that_a_look_at_every_pair_gives(monkeypatch):
    passing = list(skies(gathered(), 45))
    with_cells = _findings(passing)
    monkeypatch.setattr(
        encounters,
        "candidates",
        lambda m, *_: (*np.triu_indices(len(m.rows), 1), np.empty(0, np.intp)),
    )
    assert sum(map(len, with_cells)) > 100
    assert with_cells == _findings(passing)


def _findings(passing: list[Sky]):
    """The findings of each sky, in the order of their keys."""
    detectors = Detectors()
    return [sorted(detectors.update(sky, T), key=lambda finding: (finding.type, finding.key)) for sky in passing]


def spot(chance, count):
    return motion(chance, np.full(count, 50.0), np.full(count, 8.0), 30_000, 400)


def spread(chance, count):
    return motion(chance, 50 + chance.uniform(0, 0.1, count), 8 + chance.uniform(0, 0.1, count), 30_000, 400)


def climbing(chance, count):
    return motion(chance, np.full(count, 50.0), np.full(count, 8.0), 10_000, 400, 100.0)


def groups(chance, count):
    """Of 300, far from each other: each alone is few."""
    number = np.arange(count) // 300
    return motion(chance, 10 + 2.0 * number, np.full(count, 8.0), 30_000, 400)


INVENTED = {"spot": spot, "spread": spread, "climbing": climbing, "groups": groups}


def pairs_made(monkeypatch, m):
    """How many pairs were made in the search, and its outcome."""
    made = []

    def expand(begin, end, expand=cells.expand):
        outcome = expand(begin, end)
        made.append(len(outcome[0]))
        return outcome

    monkeypatch.setattr(cells, "expand", expand)
    outcome = candidates(m, T)
    monkeypatch.undo()
    # The first ones are layers of aircraft, not pairs.
    return sum(made[1:]), outcome


@pytest.mark.parametrize("count", [330, 1000, 4000])
@pytest.mark.parametrize("place", INVENTED.values(), ids=INVENTED)
def test_the_pairs_of_any_place_are_bounded(monkeypatch, place, count):
    made, (first, _, crowd) = pairs_made(monkeypatch, place(np.random.default_rng(1), count))
    assert len(first) <= made <= most_pairs(count)
    assert len(crowd) > 0 or count == 330


def test_cells_that_share_a_bucket_are_no_crowd(monkeypatch):
    monkeypatch.setattr(cells, "_bucket", lambda number: np.zeros(len(number), np.uint16))
    m = hub(np.random.default_rng(5))
    assert judged(m, *neighbours(m, 60.0, 3.0, 800.0)[:2]) == judged(m, *np.triu_indices(len(m.rows), 1))


@pytest.mark.parametrize("place", [spot, spread, climbing])
def test_a_crowd_hides_nobody_elsewhere(place):
    chance = np.random.default_rng(2)
    real, liars = fly_in(chance), place(chance, 3000)
    m = joined(real, liars)
    first, second, crowd = candidates(m, T)
    assert judged(m, first, second) >= judged(real, *np.triu_indices(len(real.rows), 1))
    assert crowd.min() >= len(real.rows)


def test_a_crowd_of_strangers_hides_none_of_ours():
    chance = np.random.default_rng(2)
    real, liars = hub(chance), spot(chance, 3000)
    liars = motion(chance, liars.lat - 16, liars.lon - 126, 5000, 300)
    m = joined(real, liars)
    strangers = np.arange(len(m.rows)) >= len(real.rows)
    m = Motion(*(getattr(m, name) for name in Motion.__dataclass_fields__ if name != "strangers"), strangers)
    first, second, crowd = candidates(m, T)
    assert judged(m, first, second) == judged(real, *np.triu_indices(len(real.rows), 1))
    assert strangers[crowd].all()


@pytest.mark.parametrize(("groups", "each"), [(20, 60), (30, 60), (70, 45)])
def test_many_small_crowds_of_strangers_hide_none_of_ours(groups, each):
    chance = np.random.default_rng(3)
    real = fly_in(chance)
    places = [around(chance, -30 + number, 10 + 2 * number, 0.5, each)[:2] for number in range(groups)]
    liars = [motion(chance, lat, lon, chance.uniform(4000, 6000, each), 300) for lat, lon in places]
    m = joined(real, *liars)
    strangers = np.arange(len(m.rows)) >= len(real.rows)
    m = Motion(*(getattr(m, name) for name in Motion.__dataclass_fields__ if name != "strangers"), strangers)
    first, second, crowd = candidates(m, T)
    of_ours = {pair for pair in judged(m, first, second) if max(pair) < len(real.rows)}
    assert of_ours == judged(real, *np.triu_indices(len(real.rows), 1))
    assert strangers[crowd].all()
    assert len(first) <= most_pairs(len(m.rows))


def crowd_of(receivers, count=340):
    """Some in one point, and two that meet amid them."""
    return [
        Drawn(f"{0x700000 + n:06x}", straight(1.5, 0, 9000, 200, 90), receiver=receiver)
        for n in range(count)
        for receiver in receivers
    ] + [
        Drawn("4b0001", straight(0, 0, 9000, 200, 90), receiver="roof"),
        Drawn("4b0002", straight(4, 0, 9000, 200, 270), receiver="roof"),
    ]


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize(("receivers", "is_raised"), [(["one", "two"], True), (["roof"], False)])
def test_two_owners_that_invent_a_crowd_hide_no_encounter_of_ours(receivers, is_raised):
    events = of_type(found(skies(crowd_of(receivers), 12, voices=VOICES)), "proximity")
    assert (("4b0001", "4b0002") in [event.finding.hexes for event in events]) == is_raised


def test_companions_that_are_remembered_are_bounded(monkeypatch):
    monkeypatch.setattr(companions, "most_pairs", lambda aircraft: 2 * aircraft)
    detectors, formation = Detectors(), [
        Drawn(f"4b00{n:02x}", straight(0.05 * n, 0, 5000, 150, 0, 600)) for n in range(12)
    ]  # fmt: skip
    for sky in skies(formation, 5):
        detectors.update(sky, T)
    assert 0 < len(detectors._proximity._together._until) <= 2 * 12


def test_the_log_says_once_that_a_crowd_is_not_compared(make_runtime, caplog):
    monitor = SafetyMonitor(make_runtime())
    for sky in skies(crowd_of(["roof"]), 3):
        monitor.on_tick(sky)
    lines = [line.getMessage() for line in caplog.records if line.name == "skywatch.safety.monitor"]
    assert len(lines) == 1
    assert "too many aircraft in one place: 342 are not compared" in lines[0]
