"""Feeders."""

from __future__ import annotations

from tests.functional.auditing.world import V1, Write

FEEDERS = "/feeders/"


def add_feeder(world):
    """A feeder; its path."""
    return f"{FEEDERS}{world.post(FEEDERS, {'name': f'Roof {world.number()}'})['id']}/"


WRITES = (
    Write(f"POST {V1}{FEEDERS}", "feeder.created", add_feeder),
    Write(
        f"PATCH {V1}{FEEDERS}{{id}}/",
        "feeder.changed",
        lambda world: world.patch(add_feeder(world), {"enabled": False}),
    ),
    Write(
        f"POST {V1}{FEEDERS}{{id}}/rotate/",
        "feeder.uuid_rotated",
        lambda world: world.post(f"{add_feeder(world)}rotate/"),
    ),
    Write(f"DELETE {V1}{FEEDERS}{{id}}/", "feeder.deleted", lambda world: world.delete(add_feeder(world))),
)
