"""What the database holds of backups, for every process: the newest, the last failure, and what was asked for.

One row beside the stored settings. It says what the console shows; when a backup is due follows from the folder alone.
"""

from __future__ import annotations

from datetime import datetime

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.backup.contents.manifest import Manifest
from skywatch.core.clock import utcnow
from skywatch.core.database.models import StoredSetting
from skywatch.core.problems import Problem
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.sentences import sentence

ROW = "(backup)"
REQUESTED = "backup.requested"


class BackupState(msgspec.Struct, frozen=True):
    """``made_at`` is when the newest whole backup began; ``failed_at`` and ``reason`` are of a failure since then."""

    requested_at: datetime | None = None
    made_at: datetime | None = None
    seconds: float = 0.0
    bytes: int = 0
    failed_at: datetime | None = None
    reason: str = ""


def read_state(session: Session) -> BackupState:
    """What is remembered."""
    body = session.scalar(sa.select(StoredSetting.value).where(StoredSetting.name == ROW))
    return BackupState() if body is None else msgspec.json.decode(body, type=BackupState)


def request_backup(session: Session, actor: Actor) -> None:
    """Ask the worker for a backup; raises Problem (409) where one is asked for already."""
    state = read_state(session)
    if state.requested_at is not None:
        raise Problem("conflict", sentence("backup.under_way", "A backup is being made already."))
    _write(session, msgspec.structs.replace(state, requested_at=utcnow()))
    record(session, actor, REQUESTED, Target("backup"))


def note_made(session: Session, manifest: Manifest) -> None:
    """Remember the newest backup; what was asked for is done."""
    seconds = (manifest.ended_at - manifest.began_at).total_seconds()
    _write(session, BackupState(made_at=manifest.began_at, seconds=seconds, bytes=manifest.bytes))


def note_failed(session: Session, reason: str, at: datetime) -> None:
    """Remember a failure; what was asked for is asked for no more."""
    state = read_state(session)
    _write(session, msgspec.structs.replace(state, requested_at=None, failed_at=at, reason=reason))


def end_restored(session: Session) -> None:
    """Ask for no backup after a restore: what is restored was made by one that was asked for."""
    state = read_state(session)
    if state.requested_at is not None:
        _write(session, msgspec.structs.replace(state, requested_at=None))


def _write(session: Session, state: BackupState) -> None:
    session.execute(sa.delete(StoredSetting).where(StoredSetting.name == ROW))
    value = msgspec.json.encode(state).decode()
    session.add(StoredSetting(name=ROW, value=value, sealed=False, updated_at=utcnow(), updated_by=""))
    session.flush()
