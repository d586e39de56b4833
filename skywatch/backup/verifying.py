"""Verifies a backup: hashes of all files, and a trial restore into a temporary database."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sqlalchemy.engine import URL

from skywatch.backup.contents import sealed
from skywatch.backup.contents.files import check_files
from skywatch.backup.contents.manifest import Manifest, read_manifest
from skywatch.backup.contents.sealed import PrivatePart
from skywatch.backup.contents.target import POSTGRESQL_FILE, SQLITE_FILE
from skywatch.backup.databases import postgresql, sqlite
from skywatch.backup.databases.contents import REVISION_TABLE, check_rows
from skywatch.backup.errors import Damaged, Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.database.migrations import why_unknown


def read_whole(target: Path, progress: Progress) -> Manifest:
    """The manifest of a backup whose files are all as they were.

    Raises Damaged, and Refused where there is none or where this release cannot restore it.
    """
    manifest = read_manifest(target)
    if why := why_unknown(manifest.revision):
        raise Refused(f"the backup (release {manifest.release}, schema {manifest.revision}) {why}", target)
    names = {file.name for file in manifest.files}
    if (SQLITE_FILE if manifest.database == "sqlite" else POSTGRESQL_FILE) not in names:
        raise Damaged("the manifest names no database", target)
    check_files(target, manifest, progress)
    return manifest


def is_sealed(manifest: Manifest) -> bool:
    """Whether a backup contains the settings and the secret."""
    return any(file.name == sealed.NAME for file in manifest.files)


def open_sealed(target: Path, passphrase: str) -> PrivatePart:
    """The settings and the secret; raises Refused for a wrong passphrase."""
    try:
        data = (target / sealed.NAME).read_bytes()
    except OSError as error:
        raise refusal_of(error, target) from None
    return sealed.unseal(data, passphrase)


def verify(target: Path, passphrase: str | None, server: URL | None, progress: Progress) -> tuple[Manifest, str]:
    """Verify a backup; returns its manifest and what the trial was.

    ``server`` is a PostgreSQL database on whose server a temporary one may be created; without it a dump is decoded,
    and its rows are counted. Raises Damaged, Refused and DatabaseError.
    """
    manifest = read_whole(target, progress)
    if passphrase is not None:
        if not is_sealed(manifest):
            raise Refused("contains no settings to open: they were left out", target)
        open_sealed(target, passphrase)
    return manifest, _try(target, manifest, server, progress)


def _try(target: Path, manifest: Manifest, server: URL | None, progress: Progress) -> str:
    if manifest.database == "sqlite":
        try:
            with tempfile.TemporaryDirectory(prefix="skywatch-trial-") as place:
                contents = sqlite.trial(target, Path(place), progress)
        except OSError as error:
            raise refusal_of(error) from None
        check_rows(manifest.rows, contents.rows, target)
        return "restored into a temporary database"
    if server is None:
        check_rows(manifest.rows, postgresql.count_dumped(target, progress), target)
        return "read to its end and counted; give FILE.ini before TARGET to restore it on its server"
    contents = postgresql.trial(server, target, progress)
    check_rows(manifest.rows, contents.rows, target, but=revision_tables(manifest))
    return "restored into a temporary database"


def revision_tables(manifest: Manifest) -> list[str]:
    """The table of the schema's revision, which is restored last of all, as the manifest names it."""
    return [name for name in manifest.rows if name.rpartition(".")[2] == REVISION_TABLE]
