"""All monitors of a tracker together: processor time of the tick's thread for 15,000 aircraft, with something to do.

The aircraft are as a continent has them. 1,000 rules test them over 200 geofences, history records them, Cannonball
follows 200 users; half of the aircraft near a user are known, so that there are about a thousand sessions. What writers
do in threads of their own is not counted. ``json.loads`` of a document with as many aircraft measures the machine.
"""

from __future__ import annotations

import dataclasses
import gc
import json
import statistics
import time

import numpy as np

from benchmarks._monitors import Monitors
from benchmarks.safety import skies
from benchmarks.tick import World
from skywatch.cannonball.location import Location
from skywatch.core.geo import distance_nm
from skywatch.picture.state.sky import Sky
from skywatch.picture.tracker import GARBAGE_THRESHOLDS

AIRCRAFT, USERS, RADIUS_NM = 15_000, 200, 25.0
# The areas of 300 by 360 nm that the aircraft are spread over: north and east of the one in the middle (degrees).
AREAS = [(5.0 * (number // 5 - 2), 9.0 * (number % 5 - 2)) for number in range(25)]
WARM_UP, TICKS = 40, 40
LASTS_S = 86_400.0
PEERS = 5


def spread(sky: Sky) -> Sky:
    """The same aircraft over all areas, each always in its own."""
    offsets = np.array(AREAS)[np.arange(len(sky)) % len(AREAS)]
    columns = dict(sky.columns)
    columns["lat"], columns["lon"] = columns["lat"] + offsets[:, 0], columns["lon"] + offsets[:, 1]
    return dataclasses.replace(sky, columns=columns, scratch={}, receivers=("roof",))


def people(sky: Sky, users: int) -> tuple[list[Location], list[str]]:
    """Users near aircraft, and the addresses of every second aircraft around them."""
    chance = np.random.default_rng(2)
    lat, lon = sky.column("lat"), sky.column("lon")
    rows = chance.choice(len(sky), users, replace=False).tolist()
    locations = [
        Location(
            number, float(lat[row]), float(lon[row]), RADIUS_NM, sky.now, sky.now + LASTS_S, heading=90.0, speed_kt=50.0
        )
        for number, row in enumerate(rows, start=1)
    ]
    near = np.zeros(len(sky), np.bool_)
    for location in locations:
        near |= distance_nm(location.lat, location.lon, lat, lon) <= RADIUS_NM
    return locations, [sky.hexes[row].upper() for row in np.flatnonzero(near)[::2].tolist()]


def peer_ms(count: int) -> float:
    """What ``json.loads`` takes for a document of so many aircraft."""
    body, took = World(count).document(), []
    for _ in range(PEERS):
        began = time.thread_time()
        json.loads(body)
        took.append(1000 * (time.thread_time() - began))
    return statistics.median(took)


def main() -> None:
    """Print the table."""
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    passing = map(spread, skies(AIRCRAFT, 1.0))
    sky = next(passing)
    sky.encoded[:] = [b'{"hex":"%b","lat":47.0,"lon":8.0}' % address.encode() for address in sky.hexes]
    monitors = Monitors(*people(sky, USERS))
    try:
        for _, sky in zip(range(WARM_UP + TICKS), passing, strict=False):
            monitors.tick(sky)
        spent, (median, p95) = monitors.medians(WARM_UP), monitors.together(WARM_UP)
        print(
            f"{AIRCRAFT:,} aircraft, 1,000 rules, 200 geofences, {USERS} users with "
            f"{monitors.cannonball_sessions():,} Cannonball sessions; ms of processor time of a tick"
        )
        for name, milliseconds in sorted(spent.items(), key=lambda item: -item[1]):
            print(f"  {name:<24} {milliseconds:>8.1f}")
        print(f"  {'together':<24} {median:>8.1f}   95th percentile {p95:.1f} (target 60)")
        print(f"  {'json.loads':<24} {peer_ms(AIRCRAFT):>8.1f}")
    finally:
        monitors.close()


if __name__ == "__main__":
    main()
