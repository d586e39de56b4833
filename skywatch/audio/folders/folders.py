"""Inputs ``audio.NAME = folder PATH [channel=NAME] [timezone=ZONE]``: takes the recordings of a folder, each once.

Files are known by their path below the folder and their content, so that a folder may be moved, read again or named
in another setting. Files are read one after the other in a thread; whoever searches the folder waits for it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import queue
import threading
import time
from collections import deque
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import sqlalchemy as sa

from skywatch.audio import ingest
from skywatch.audio.folders.names import read_name
from skywatch.audio.form_fields import MAX_CHANNEL, is_too_far_ahead
from skywatch.audio.ingest import Ingest
from skywatch.audio.models import FolderEntry
from skywatch.audio.recordings.store import Unreadable
from skywatch.audio.settings import AudioSettings
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import is_outage, reason, writing
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.text.names import all_shown
from skywatch.inputs import base
from skywatch.inputs.base import Input
from skywatch.inputs.options import Options, split_setting
from skywatch.inputs.transports import folders
from skywatch.inputs.transports.folders import FolderFile, FolderInput
from skywatch.settings import SettingsError

log = logging.getLogger(__name__)
FAMILY, EXAMPLE = "audio", "folder /srv/recordings channel=Tower"
COMPONENT = "audio_folders"
# Files that wait to be read; the search of the folder waits for room.
MAX_WAITING = 100
# After a fault of the database or the disk (s).
PAUSE_S = 2.0
# A file that cannot be read is tried again after this time (s); so many wait for that, the others for the next start.
AGAIN_S = 60.0
MAX_UNREADABLE = 1000
CLOSE_S = 5.0
STOP = None


class FolderReader:
    """The consumer of one folder."""

    def __init__(self, runtime: Runtime, name: str, channel: str | None, zone: tzinfo) -> None:
        self._runtime, self._ingest = runtime, Ingest(runtime)
        self._name, self._channel, self._zone = name, channel, zone
        self._queue: queue.Queue[FolderFile | None] = queue.Queue()
        self._stopping = threading.Event()
        self._faults = FaultLog(log, f"audio.{name}: recordings wait", f"audio.{name}: recordings are taken again")
        self._why = ""
        # When they are tried again (monotonic s), in that order.
        self._unreadable: deque[tuple[float, FolderFile]] = deque()
        self._reported: set[str] = set()
        self._thread = threading.Thread(target=self._run, name=f"audio.{name}", daemon=True)
        self.input: FolderInput | None = None

    def put(self, messages: Sequence[FolderFile], origin: base.Origin) -> None:
        """Take files; the first starts the thread."""
        if self._thread.ident is None:
            health.watch(COMPONENT, self.state)
            self._runtime.at_close(self.close)
            self._thread.start()
        for file in messages:
            self._queue.put(file)

    async def ready(self) -> None:
        """Return when there is room."""
        while self._queue.qsize() >= MAX_WAITING:
            await asyncio.sleep(0.05)

    def close(self) -> None:
        """Read no more; what waits is found again after the next start."""
        self._stopping.set()
        self._queue.put(STOP)
        self._thread.join(CLOSE_S)
        health.withdraw(COMPONENT, self.state)

    def state(self) -> health.State:
        """For health."""
        detail = "" if self._thread.is_alive() or self._stopping.is_set() else f"the thread of {self._name} has ended"
        if self._faults.count:
            detail = f"{self._name}: {self._why}"
        return health.State(not detail, detail, {"waiting": float(self._queue.qsize())})

    def _run(self) -> None:
        while (file := self._next()) is not STOP and not self._stopping.is_set():
            while not self._stopping.is_set():
                try:
                    self._take(file)
                    self._faults.succeeded()
                    break
                except Exception as error:
                    # The thread must go on with the next file; an outage is waited for.
                    self._why = reason(error)
                    self._faults.failed(self._why, None if _is_passing(error) else error)
                    if not _is_passing(error):
                        self._count_invalid("fault")
                        break
                    self._stopping.wait(PAUSE_S)

    def _next(self) -> FolderFile | None:
        """The next file, or one that could not be read some time ago; STOP at the end."""
        while self._unreadable:
            due, file = self._unreadable[0]
            try:
                return self._queue.get(timeout=max(0.0, due - time.monotonic()))
            except queue.Empty:
                self._unreadable.popleft()
                return file
        return self._queue.get()

    def _take(self, file: FolderFile) -> None:
        recorded = read_name(file.name, self._zone)
        at = _time_of(file, recorded.at)
        # What retention has removed must not come back with every start.
        days = self._runtime.current.of(AudioSettings).retention_audio_days
        if days and at < utcnow() - timedelta(days=days):
            return
        stamp = _digest(file.name, str(file.size), f"{file.modified_at:.3f}")
        with self._runtime.sessions() as session:
            if session.scalar(sa.select(FolderEntry.key).where(FolderEntry.stamp == stamp).limit(1)):
                return
        channel = (self._channel or recorded.channel)[:MAX_CHANNEL]
        origin = ingest.Origin(f"folder:{self._name}"[:80], channel, at, recorded.frequency_hz)
        key = ""
        try:
            with self._ingest.store.incoming() as incoming:
                try:
                    self._ingest.store.copy(file.path, incoming)
                except FileNotFoundError:
                    return  # Deleted meanwhile.
                self._reported.discard(file.name)
                key = _digest(file.name, incoming.sha256)
                if self._is_known(key, stamp):
                    return
                entry = FolderEntry(key=key, stamp=stamp, seen_at=utcnow())
                self._ingest.take(incoming, origin, lambda session: session.add(entry))
        except Problem as problem:
            if problem.kind.status == 503:
                raise OSError(problem.detail) from None
            self._refuse(file, problem, key or _digest(file.name, stamp), stamp)
            return
        except Unreadable as error:
            self._put_off(file, error)
            return
        if self.input is not None:
            self.input.count_stored(1)

    def _is_known(self, key: str, stamp: str) -> bool:
        """Whether the same file was taken before, perhaps with another time of change, which is noted."""
        with writing(self._runtime.sessions) as session:
            entry = session.get(FolderEntry, key)
            if entry is not None:
                entry.stamp = stamp
            return entry is not None

    def _refuse(self, file: FolderFile, problem: Problem, key: str, stamp: str) -> None:
        """Note a bad file: it is not read again at every start."""
        self._count_invalid(problem.kind.code)
        if self.input is not None:
            self.input.set_problem(f"{file.name}: {problem.detail}")
        log.warning("audio.%s: %r is not taken: %s", self._name, file.name, problem.detail)
        with writing(self._runtime.sessions) as session:
            session.merge(FolderEntry(key=key, stamp=stamp, seen_at=utcnow()))

    def _put_off(self, file: FolderFile, error: Unreadable) -> None:
        """A file that cannot be read holds up no other; it is tried again, also after the next start."""
        if len(self._unreadable) < MAX_UNREADABLE:
            self._unreadable.append((time.monotonic() + AGAIN_S, file))
        if self.input is not None:
            self.input.set_problem(f"{file.name}: cannot be read: {error}")
        if file.name not in self._reported:
            self._reported.add(file.name)
            self._count_invalid("unreadable")
            log.warning("audio.%s: %r cannot be read: %s", self._name, file.name, error)

    def _count_invalid(self, why: str) -> None:
        if self.input is not None:
            self.input.invalid[why] += 1


def _time_of(file: FolderFile, named: datetime | None) -> datetime:
    """The time in a file's name, else that of its last change; now where both are wrong, since nobody can be asked."""
    for at in (named, datetime.fromtimestamp(file.modified_at, UTC)):
        if at is not None and not is_too_far_ahead(at):
            return at
    return utcnow()


def _is_passing(error: Exception) -> bool:
    return isinstance(error, OSError) or is_outage(error)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def open_input(runtime: Runtime, name: str, text: str) -> Input:
    """The input of a setting ``audio.NAME``; raises SettingsError."""
    setting = f"{FAMILY}.{name}"
    _, words = split_setting(setting, text, ("folder",), EXAMPLE)
    if not words or "=" in words[0]:
        raise SettingsError(setting, f"expected the path of a folder, such as {EXAMPLE}")
    try:
        options = Options(words[1:])
        channel, zone = options.text("channel"), options.text("timezone")
        options.finish()
    except ValueError as error:
        raise SettingsError(setting, str(error)) from None
    if channel is not None and not (channel and all_shown(channel) and len(channel) <= MAX_CHANNEL):
        raise SettingsError(setting, f"channel must be at most {MAX_CHANNEL} printable characters")
    try:
        reader = FolderReader(runtime, name, channel, ZoneInfo(zone) if zone else UTC)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SettingsError(setting, f"unknown time zone {zone!r}; expected one such as Europe/Zurich") from None
    reader.input = folders.create(FAMILY, name, words[0], reader)
    return reader.input
