"""The picture in a process: ``PictureAccess`` is that of its own tracker, ``picture_replica`` the one that it follows.

Features read from the first what each receiver receives, and followers whether they leave it to other processes to
hand out the picture. Both are one for a process (``runtime.shared``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.runtime import Runtime
from skywatch.picture.distribution.replica import PictureReplica
from skywatch.picture.settings import PictureSettings

if TYPE_CHECKING:
    from skywatch.picture.picture import Picture


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
