"""Saves the tracker's picture every few seconds, and restores it after a restart."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection

from skywatch.core.clock import unix_now
from skywatch.core.database.engine import SessionFactory, outage_of, reason
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.picture.picture import Picture
from skywatch.picture.settings import PictureSettings
from skywatch.picture.storage import saved_picture as saved

log = logging.getLogger(__name__)

SAVED_PICTURE, SAVED_TRAILS = "picture", "trails"
# Trails grow to many times the size of the picture and lose little by being older: every so many saves.
TRAILS_EVERY = 6


class PictureSaver:
    """The saved state of one picture; when it was saved and why it could not be is written to the statistics."""

    def __init__(self, sessions: SessionFactory, picture: Picture, statistics: TrackerStatistics) -> None:
        self._sessions = sessions
        self._picture = picture
        self._statistics = statistics
        self._task: asyncio.Task[None] | None = None
        self._saved_messages = 0
        self._saves = 0
        self._next_at = 0.0
        self._faults = FaultLog(log, "the picture cannot be saved", "the picture is saved again")

    def restore(self, settings: PictureSettings) -> bool:
        """Restore the saved picture; whether an aircraft is in it."""
        timeout_s = settings.picture_timeout_s
        alive: Collection[str] = ()
        try:
            data = saved.read(self._sessions, SAVED_PICTURE, timeout_s)
            if data is None:
                return False
            alive = self._picture.restore(saved.decode(data))
            log.info("the picture was restored with %d aircraft", len(alive))
        except Exception as error:
            log.warning("the saved picture cannot be used as a whole: %s", error)
        self.restore_trails(settings, alive)
        return len(alive) > 0

    def restore_trails(self, settings: PictureSettings, alive: Collection[str]) -> None:
        """Restore the saved trails of these aircraft, before the first sky is added to them."""
        newer_than_s = settings.picture_timeout_s + TRAILS_EVERY * settings.picture_save_s
        try:
            trails = saved.read(self._sessions, SAVED_TRAILS, newer_than_s)
            if trails is not None:
                self._picture.trails.restore(trails, set(alive))
        except Exception as error:
            log.warning("the saved trails cannot be used: %s", error)

    def save_when_due(self, interval_s: float) -> None:
        """Begin to save if the interval is over and something was received; an interval of 0 saves nothing."""
        if not interval_s or self._picture.messages == self._saved_messages or time.monotonic() < self._next_at:
            return
        if self._task is not None and not self._task.done():
            return
        self._next_at = time.monotonic() + interval_s
        self._saves += 1
        self._task = asyncio.get_running_loop().create_task(self._save(self._saves % TRAILS_EVERY == 0))

    async def close(self, interval_s: float) -> None:
        """Save what was received since the last time, unless the interval is 0."""
        if self._task is not None:
            await self._task
        if interval_s and self._picture.messages != self._saved_messages:
            await self._save(with_trails=True)

    async def _save(self, with_trails: bool) -> None:
        self._saved_messages = self._picture.messages
        parts = {SAVED_PICTURE: saved.encode(self._picture.save())}
        if with_trails:
            parts[SAVED_TRAILS] = self._picture.trails.save()
        try:
            await asyncio.to_thread(saved.write, self._sessions, parts)
            self._statistics.saved_at, self._statistics.save_error = unix_now(), None
            self._faults.succeeded()
        except Exception as error:
            self._faults.failed(reason(error), cause=outage_of(error))
            self._statistics.save_error = reason(error)[:200]
