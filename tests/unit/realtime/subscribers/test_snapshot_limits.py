"""What of snapshots a person receives, by a clock of the test's own."""

from __future__ import annotations

import asyncio
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skywatch.realtime.subscribers.snapshot_limits import MIN_PICTURE_BYTES, SnapshotLimits

WHOLE = 6_000_000
BURST = 60


class World:
    def __init__(self, pictures_per_s=4.0, picture_bytes=WHOLE):
        self.now = 0.0
        self.limits = SnapshotLimits(pictures_per_s, lambda: picture_bytes, lambda: self.now, self.sleep)

    async def sleep(self, seconds):
        self.now += seconds

    def enter(self, person):
        return asyncio.run(self.limits.enter(person))


def test_all_connections_of_a_user_come_back_at_once():
    world = World()
    for _ in range(50):
        assert world.enter("user 1")
        world.limits.charge("user 1", WHOLE)
    assert world.now == world.limits.wait_s("user 1") == 0


@pytest.mark.parametrize(
    ("size", "a_second"),
    [
        pytest.param(WHOLE, 1.0, id="the whole picture, once a second"),
        pytest.param(667_000, 20.0, id="columns of 15,000 aircraft, twenty times a second"),
        pytest.param(WHOLE // 10, 20.0, id="areas of a tenth, twenty times a second"),
        pytest.param(0, 200.0, id="nothing, ten connections at their message rate"),
    ],
)
def test_map_that_moves_is_never_refused(size, a_second):
    world = World()
    for number in range(int(120 * a_second)):
        world.now = number / a_second
        assert world.limits.wait_s("user 1") == 0, world.now
        world.limits.charge("user 1", size)


def test_small_sky_costs_little():
    world = World(picture_bytes=40_000)
    for _ in range(BURST * MIN_PICTURE_BYTES // 40_000):
        assert world.limits.wait_s("user 1") == 0
        world.limits.charge("user 1", 40_000)


def test_who_has_received_too_much_waits_and_nobody_else():
    world = World()
    world.limits.charge("user 1", (BURST + 2) * WHOLE)
    assert world.limits.wait_s("user 1") == pytest.approx(0.5)
    assert world.limits.wait_s("user 2") == 0
    assert world.enter("user 2")
    assert world.now == 0
    assert world.enter("user 1")
    assert world.now == pytest.approx(0.5)
    # Whoever waited has paid for the next one.
    assert world.limits.wait_s("user 1") == pytest.approx(0.25)
    world.limits.charge("user 1", 40 * WHOLE)
    assert not world.enter("user 1")
    assert world.limits.refuse("user 1") == 11
    assert world.now == pytest.approx(0.5)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.floats(0.0, 0.5), st.integers(0, 2 * WHOLE)), min_size=50, max_size=150))
def test_no_person_receives_more_than_burst_and_rate(attempts):
    world, received = World(), 0
    for pause_s, size in attempts:
        world.now += pause_s
        if not world.limits.wait_s("user 1"):
            world.limits.charge("user 1", size)
            received += size
        assert received <= (BURST + 2 + 4.0 * world.now) * WHOLE * 1.001
        assert world.limits.wait_s("user 2") == 0


def test_connections_that_wait_come_one_after_the_other():
    """Of a hundred that wait, each waits until those before it have paid."""
    world, came_at = World(), []

    async def connection():
        if await world.limits.enter("user 1"):
            came_at.append(world.now)
            world.limits.charge("user 1", WHOLE)

    async def scenario():
        world.limits.charge("user 1", (BURST + 4) * WHOLE)
        await asyncio.gather(*(connection() for _ in range(100)))

    asyncio.run(scenario())
    assert came_at
    assert all(later - earlier >= 0.25 for earlier, later in itertools.pairwise(came_at))
