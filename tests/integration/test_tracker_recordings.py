"""Recordings of real traffic, played into the tracker: every aircraft is there, where and as it was, and no other."""

from __future__ import annotations

import asyncio
import csv
import json
from collections import defaultdict

import msgspec

from skywatch.core import geo
from skywatch.picture.tracker import Tracker
from tests.waiting import eventually


def play(runtime, enough):
    """Track until it is enough; the tracker, and everything that was said of each aircraft at any tick."""
    said = defaultdict(lambda: defaultdict(list))
    tracker = Tracker(runtime, [])

    def note(message):
        for body in msgspec.json.decode(message.local.bodies(range(len(message.local)), details=True)):
            for name, value in body.items():
                if value not in said[body["hex"]][name]:
                    said[body["hex"]][name].append(value)

    async def track():
        subscription = runtime.bus.subscribe(("picture",), note)
        task = asyncio.create_task(tracker.run())
        await eventually(lambda: task.done() or enough(tracker, said))
        trails = {address: tracker.picture.trails.trail(address) for address in said}
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        subscription.close()
        return trails

    return tracker, said, asyncio.run(track())


def test_a_minute_over_st_petersburg(shared_data, make_runtime):
    """61 s of Beast, eight times as fast: the eleven aircraft of the answer key and none that is not there."""
    expected = json.loads((shared_data / "raw" / "EXPECTED.json").read_text())["ulss7_61s"]
    places = defaultdict(list)
    with (shared_data / "sbs" / "ulss7_61s.sbs").open(newline="") as file:
        for line in csv.reader(file):
            if len(line) > 15 and line[14]:
                places[line[4].lower()].append((float(line[14]), float(line[15])))
    runtime = make_runtime(receiver__tape=f"replay {shared_data / 'raw' / 'ulss7_61s.beast'} speed=8")
    ended_at = []

    def all_shown(tracker, said):
        """Whether a tick has shown what was heard last."""
        (status,) = tracker.statuses()
        if status.state == "ended" and not ended_at:
            ended_at.append(tracker.statistics.seq)
        return ended_at and tracker.statistics.seq > ended_at[0]

    tracker, said, trails = play(runtime, all_shown)
    assert sorted(said) == expected["aircraft_with_crc"]
    assert sorted(callsign for fields in said.values() for callsign in fields["flight"]) == expected["callsigns"]
    assert {squawk for fields in said.values() for squawk in fields["squawk"]} <= set(expected["squawks"])
    for address, points in trails.items():
        assert points, address
        for point in points:
            nearest = min(geo.distance_nm(point.lat, point.lon, *place) for place in places[address])
            assert nearest < 0.01, (address, point)
    assert tracker.picture.validator.implausible == {}
    assert all(fields["messages"][-1] >= 1 for fields in said.values())


def test_two_feeds_of_snapshots_at_once(shared_data, make_runtime):
    """Switzerland and California together, sixty times as fast: nobody jumps, nobody is doubted."""
    feeds = shared_data / "feeds"
    runtime = make_runtime(
        receiver__swiss=f"replay {feeds / 'switzerland_30min.jsonl.gz'} speed=60",
        receiver__california=f"replay {feeds / 'california_30min.jsonl.gz'} speed=60",
    )
    tracker, said, _ = play(runtime, lambda tracker, said: len(said) > 60 and tracker.statistics.seq > 6)
    assert {receiver for fields in said.values() for receiver in fields["receiver"]} == {"swiss", "california"}
    assert all(len(fields["receiver"]) == 1 for fields in said.values())
    assert tracker.picture.validator.implausible == {}
