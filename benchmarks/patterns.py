"""Flight patterns: how many are found and how many are not there, how soon, at what cost; and under what mistreatment.

``python -m benchmarks.patterns`` prints score and confusion by kind, of recorded and of drawn flights, those held out
last. ``--robustness`` also scores them thinned, with noise, without tracks, with gaps, scaled, mirrored and moved about
the Earth; ``--drawn N`` draws so many flights of each kind, those held out from ``--seed S``, and ``--quality`` leaves
the cost out. ``--wide N`` prints nothing but the table by kind of the wider corpus, of seed S, or of ``--kinds`` of it;
``--received N`` nothing but those by kind and reception, of flights that were once missed, of kinds added later and of
drawn.jsonl.gz beside the recordings. The recordings are those of ../shared/data/patterns.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from math import cos, radians

import numpy as np

from benchmarks import _pattern_receptions as receptions
from benchmarks._pattern_corpora import HELD_OUT_SEED, SHARED, drawn, recordings
from benchmarks._pattern_table import lines, tabulate
from skywatch.patterns.corpora.scoring import Score, report
from skywatch.patterns.corpora.tracks import Track, find_patterns
from skywatch.patterns.fleet import PatternFleet
from skywatch.patterns.track.plane import LocalPlane
from skywatch.patterns.tracker import PatternTracker
from tests.unit.patterns.drawn import afterwards, later, missed, unseen
from tests.unit.patterns.drawn.wide.corpus import draw as draw_wide

SKY = 15_000
WARM_TICKS, TICKS = 1_500, 200
PEER_TICKS = 20

Points = list[list[float | None]]
Change = Callable[[Points, random.Random], Points]


def thinned(every_s: float) -> Change:
    def change(points: Points, rnd: random.Random) -> Points:
        kept: Points = []
        for point in points:
            if not kept or point[0] - kept[-1][0] >= every_s - 0.01:  # type: ignore[operator]
                kept.append(point)
        return kept

    return change


def noisy(metres: float) -> Change:
    def change(points: Points, rnd: random.Random) -> Points:
        degrees = metres / 111_195.0
        return [
            [t, lat + rnd.gauss(0, degrees), lon + rnd.gauss(0, degrees) / max(cos(radians(lat)), 0.05), *rest]  # type: ignore[operator, arg-type]
            for t, lat, lon, *rest in points
        ]

    return change


def without(*columns: int) -> Change:
    return lambda points, rnd: [[None if i in columns else v for i, v in enumerate(p)] for p in points]


def interpolated_tracks(every: int) -> Change:
    """Return the change that keeps every so many tracks and interpolates between them as numbers, the wrong way round
    past north, as some recordings are."""

    def change(points: Points, rnd: random.Random) -> Points:
        known = [(number, point[5]) for number, point in enumerate(points[::every]) if point[5] is not None]
        numbers, tracks = [every * number for number, _ in known], [track for _, track in known]
        if not tracks:
            return points
        between = np.interp(np.arange(len(points)), numbers, tracks).tolist()
        return [[*point[:5], track, *point[6:]] for point, track in zip(points, between, strict=True)]

    return change


def lost(share: float) -> Change:
    return lambda points, rnd: [point for point in points if rnd.random() >= share]


def holed(every_s: float, gap_s: float) -> Change:
    def change(points: Points, rnd: random.Random) -> Points:
        kept: Points = []
        begin = points[0][0] + rnd.uniform(0.0, every_s)  # type: ignore[operator]
        for point in points:
            t = point[0]
            assert t is not None
            if t >= begin + gap_s:
                begin = t + rnd.uniform(0.5, 1.5) * every_s
            if t < begin:
                kept.append(point)
        return kept

    return change


def moved(lat: float, lon: float, *, turned: float = 0.0, scale: float = 1.0, mirror: bool = False) -> Change:
    """Put the flight about another place, turned (deg), scaled or seen in a mirror; speeds are scaled alike."""

    def change(points: Points, rnd: random.Random) -> Points:
        middle = points[len(points) // 2]
        here, there = LocalPlane(middle[1], middle[2]), LocalPlane(lat, lon)  # type: ignore[arg-type]
        c, s, side = cos(radians(turned)) * scale, cos(radians(90.0 - turned)) * scale, -1.0 if mirror else 1.0
        result: Points = []
        for t, a, o, alt, speed, track, *rest in points:
            x, y = here.project(a, o)  # type: ignore[arg-type]
            new = there.unproject(side * (x * c + y * s), y * c - x * s)
            if track is not None:
                track = side * (track + here.convergence_deg(a, o) + turned)  # type: ignore[arg-type]
                track = (track - there.convergence_deg(*new)) % 360.0
            result.append([t, *new, alt, None if speed is None else speed * scale, track, *rest])
        return result

    return change


def both(first: Change, second: Change) -> Change:
    return lambda points, rnd: second(first(points, rnd), rnd)


CASES: dict[str, Change] = {
    "as recorded": lambda points, rnd: points,
    "every 10 s": thinned(10.0),
    "every 15 s": thinned(15.0),
    "every 20 s": thinned(20.0),
    "every 30 s": thinned(30.0),
    "every 60 s": thinned(60.0),
    "noise of 30 m": noisy(30.0),
    "noise of 100 m": noisy(100.0),
    "no track": without(5),
    "tracks interpolated": interpolated_tracks(8),
    "no track, no speed": without(4, 5, 6),
    "no track, every 15 s": both(without(4, 5, 6), thinned(15.0)),
    "no track, noise of 100 m": both(without(4, 5, 6), noisy(100.0)),
    "no altitude": without(3),
    "30 % lost": lost(0.3),
    "multilateration only": both(both(without(3, 4, 5, 6), thinned(20.0)), both(lost(0.3), noisy(100.0))),
    "60 s lost in 5 min": holed(300.0, 60.0),
    "120 s lost in 10 min": holed(600.0, 120.0),
    "4/5 of the size": moved(45.0, 5.0, scale=0.8),
    "6/5 of the size": moved(45.0, 5.0, scale=1.2),
    "in a mirror": moved(45.0, 5.0, mirror=True),
    "at 70 N, turned": moved(70.0, 10.0, turned=37.0),
    "over the date line": moved(-40.0, 180.0, turned=90.0),
    "at 84 N": moved(84.0, 100.0, turned=10.0),
}


def scored(tracks: list[Track], change: Change, *, exact: bool = False) -> Score:
    """The score of the certain flights after a change; `exact` for drawn ones, which are counted by their kind."""
    flights = [track for track in tracks if track.label_certain]
    results = []
    for track in flights:
        # Chance of its own for each flight: what befalls it does not depend on the flights before.
        changed = Track(change(track.points, random.Random(track.id)), track.id, track.icao24)
        results.append((track, find_patterns(changed)))
    total = Score(exact=exact, by_source=exact)
    for track, patterns in results:
        total.add(track, patterns)
    return total


def robustness(tracks: list[Track], *, exact: bool = False) -> None:
    """One line for each mistreatment: segments found, calls that are right, the same by flight, false alarms."""
    print(
        "share of segments found / of calls that are right; of flights found / of flights called; called surveillance"
    )
    kinds = ("circling", "grid_search", "racetrack")
    print(f"{'':<25}" + "".join(f"{kind:>28}" for kind in kinds) + "  ordinary circuits")
    for name, change in CASES.items():
        total = scored(tracks, change, exact=exact)
        cells = []
        for kind in kinds:
            s = total.labels[kind]
            recall = s.flights_found / (s.flights_found + s.flights_missed)
            precision = s.flights_found / max(s.flights_found + s.flights_false, 1)
            right = s.patterns_right / max(s.patterns_right + s.patterns_false, 1)
            cells.append(f"  {s.segments_found / s.segments:6.3f}/{right:5.3f};{recall:6.3f}/{precision:5.3f}")
        ordinary, circuits = ("travel", "circuits") if exact else ("ordinary", "aerodrome_circuit")
        alarms = f"{total.surveillance[ordinary]:10d} {total.surveillance[circuits]:8d}"
        print(f"{name:<25}" + "".join(cells) + alarms, flush=True)


def position_cost(tracks: list[Track]) -> None:
    """Processor time for each position of single flights."""
    for hint in ("ordinary", "circling", "grid_survey"):
        flights = [track for track in tracks if track.label_hint == hint]
        begin = time.process_time()
        for track in flights:
            find_patterns(track)
        spent = time.process_time() - begin
        count = sum(len(track.points) for track in flights)
        print(f"detectors on {hint:<12} {spent / count * 1e6:6.1f} µs a position ({count} positions, 5 to 30 s apart)")
    track = Track([[1e9 + s, 50.0, s * 0.003, 35000.0, 460.0, 90.0, 0.0] for s in range(20_000)])
    begin = time.process_time()
    find_patterns(track)
    print(
        f"detectors on an airliner in straight flight, at 1 Hz: {(time.process_time() - begin) / 20_000 * 1e6:.2f} µs"
    )


def second_by_second(track: Track) -> np.ndarray:
    """The flight as one row a second: the last position heard, NaN where a value is unknown."""
    points = np.array([[np.nan if v is None else v for v in point[:6]] for point in track.points], dtype=float)
    seconds = np.arange(points[0, 0], points[-1, 0], 1.0)
    return points[np.searchsorted(points[:, 0], seconds, side="right") - 1]


class Sky:
    """So many aircraft that fly recorded flights; one that has landed is followed by another."""

    def __init__(self, flights: list[np.ndarray], count: int) -> None:
        self._rnd = random.Random(7)
        self._flights = flights
        self._names = 0
        self.addresses: list[str] = []
        self._flown = [self._begin() for _ in range(count)]
        self._at = [self._rnd.randrange(len(flight)) for flight in self._flown]
        self._now = 2e9

    def _begin(self) -> np.ndarray:
        self._names += 1
        self.addresses.append(f"{self._names:06x}")
        return self._rnd.choice(self._flights)

    def ticks(self, count: int) -> Iterator[tuple[list[str], list[str], np.ndarray, np.ndarray]]:
        """Yield addresses, those that left, their previous rows and positions."""
        rows = np.arange(len(self._flown), dtype=np.intp)
        for _ in range(count):
            self._now += 1.0
            left, previous = [], rows.copy()
            positions = np.empty((len(self._flown), 6))
            for row, flight in enumerate(self._flown):
                self._at[row] += 1
                if self._at[row] >= len(flight):
                    left.append(self.addresses[row])
                    flight = self._flown[row] = self._begin()
                    self.addresses[row] = self.addresses.pop()
                    self._at[row], previous[row] = 0, -1
                positions[row] = flight[self._at[row]]
                # What was heard how long ago stays; when it was heard is now.
                positions[row, 0] += self._now - (flight[0, 0] + self._at[row])
            yield list(self.addresses), left, previous, positions


def tick_cost(tracks: list[Track]) -> None:
    """Processor time a tick for a sky full of recorded traffic, compared with a tracker for every aircraft."""
    ordinary = [second_by_second(t) for t in tracks if t.label_hint == "ordinary" and len(t.points) > 20]
    sky, fleet = Sky(ordinary, SKY), PatternFleet(capacity=SKY)
    spent = []
    for number, (addresses, left, previous, positions) in enumerate(sky.ticks(WARM_TICKS + TICKS)):
        begin = time.process_time()
        fleet.leave(left)
        fleet.update(addresses, *positions.T, previous_row=previous)
        if number >= WARM_TICKS:
            spent.append(time.process_time() - begin)
    mean_ms = sum(spent) / len(spent) * 1e3
    worst = sorted(spent)[int(0.99 * len(spent))] * 1e3
    share = fleet.watched / SKY
    trackers = {address: PatternTracker(address, address) for address in sky.addresses}
    recorded = [(addresses, positions.tolist()) for addresses, _, _, positions in sky.ticks(PEER_TICKS)]
    begin = time.process_time()
    for addresses, rows in recorded:
        for address, (t, lat, lon, alt, speed, track) in zip(addresses, rows, strict=True):
            if address in trackers:
                trackers[address].feed(t, lat, lon, alt, speed, None if track != track else track)
    peer_ms = (time.process_time() - begin) / PEER_TICKS * 1e3
    print(f"{SKY} aircraft: {mean_ms:.1f} ms a tick, 99 % within {worst:.1f} ms, {share:.1%} watched closely")
    print(f"without the first test, a tracker for each: {peer_ms:.1f} ms, {peer_ms / mean_ms:.1f} times as much")


def main(arguments: list[str] | None = None) -> None:
    """Print quality and cost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robustness", action="store_true")
    parser.add_argument("--quality", action="store_true")
    parser.add_argument("--drawn", type=int, default=10, metavar="N")
    parser.add_argument("--seed", type=int, default=HELD_OUT_SEED, metavar="S")
    parser.add_argument("--wide", type=int, metavar="N")
    parser.add_argument("--received", type=int, metavar="N")
    parser.add_argument("--kinds", nargs="*", default=(), metavar="KIND")
    options = parser.parse_known_args(arguments)[0]
    if options.wide:
        print(f"the wider corpus, seed {options.seed}, {options.wide} of each kind")
        print("\n".join(lines(tabulate(draw_wide(options.seed, options.wide, tuple(options.kinds))))))
        return
    if options.received:
        print(
            f"flights once missed, seed {options.seed}, {options.received} of each kind: found/right of segments, told"
        )
        for kinds in (missed.KINDS, afterwards.KINDS, unseen.KINDS, later.KINDS):
            print("\n".join(receptions.lines(missed.draw(options.seed, options.received, among=kinds))))
        print("\n".join(receptions.lines(receptions.received(SHARED / "patterns" / "drawn.jsonl.gz"))))
        return
    tracks = recordings()
    corpora = {
        "drawn": drawn(options.drawn, held_out=False),
        f"drawn, held out, seed {options.seed}": drawn(options.drawn, held_out=True, seed=options.seed),
    }
    if tracks:
        print("recorded")
        print("\n".join(report(scored(tracks, CASES["as recorded"]))))
    else:
        print("recorded flights are skipped: the labelled tracks (../shared/data/patterns) are not here")
    for name, flights in corpora.items():
        print(f"{name}, {options.drawn} of each kind")
        print("\n".join(report(scored(flights, CASES["as recorded"], exact=True))))
    if tracks and not options.quality:
        position_cost(tracks)
        tick_cost(tracks)
    if options.robustness:
        if tracks:
            print("recorded")
            robustness(tracks)
        print("drawn")
        robustness(corpora["drawn"], exact=True)


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
