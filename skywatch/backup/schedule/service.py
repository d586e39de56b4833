"""The service of the worker role that makes backups by schedule; of several workers one does.

When the next one is due follows from the newest whole backup in ``backup_target`` that the passphrase authenticates:
nothing else is remembered, so that a folder that was emptied, a disk that was changed, or a passphrase, gets a backup
at once, and nobody keeps one from being made by a folder that only looks like one.
"""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.backup.contents.manifest import NAME, Manifest
from skywatch.backup.contents.passphrase import read_passphrase
from skywatch.backup.creation import Order, make_backup, only_backup
from skywatch.backup.errors import BackupError, Cancelled, Refused
from skywatch.backup.places import folder_of, is_set_up, passphrase_file_of, prepare
from skywatch.backup.progress import Progress
from skywatch.backup.schedule.rotation import PREFIX, is_of_future, name_at, newest_authentic, remove_old
from skywatch.backup.schedule.state import note_failed, note_made, read_state
from skywatch.backup.settings import NEVER, BackupSettings, duration_s
from skywatch.core.clock import to_iso, utcnow
from skywatch.core.database.engine import DatabaseError, reason, writing
from skywatch.core.database.locks import ExclusiveLock, LockHeldError, exclusive_lock
from skywatch.core.process.periodic import WorkerThread
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.notify.channels.queries import subscribers_of
from skywatch.notify.deliveries.outbox import Notification, enqueue
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
COMPONENT = "backup"
SCHEDULE_LOCK = "backup-schedule"
# How often the schedule is looked at (s).
LOOK_EVERY_S = 5.0
# The longest pause after a backup that failed (s).
RETRY = timedelta(minutes=10)
STOP_S = 5.0
# The source of notifications that channels subscribe to.
SOURCE = "system"


