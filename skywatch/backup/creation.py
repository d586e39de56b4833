"""Makes a backup: the database first, then the files its rows name, the encrypted settings, and the manifest last."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import make_url

from skywatch.backup.contents import sealed
from skywatch.backup.contents.files import check_file, copy_folder, folder_bytes, stored_file
from skywatch.backup.contents.manifest import (
    FORMAT,
    Manifest,
    ManifestKey,
    StoredFile,
    new_key,
    write_manifest,
)
from skywatch.backup.contents.setting_files import private_part
from skywatch.backup.contents.target import POSTGRESQL_FILE, SQLITE_FILE, claimed
from skywatch.backup.databases import postgresql, sqlite
from skywatch.backup.databases.contents import Contents
from skywatch.backup.errors import Refused, refusal_of
from skywatch.backup.progress import Progress
from skywatch.core.backups import StoredFolder
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import sqlite_file
from skywatch.core.database.locks import LockHeldError, exclusive_lock
from skywatch.core.hooks import StoredFolders
from skywatch.core.private_files import private_opener
from skywatch.core.process.version import VERSION
from skywatch.settings import Settings

LOCK = "backup"
# What stays free on the target's disk besides the backup (bytes).
SPARE_BYTES = 16_000_000
SETTINGS, SECRET = "settings", "secret"


@dataclass(frozen=True)
class Order:
    """What is backed up where; without a passphrase the settings, the secret and the MAC are left out."""

    settings: Settings
    ini: Path
    target: Path
    passphrase: str | None


def stored_folders(settings: Settings) -> list[StoredFolder]:
    """The folders of files that the features of this installation have."""
    return [folder for hook in settings.features.provided(StoredFolders) for folder in hook.folders(settings)]


def expected_bytes(settings: Settings) -> int:
    """The size of a backup as far as it is known before: that of a dump of PostgreSQL is not."""
    database = sqlite_file(settings.database_url)
    return (sqlite.bytes_of(database) if database is not None else 0) + folder_bytes(stored_folders(settings))


def make_backup(order: Order, progress: Progress) -> Manifest:
    """Write a backup into the target, within ``only_backup``; nothing remains there where that is not completed.

    Raises Refused, Damaged where the database itself is damaged, and DatabaseError.
    """
    key, seal = _sealer(order)
    with claimed(order.target):
        _check_room(order)
        began_at = utcnow()
        contents, database_file = _dump(order, progress)
        _check_schema(contents)
        try:
            files = [stored_file(order.target, database_file, progress)]
            for folder in stored_folders(order.settings):
                for file in copy_folder(folder, order.target, progress):
                    # What the disk has is read again: a copy that cannot be read is none.
                    check_file(order.target, file, progress)
                    files.append(file)
            files += seal()
            manifest = Manifest(
                format=FORMAT,
                release=VERSION,
                revision=contents.revision,
                database="sqlite" if database_file == SQLITE_FILE else "postgresql",
                began_at=began_at,
                ended_at=utcnow(),
                rows=contents.rows,
                files=files,
                left_out=[] if order.passphrase else [SETTINGS, SECRET],
            )
            write_manifest(order.target, manifest, key)
        except OSError as error:
            raise refusal_of(error, order.target) from None
        return manifest


@contextmanager
def only_backup(settings: Settings) -> Iterator[None]:
    """Have the right to make a backup of this database; raises Refused where another process has it.

    It is taken before the database is looked at: a backup that stands still may have that locked.
    """
    lock = exclusive_lock(settings.database_url, LOCK)
    try:
        lock.take()
    except LockHeldError as error:
        lock.close()
        raise Refused(f"another backup of this database is being made by {error}") from None
    except OSError as error:
        lock.close()
        raise refusal_of(error) from None
    try:
        yield
    finally:
        lock.close()


def _sealer(order: Order) -> tuple[ManifestKey | None, Callable[[], Iterable[StoredFile]]]:
    """The key of the manifest, and a function that writes the encrypted settings; what is wrong with the settings or
    the passphrase is found before."""
    if order.passphrase is None:
        return None, lambda: ()
    data = sealed.seal(private_part(order.ini, order.settings), order.passphrase)

    def write() -> Iterable[StoredFile]:
        with open(order.target / sealed.NAME, "wb", opener=private_opener) as file:
            file.write(data)
        return [stored_file(order.target, sealed.NAME, Progress())]

    return new_key(order.passphrase), write


def _check_room(order: Order) -> None:
    needed, free = expected_bytes(order.settings) + SPARE_BYTES, shutil.disk_usage(order.target).free
    if free < needed:
        raise Refused(f"needs {needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free", order.target)


def _dump(order: Order, progress: Progress) -> tuple[Contents, str]:
    url = make_url(order.settings.database_url)
    if url.get_backend_name() == "postgresql":
        return postgresql.dump(url, order.target, progress), POSTGRESQL_FILE
    database = sqlite_file(url)
    if database is None:
        raise Refused("a database in memory cannot be backed up")
    return sqlite.dump(database, order.target, progress), SQLITE_FILE


def _check_schema(contents: Contents) -> None:
    if not contents.revision:
        raise Refused("the database has no Skywatch schema yet: there is nothing to back up")
