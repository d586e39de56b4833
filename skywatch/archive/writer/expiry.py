"""Deletes from the archive what it need not keep any longer (``archive_keep_days``)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from skywatch.archive.contents.manifest import FILE_NAME, NAME, Manifest, day_of, folder_of, read_manifest
from skywatch.archive.errors import DayError
from skywatch.archive.hooks import archived_kinds
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.state import forget
from skywatch.archive.storage.base import ArchiveStorage
from skywatch.archive.writer.backlog import first_kept_day
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.storage.retention_clock import RetentionClock, Stored


def expire(
    sessions: SessionFactory,
    storage: ArchiveStorage,
    settings: ArchiveSettings,
    now: datetime,
    clock: RetentionClock | None = None,
) -> int:
    """Delete what is too old; the number of files that went. A day that is damaged is left as it is.

    ``clock`` says how far ``now`` is believed; without it what is too old goes at once.
    """
    keep = {kind.name: settings.keep_days(kind.name) for kind in archived_kinds(settings.features)}
    if not any(keep.values()):
        return 0
    days = sorted(filter(None, map(day_of, storage.names())))
    first = {kind: first_kept_day(now, kept) for kind, kept in keep.items()}
    if clock is not None:
        # Which kinds a day has says its manifest, which is not read for that.
        moments = [datetime.combine(day, time(), UTC) for day in days]
        seen = min(moments, default=None), max((at for at in moments if at <= now), default=None)
        cutoffs = clock.begin(Stored(kind, timedelta(days=kept), *seen) for kind, kept in keep.items())
        first = {kind: cutoffs[kind].date() if kind in cutoffs else date.min for kind in first}
    count = 0
    for day in days:
        old = [kind for kind, begin in first.items() if day < begin]
        if old:
            count += _expire_day(sessions, storage, day, old)
    return count


def _expire_day(sessions: SessionFactory, storage: ArchiveStorage, day: date, kinds: Sequence[str]) -> int:
    """Delete the files of these kinds: first the note in the database, then the manifest's entries, then the files."""
    try:
        manifest = read_manifest(storage, day)
    except DayError:
        if NAME in storage.names(folder_of(day)):
            return 0
        manifest = None
    with writing(sessions) as session:
        for kind in kinds:
            forget(session, kind, day)
    kept = [file for file in manifest.files if file.stem.split("-")[0] not in kinds] if manifest is not None else []
    if manifest is not None and len(kept) < len(manifest.files):
        if kept:
            _replace(storage, day, manifest, kept)
        else:
            storage.delete(f"{folder_of(day)}/{NAME}")
    count, names = 0, {file.name for file in kept}
    for name in storage.names(folder_of(day)):
        if FILE_NAME.fullmatch(name) and name not in names:
            storage.delete(f"{folder_of(day)}/{name}")
            count += 1
    return count


def _replace(storage: ArchiveStorage, day: date, manifest: Manifest, kept: Sequence[object]) -> None:
    """Write a manifest of the files that stay."""
    import msgspec

    with storage.staging() as staging:
        path = staging / NAME
        path.write_bytes(msgspec.structs.replace(manifest, files=tuple(kept)).encode())
        storage.put(f"{folder_of(day)}/{NAME}", path)