class BackupSchedule:
    """A thread that is idle most of the time."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._worker = WorkerThread(COMPONENT, self._look, self._broke)
        self._lock: ExclusiveLock | None = None
        self._faults = FaultLog(log, "the backup failed", "backups work again")
        self._retry_at: datetime | None = None
        self._is_failing = False
        self._newest: Manifest | None = None
        # What the row of the state says of the newest one.
        self._noted: datetime | None = None
        self._seen: list[tuple[str, int]] = []

    async def start(self) -> None:
        """Begin."""
        self._worker.start()

    async def stop(self) -> None:
        """End; a backup that is under way is given up, and nothing of it remains."""
        if await asyncio.to_thread(self._worker.close, STOP_S):
            await asyncio.to_thread(self._give_up_lead)
        health.withdraw(COMPONENT)

    def _look(self) -> float:
        try:
            if self._leads():
                self.look(utcnow())
        finally:
            if self._worker.stopping.is_set():
                # It may end later than anybody waits for it.
                self._give_up_lead()
        return LOOK_EVERY_S

    def _give_up_lead(self) -> None:
        if self._lock is not None:
            self._lock.close()

    def _broke(self, error: Exception) -> float:
        log.error("backups: the schedule has a fault", exc_info=error)
        health.report(
            COMPONENT,
            False,
            sentence("health.schedule_fault", "the schedule has a fault: {error}", error=type(error).__name__),
        )
        return LOOK_EVERY_S

    def _leads(self) -> bool:
        """Whether this worker is the one that makes backups."""
        if self._lock is None:
            self._lock = exclusive_lock(self._runtime.settings.database_url, SCHEDULE_LOCK)
        try:
            self._lock.take()
        except LockHeldError:
            health.withdraw(COMPONENT)
            return False
        except (SQLAlchemyError, OSError) as error:
            self._fail(f"the database does not answer ({reason(error)})", None)
            return False
        return True

    @property
    def _settings(self) -> BackupSettings:
        """The settings in force: how often and how many are set in the console."""
        return self._runtime.current.of(BackupSettings)

    @property
    def _folder(self) -> Path:
        folder = folder_of(self._runtime.settings)
        if folder is None:
            raise Refused("the settings name no backup_target")
        return folder

    def look(self, now: datetime) -> None:
        """Make a backup if one is due or asked for, and report the state."""
        try:
            with self._runtime.sessions() as session:
                is_requested = read_state(session).requested_at is not None
        except SQLAlchemyError as error:
            self._fail(f"the database does not answer ({reason(error)})", None)
            return
        if not is_set_up(self._runtime.settings) and not is_requested:
            health.withdraw(COMPONENT)
            return
        newest = self._newest
        try:
            newest = self._find_newest(now)
            if is_requested or self._is_due(newest, now):
                if not is_requested and self._retry_at is not None and now < self._retry_at:
                    return
                self._retry_at = now + RETRY
                newest = self._newest = self._make(now)
        except Cancelled:
            return
        except (BackupError, DatabaseError, OSError) as error:
            why = error.public if isinstance(error, BackupError) else reason(error)
            self._fail(why, newest.began_at if newest else None, str(error))
            return
        if newest is None:
            # Nobody has asked for one yet, and no schedule does.
            health.withdraw(COMPONENT)
            return
        self._retry_at = None
        self._succeed(newest)

    def _is_due(self, newest: Manifest | None, now: datetime) -> bool:
        if self._settings.backup_every == NEVER:
            return False
        return newest is None or now >= newest.began_at + timedelta(seconds=duration_s(self._settings.backup_every))

    def _find_newest(self, now: datetime) -> Manifest | None:
        """The newest whole and authentic backup up to now; manifests of many recordings are large, and are read when
        one of them changes."""
        prepare(self._runtime.settings)
        if not self._folder.is_dir():
            raise Refused("backup_target is not there: create the folder, or mount its disk")
        seen = [(path.parent.name, path.stat().st_mtime_ns) for path in sorted(self._folder.glob(f"{PREFIX}*/{NAME}"))]
        was_ahead = self._newest is not None and is_of_future(self._newest, now)
        if seen != self._seen or was_ahead:
            self._newest = newest_authentic(self._folder, self._passphrase(), now)
            self._seen = seen
        return self._newest

    def _passphrase(self) -> str:
        path = passphrase_file_of(self._runtime.settings)
        if path is None:
            raise Refused("the settings name no backup_passphrase_file")
        return read_passphrase(path)

    def _make(self, now: datetime) -> Manifest:
        if not self._runtime.settings.ini:
            raise Refused("the service was started without a file of settings")
        # A service without a configured secret has the one of the file next to its database.
        passphrase = self._passphrase()
        remove_old(self._folder, self._settings.backup_keep, now)
        order = Order(self._runtime.settings, Path(self._runtime.settings.ini), self._folder / name_at(now), passphrase)
        with only_backup(self._runtime.settings):
            manifest = make_backup(order, Progress(is_cancelled=self._worker.stopping.is_set))
        remove_old(self._folder, self._settings.backup_keep, now)
        seconds = (manifest.ended_at - manifest.began_at).total_seconds()
        log.info("backup made: %.1f MB in %.1f s", manifest.bytes / 1e6, seconds)
        return manifest

    def _succeed(self, newest: Manifest) -> None:
        self._faults.succeeded()
        if self._is_failing:
            self._is_failing = False
            with writing(self._runtime.sessions) as session:
                notify_recovered(session, newest.began_at)
        if self._noted != newest.began_at:
            with writing(self._runtime.sessions) as session:
                note_made(session, newest)
            self._noted = newest.began_at
        seconds = (newest.ended_at - newest.began_at).total_seconds()
        health.report(
            COMPONENT,
            True,
            f"the newest is of {to_iso(newest.began_at.replace(microsecond=0))}",
            newest_at=newest.began_at.timestamp(),
            seconds=seconds,
            bytes=float(newest.bytes),
        )

    def _fail(self, why: str, newest_at: datetime | None, line: str = "") -> None:
        self._faults.failed(line or why)
        last = f"the newest is of {to_iso(newest_at.replace(microsecond=0))}" if newest_at else "there is none"
        health.report(COMPONENT, False, f"failed: {why}; {last}")
        try:
            with writing(self._runtime.sessions) as session:
                note_failed(session, why, utcnow())
        except SQLAlchemyError:
            # The database is away, which is what failed.
            return
        if not self._is_failing:
            try:
                with writing(self._runtime.sessions) as session:
                    notify_failed(session, why, newest_at)
            except SQLAlchemyError:
                # The database is away: it is tried again with the next failure.
                return
            self._is_failing = True


def create(runtime: Runtime) -> BackupSchedule | None:
    """The schedule, where there is a place for backups; it waits until the console has made a passphrase."""
    return BackupSchedule(runtime) if folder_of(runtime.settings) is not None else None


def notify_failed(session: Session, why: str, newest_at: datetime | None) -> None:
    """Write to the outbox of every user whose channel subscribes to the source that no backup was made."""
    last = f"The newest whole backup is of {to_iso(newest_at)}." if newest_at else "There is no whole backup."
    _notify(session, "backup.failed", "critical", "The backup failed", f"{why}. {last}", why, newest_at)


def notify_recovered(session: Session, newest_at: datetime) -> None:
    """The same when backups are made again."""
    text = f"The backup of {to_iso(newest_at)} is whole."
    _notify(session, "backup.recovered", "info", "Backups work again", text, "", newest_at)


def _notify(
    session: Session, event: str, priority: str, title: str, text: str, why: str, newest_at: datetime | None
) -> None:
    now = utcnow()
    body = {"event": event, "reason": why, "newest_at": to_iso(newest_at) if newest_at else None}
    enqueue(
        session,
        [
            Notification(
                kind=SOURCE,
                subject_id=int(now.timestamp()),
                user_id=user_id,
                priority=priority,
                channel_ids=channel_ids,
                body=body,
                title=title,
                text=text,
                at=now,
                event=event,
            )
            for user_id, channel_ids in subscribers_of(session, SOURCE).items()
        ],
    )
