"""Verifies a backup: hashes of all files, and a trial restore into a temporary database."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.engine import URL

from skywatch.backup.contents import sealed
from skywatch.backup.contents.files import check_files
from skywatch.backup.contents.manifest import Manifest
from skywatch.backup.contents.sealed import PrivatePart
from skywatch.backup.contents.target import POSTGRESQL_FILE, SQLITE_FILE
from skywatch.backup.databases import dump, into_postgresql, into_sqlite
from skywatch.backup.databases.contents import check_rows
from skywatch.backup.errors import Damaged, Refused
from skywatch.backup.progress import Progress
from skywatch.core.database.migrations import why_unknown


def check_whole(target: Path, manifest: Manifest, progress: Progress) -> None:
    """Raise Damaged unless all files of a backup are as they were, Refused where this release cannot restore it."""
    if why := why_unknown(manifest.revision):
        raise Refused(f"the backup (release {manifest.release}, schema {manifest.revision}) {why}", target)
    names = {file.name for file in manifest.files}
    if (SQLITE_FILE if manifest.database == "sqlite" else POSTGRESQL_FILE) not in names:
        raise Damaged("the manifest names no database", target)
    check_files(target, manifest, progress)


def is_sealed(manifest: Manifest) -> bool:
    """Whether a backup contains the settings and the secret."""
    return any(file.name == sealed.NAME for file in manifest.files)


def open_sealed(target: Path, manifest: Manifest, passphrase: str) -> PrivatePart:
    """The settings and the secret; raises Refused for a wrong passphrase, and Damaged."""
    sha256 = next(file.sha256 for file in manifest.files if file.name == sealed.NAME)
    return sealed.open_file(target, passphrase, sha256)


def verify(target: Path, manifest: Manifest, passphrase: str | None, server: URL | None, progress: Progress) -> str:
    """Verify a backup with this manifest; returns what the trial was.

    ``server`` is a PostgreSQL database on whose server a temporary one may be created; without it a dump is decoded,
    and its rows are counted. Raises Damaged, Refused and DatabaseError.
    """
    check_whole(target, manifest, progress)
    if passphrase is not None:
        if not is_sealed(manifest):
            raise Refused("contains no settings to open: they were left out", target)
        open_sealed(target, manifest, passphrase)
    if manifest.database == "sqlite":
        into_sqlite.trial(target, manifest, progress)
    elif server is not None:
        into_postgresql.trial(server, target, manifest, progress)
    else:
        check_rows(manifest, dump.count_rows(target, manifest, progress), target)
        return "read to its end and counted; give FILE.ini before TARGET to restore it on its server"
    return "restored into a temporary database"
