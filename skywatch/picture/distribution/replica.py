"""``PictureReplica``: the latest sky in any role, followed on the bus, and the trails of its aircraft."""

from __future__ import annotations

from collections.abc import Callable

from skywatch.core.bus import Bus
from skywatch.picture.distribution.follower import PictureFollower
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.remote import TrailClient
from skywatch.picture.trails.trail import Point


class PictureReplica:
    """Holds the latest sky; ``sky`` may be read from any thread, and is an empty one before the first tick.

    ``timeout_s`` is after how long aircraft leave while the tracker is silent, ``serves`` that of ``PictureFollower``.
    """

    def __init__(self, bus: Bus, timeout_s: float = 60.0, serves: Callable[[], bool] = lambda: True) -> None:
        self._follower = PictureFollower(bus, timeout_s, serves=serves)
        self._trails = TrailClient(bus)
        self._follower.start()

    @property
    def sky(self) -> Sky:
        """The picture of the last tick received, aged if the tracker is silent."""
        return self._follower.sky

    @property
    def has_no_picture(self) -> bool:
        """Whether no tick has been received yet, or the tracker is silent and every aircraft of its last has left."""
        sky = self._follower.sky
        return not sky.seq or (self._follower.is_silent and not len(sky))

    @property
    def is_awaited(self) -> bool:
        """Whether no tick has been received yet, and the tracker may be about to make its first."""
        return not self._follower.sky.seq and not self._follower.is_silent

    @property
    def silent_s(self) -> float:
        """Time since the tracker last published (s)."""
        return self._follower.silent_s

    def trail(self, address: str) -> list[Point]:
        """The positions of the current flight of an aircraft (lower-case address), the present one last."""
        if address not in self.sky.index or self._follower.is_silent:
            return []
        return self._trails.trail(address)

    def close(self) -> None:
        """Stop following; the last sky stays."""
        self._follower.close()
        self._trails.close()
