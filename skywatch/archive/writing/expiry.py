"""Deletes from the archive what it need not keep any longer (``archive_keep_days``)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime

from skywatch.archive.contents.manifest import FILE_NAME, NAME, Manifest, day_of, folder_of, read_manifest
from skywatch.archive.errors import DayError
from skywatch.archive.places.base import Place
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.state import forget
from skywatch.archive.writing.backlog import first_kept_day
from skywatch.core.database.engine import SessionFactory, writing


def expire(sessions: SessionFactory, place: Place, settings: ArchiveSettings, now: datetime) -> int:
    """Delete what is too old; the number of files that went. A day that is damaged is left as it is."""
    names = [kind.name for kind in settings.features.archived()]
    first = {kind: first_kept_day(now, settings.keep_days(kind)) for kind in names}
    if all(day == date.min for day in first.values()):
        return 0
    count = 0
    for day in filter(None, map(day_of, place.names())):
        old = [kind for kind, begin in first.items() if day < begin]
        if old:
            count += _expire_day(sessions, place, day, old)
    return count


def _expire_day(sessions: SessionFactory, place: Place, day: date, kinds: Sequence[str]) -> int:
    """Delete the files of these kinds: first the note in the database, then the manifest's entries, then the files."""
    try:
        manifest = read_manifest(place, day)
    except DayError:
        if NAME in place.names(folder_of(day)):
            return 0
        manifest = None
    with writing(sessions) as session:
        for kind in kinds:
            forget(session, kind, day)
    kept = [file for file in manifest.files if file.stem.split("-")[0] not in kinds] if manifest is not None else []
    if manifest is not None and len(kept) < len(manifest.files):
        if kept:
            _replace(place, day, manifest, kept)
        else:
            place.delete(f"{folder_of(day)}/{NAME}")
    count, names = 0, {file.name for file in kept}
    for name in place.names(folder_of(day)):
        if FILE_NAME.fullmatch(name) and name not in names:
            place.delete(f"{folder_of(day)}/{name}")
            count += 1
    return count


def _replace(place: Place, day: date, manifest: Manifest, kept: Sequence[object]) -> None:
    """Write a manifest of the files that stay."""
    import msgspec

    with place.staging() as staging:
        path = staging / NAME
        path.write_bytes(msgspec.structs.replace(manifest, files=tuple(kept)).encode())
        place.put(f"{folder_of(day)}/{NAME}", path)
