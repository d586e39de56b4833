"""The picture in a process: ``PictureAccess`` is that of its own tracker, ``picture_replica`` the one that it follows.

Features read from the first what each receiver receives, and followers whether they leave it to other processes to
hand out the picture. Both are one for a process (``runtime.shared``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from skywatch.core.bus import Bus
from skywatch.core.runtime import Runtime
from skywatch.picture.distribution.follower import PictureFollower
from skywatch.picture.settings import PictureSettings
from skywatch.picture.state.sky import Sky
from skywatch.picture.trails.remote import TrailClient
from skywatch.picture.trails.trail import Point

if TYPE_CHECKING:
    from skywatch.picture.picture import Picture


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
        return self.trails([address])[0]

    def trails(self, addresses: Sequence[str], since: float = 0.0) -> list[list[Point]]:
        """The same of several aircraft, each from ``since`` (unix s) on; empty for those that are not in the sky."""
        present = [] if self._follower.is_silent else [a for a in addresses if a in self.sky.index]
        found = dict(zip(present, self._trails.trails(present, since), strict=True)) if present else {}
        return [found.get(address, []) for address in addresses]

    def close(self) -> None:
        """Stop following; the last sky stays."""
        self._follower.close()
        self._trails.close()


class PictureAccess:
    """The picture of this process's tracker, from the moment on at which it leads."""

    def __init__(self, runtime: Runtime | None = None) -> None:
        self._picture: Picture | None = None

    @property
    def picture(self) -> Picture | None:
        """The picture; None until a tracker leads in this process."""
        return self._picture

    def open(self, picture: Picture | None) -> None:
        """Give access to the picture of a tracker that leads."""
        self._picture = picture

    def may_serve(self) -> bool:
        """Whether followers of this process hand out the picture: not next to the tracker that makes it."""
        return self._picture is None


def picture_replica(runtime: Runtime) -> PictureReplica:
    """The latest sky and its trails, in a process that serves the API."""
    timeout_s = runtime.settings.of(PictureSettings).picture_timeout_s
    return PictureReplica(runtime.bus, timeout_s, runtime.shared(PictureAccess).may_serve)
