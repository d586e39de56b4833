"""The service of the worker role that measures and fetches the map of the region; of several workers one does."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import reason, writing
from skywatch.core.database.locks import LockHeldError, exclusive_lock
from skywatch.core.process.periodic import WorkerThread
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.notify.settings import NotifySettings
from skywatch.sentences import sentence
from skywatch.web.region.cut import Cut, Read, plan_cut
from skywatch.web.region.download import fetch
from skywatch.web.region.errors import NotThere, RegionFailed, SourceChanged, Stopped
from skywatch.web.region.job import Job, note, read_job
from skywatch.web.region.place import part_of, region_file

if TYPE_CHECKING:
    from skywatch.web.region.source import Source

log = logging.getLogger(__name__)
T = TypeVar("T")
COMPONENT = "region_map"
LOCK = "region-map"
# How often it is looked at whether something was asked for (s).
LOOK_EVERY_S = 2.0
# The least time between two notes of how far it is, and between two looks at whether it is still wanted (s).
NOTE_EVERY_S = 1.0
# The pauses before a read that failed is tried again (s).
PAUSES_S = (1.0, 5.0, 15.0, 30.0)
STOP_S = 5.0
# How long what was measured is kept in memory in order to be fetched (s).
KEPT_S = 3600.0


class RegionMaps:
    """A thread that is idle most of the time."""

    def __init__(self, runtime: Runtime, path: Path) -> None:
        self._runtime = runtime
        self._path = path
        self._worker = WorkerThread(COMPONENT, self._work, self._broke)
        self._lock = exclusive_lock(runtime.settings.database_url, LOCK)
        # Whether something may be there of a map that nobody wants any more.
        self._may_have_part = True
        # What was measured last, when it was asked for, and until when it is kept: it is not read again to be fetched.
        self._measured: tuple[datetime, Cut, float] | None = None
        self._checked_at = float("-inf")

    async def start(self) -> None:
        """Begin."""
        self._worker.start()

    async def stop(self) -> None:
        """End; a map that is being fetched goes on at the next start."""
        await asyncio.to_thread(self._worker.close, STOP_S)
        health.withdraw(COMPONENT)

    def _work(self) -> float:
        self.look()
        return LOOK_EVERY_S

    def _broke(self, error: Exception) -> float:
        if isinstance(error, SQLAlchemyError):
            log.warning("map of the region: the database does not answer (%s)", reason(error))
        else:
            log.error("map of the region: a fault", exc_info=error)
        return LOOK_EVERY_S

    def look(self) -> None:
        """Do what was asked for, if anything was."""
        job = self._read()
        if job is None and self._may_have_part:
            self._remove_part()
        self._may_have_part = job is not None
        self._forget_measured(job)
        if job is None or not job.is_under_way:
            health.withdraw(COMPONENT)
            return
        try:
            self._lock.take()
            # Another worker may have done it in between.
            job = self._read()
            if job is not None and job.is_under_way:
                self._perform(job)
        except LockHeldError:
            pass
        except Stopped:
            health.withdraw(COMPONENT)
        finally:
            self._lock.close()

    def _read(self) -> Job | None:
        with self._runtime.sessions() as session:
            return read_job(session)

    def _remove_part(self) -> None:
        with contextlib.suppress(OSError):
            part_of(self._path).unlink(missing_ok=True)

    def _forget_measured(self, job: Job | None) -> None:
        """Give up the memory of what was measured where it is another map's, or old."""
        if self._measured is None:
            return
        asked_at, _, kept_until = self._measured
        if job is None or job.asked_at != asked_at or time.monotonic() > kept_until:
            self._measured = None

    def _perform(self, job: Job) -> None:
        try:
            if job.phase == "measuring":
                self._measure(job)
            else:
                self._fetch_measured(job)
        except RegionFailed as error:
            log.warning("map of the region: %s", error.reason)
            # What is there of another map than the source's present one is of no use.
            known = {}
            if isinstance(error, SourceChanged):
                known = {"bytes": 0, "done_bytes": 0}
                self._remove_part()
            self._note_failed(job, error.reason, **known)
        except (SQLAlchemyError, Stopped):
            raise
        except Exception:
            log.exception("map of the region: a fault")
            fault = sentence("region.fault", "Skywatch has a fault here; its log says more.")
            self._note_failed(job, fault)
        health.withdraw(COMPONENT)

    def _note_failed(self, job: Job, why: str, **known: int) -> None:
        with writing(self._runtime.sessions) as session:
            note(session, job, phase="failed", reason=why, **known)

    def _measure(self, job: Job) -> None:
        health.report(COMPONENT, True, sentence("region.measuring", "reads how large the map is"))
        # The HTTP client's libraries, which most services never need, are imported with the first map.
        from skywatch.web.region.source import make_client, open_source

        client = make_client(self._networks)
        source = self._again(job, lambda: open_source(client, job.source, utcnow().date()))
        cut = plan_cut(self._reader(job, source), job.region)
        self._measured = job.asked_at, cut, time.monotonic() + KEPT_S
        changes = {"address": source.address, "version": source.version, "tiles": cut.tiles, "bytes": cut.size}
        with writing(self._runtime.sessions) as session:
            note(session, job, phase="measured", **changes)

    def _fetch_measured(self, job: Job) -> None:
        try:
            self._fetch(job)
        except NotThere:
            raise SourceChanged(
                sentence("region.gone", "The source no longer has the map whose size was said: ask for the size again.")
            ) from None

    def _fetch(self, job: Job) -> None:
        from skywatch.web.region.source import Source, make_client

        read = self._reader(job, Source(make_client(self._networks), job.address, job.version))
        if self._measured is not None and self._measured[0] == job.asked_at:
            cut = self._measured[1]
        else:
            cut = plan_cut(read, job.region)
        noted_at = float("-inf")

        def progress(done: int) -> None:
            nonlocal noted_at
            if self._worker.stopping.is_set():
                raise Stopped
            if time.monotonic() - noted_at < NOTE_EVERY_S:
                return
            noted_at = time.monotonic()
            with writing(self._runtime.sessions) as session:
                note(session, job, done_bytes=done)
            detail = sentence(
                "region.fetching", "{done:.0f} of {all:.0f} MB are fetched", done=done / 1e6, all=cut.size / 1e6
            )
            health.report(COMPONENT, True, detail, bytes=float(cut.size), done_bytes=float(done))

        def confirm() -> None:
            with writing(self._runtime.sessions) as session:
                note(session, job, done_bytes=cut.size)

        fetch(cut, read, self._path, progress, confirm)
        self._measured = None
        log.info("map of the region: %.0f MB in %s", cut.size / 1e6, self._path)
        with writing(self._runtime.sessions) as session:
            note(session, job, phase="done", done_bytes=cut.size, bytes=cut.size)

    def _networks(self) -> tuple[str, ...]:
        return self._runtime.current.of(NotifySettings).allowed_networks

    def _reader(self, job: Job, source: Source) -> Read:
        return lambda offset, length: self._again(job, lambda: source.read(offset, length))

    def _again(self, job: Job, act: Callable[[], T]) -> T:
        """Try again what may succeed the next time, a few times; raises Stopped where nobody wants it any more."""
        for pause_s in PAUSES_S:
            self._check(job)
            try:
                return act()
            except RegionFailed as error:
                if not error.is_passing:
                    raise
                log.info("map of the region: %s It is tried again.", error.reason)
            self._worker.stopping.wait(pause_s)
        self._check(job)
        return act()

    def _check(self, job: Job) -> None:
        """Raises Stopped where nobody wants it any more."""
        if self._worker.stopping.is_set():
            raise Stopped
        if time.monotonic() - self._checked_at < NOTE_EVERY_S:
            return
        self._checked_at = time.monotonic()
        now = self._read()
        if now is None or (now.asked_at, now.phase) != (job.asked_at, job.phase):
            raise Stopped


def create(runtime: Runtime) -> RegionMaps | None:
    """The service, where there is a place for the map."""
    path = region_file(runtime.settings)
    return None if path is None else RegionMaps(runtime, path)
