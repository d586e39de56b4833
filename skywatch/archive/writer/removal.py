"""What retention may delete where days are archived: days whose files have the hashes of their manifest.

Before the first row of a day goes, the database notes that the day is no longer whole (``removed_at``): from then on
its readers look into the archive too. Every step of the deletion looks again whether the archive has all of the day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import sqlalchemy as sa

from skywatch.archive.contents.manifest import read_manifest
from skywatch.archive.errors import ArchiveError
from skywatch.archive.hooks import archived_kinds
from skywatch.archive.kinds import ArchivedKind, span_of_day
from skywatch.archive.models import ArchivedDay
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import ArchiveStorage, open_storage
from skywatch.archive.writer.backlog import first_kept_day
from skywatch.archive.writer.verification import check_files
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.storage.retention import Kind
from skywatch.settings import Settings


class RemovalGuard:
    """``skywatch.core.storage.retention.Guard`` of an installation with an archive, or with the notes of one.

    ``now`` is the time of day by which the archive would not keep a day.
    """

    def __init__(self, sessions: SessionFactory, settings: Settings, now: Callable[[], datetime] = utcnow) -> None:
        self._sessions = sessions
        self._now = now
        self._settings = settings.of(ArchiveSettings)
        self._kinds: dict[str, ArchivedKind] = {kind.retention: kind for kind in archived_kinds(settings.features)}

    def parts(self, kind: Kind, before: datetime | None) -> Iterator[Any]:
        """The conditions on rows that may go, a day each, the oldest first.

        Raises ArchiveError at the end where a day could not be verified.
        """
        archived = self._kinds.get(kind.name)
        is_archived = (
            archived is not None and self._settings.archive_url != "" and archived.name in self._settings.archive_kinds
        )
        if archived is None or (not is_archived and not self._has_notes(archived)):
            yield sa.true()
            return
        fault: ArchiveError | None = None
        storage = open_storage(self._settings) if is_archived else None
        for day in self._days(kind, archived, before):
            try:
                is_free = (
                    storage is None or self._is_expired(archived, day) or self._is_verified(storage, archived, day)
                )
            except ArchiveError as error:
                fault = fault or error
                continue
            if is_free and self._note(archived, day, is_verified=storage is not None):
                yield archived.on(day) & (_is_current(archived, day) if storage is not None else sa.true())
        if fault is not None:
            raise fault

    def _has_notes(self, kind: ArchivedKind) -> bool:
        with self._sessions() as session:
            return bool(
                session.scalar(
                    sa.select(sa.exists().where(ArchivedDay.kind == kind.name, ArchivedDay.verified_at.is_not(None)))
                )
            )

    def _days(self, kind: Kind, archived: ArchivedKind, before: datetime | None) -> Iterator[date]:
        """The days with rows that may be removed; those that are over at ``before`` only."""
        column = kind.table.c[archived.column]
        where = sa.true() if kind.only is None else kind.only
        cursor: Any = None
        while True:
            query = sa.select(sa.func.min(column)).where(where)
            with self._sessions() as session:
                value = session.scalar(query if cursor is None else query.where(column >= cursor))
            if value is None:
                return
            day = (datetime.fromtimestamp(value, UTC) if archived.unix else value.astimezone(UTC)).date()
            end = span_of_day(day)[1]
            if before is not None and end > before:
                return
            yield day
            cursor = int(end.timestamp()) if archived.unix else end

    def _is_expired(self, kind: ArchivedKind, day: date) -> bool:
        """Whether the archive would not keep the day."""
        return day < first_kept_day(self._now(), self._settings.keep_days(kind.name))

    def _is_verified(self, storage: ArchiveStorage, kind: ArchivedKind, day: date) -> bool:
        """Whether the archive has the day; hashes every file of it. Raises ArchiveError where it is damaged."""
        with self._sessions() as session:
            state = session.get(ArchivedDay, (kind.name, day))
        if state is None or not state.is_current:
            return False
        if state.rows:
            manifest = read_manifest(storage, day)
            check_files(storage, day, manifest)
            return sum(file.rows for file in manifest.files if kind.has(file.stem)) == state.rows
        return True

    def _note(self, kind: ArchivedKind, day: date, *, is_verified: bool) -> bool:
        """Note that rows of the day are deleted; False where the archive does not have them all, which is noted too."""
        with writing(self._sessions) as session:
            state = session.get(ArchivedDay, (kind.name, day), with_for_update=True)
            if state is None:
                return True
            if is_verified and not state.is_current:
                return False
            if is_verified and state.removed_at is None and kind.stored(session, day) != state.stored:
                # Rows were added in a way that nobody noted: the day is archived again.
                state.changes += 1
                return False
            state.removed_at = state.removed_at or utcnow()
            return True


def _is_current(kind: ArchivedKind, day: date) -> Any:
    """The condition that the archive has all of a day at the moment of a step, or would not keep it."""
    here = (ArchivedDay.kind == kind.name) & (ArchivedDay.day == day)
    return ~sa.exists().where(here, ArchivedDay.changes != ArchivedDay.archived_changes)


def guard(sessions: SessionFactory, settings: Settings) -> RemovalGuard:
    """The guard for retention."""
    return RemovalGuard(sessions, settings)
