"""Writes of small features, from the ``SLICE`` of each."""

from __future__ import annotations

from tests.functional.auditing.world import V1, World, Write
from tests.functional.slices import ONE, Slice, slices


def write_of(one: Slice, operation: str) -> Write:
    """Return the write that performs an operation with the sample, on a row that is made for it."""
    method, path = one.path_of(operation)

    def perform(world: World) -> None:
        address = path
        if path.endswith(ONE):
            address = path.replace("{id}", str(world.post(one.creating(), one.sample)["id"]))
        if method == "DELETE":
            world.delete(address)
        else:
            getattr(world, method.lower())(address, one.sample)

    return Write(f"{method} {V1}{path}", one.actions[operation], perform)


WRITES = tuple(write_of(one, operation) for one in slices() for operation in one.actions)
