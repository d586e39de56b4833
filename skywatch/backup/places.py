"""Where backups are, and the file of their passphrase: as the settings say, else beside the SQLite database."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from skywatch.backup.settings import BackupSettings
from skywatch.core.database.engine import sqlite_file
from skywatch.core.private_files import private_opener
from skywatch.settings import Settings

FOLDER, SUFFIX = "backups", ".backup-passphrase"
# 30 characters of an alphabet that is easily written down: 148 bits.
GROUPS, LENGTH, ALPHABET = 6, 5, "abcdefghijkmnpqrstuvwxyz23456789"


def folder_of(settings: Settings) -> Path | None:
    """The folder of the backups; None where the settings name none and the database is no file."""
    target = settings.of(BackupSettings).backup_target
    if target:
        return Path(target)
    database = sqlite_file(settings.database_url)
    return None if database is None else Path(database).with_name(FOLDER)


def passphrase_file_of(settings: Settings) -> Path | None:
    """The file of the passphrase, as ``folder_of``."""
    path = settings.of(BackupSettings).backup_passphrase_file
    if path:
        return Path(path)
    database = sqlite_file(settings.database_url)
    return None if database is None else Path(f"{database}{SUFFIX}")


def is_set_up(settings: Settings) -> bool:
    """Whether backups are made: the settings name their folder, or there is a passphrase beside the database."""
    path = passphrase_file_of(settings)
    return bool(settings.of(BackupSettings).backup_target) or (path is not None and path.exists())


def has_passphrase(settings: Settings) -> bool:
    """Whether there is a passphrase, or the settings name its file, which is not for this service to make."""
    path = passphrase_file_of(settings)
    return path is not None and (path.exists() or bool(settings.of(BackupSettings).backup_passphrase_file))


def prepare(settings: Settings) -> None:
    """Create the folder beside the database; one that the settings name is there, or its disk is not mounted."""
    folder = folder_of(settings)
    if folder is not None and not settings.of(BackupSettings).backup_target:
        folder.mkdir(mode=0o700, exist_ok=True)


def create_passphrase(path: Path) -> str:
    """Write a new passphrase for this user alone; raises OSError, also where there is one."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(LENGTH)) for _ in range(GROUPS))
    passphrase = "-".join(groups)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(private_opener(os.fspath(path), flags), "w", encoding="utf-8") as file:
        file.write(f"{passphrase}\n")
        file.flush()
        os.fsync(file.fileno())
    return passphrase
