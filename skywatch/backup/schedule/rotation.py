"""The backups in ``backup_target``: which are whole, which one is removed."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from skywatch.backup.contents.files import path_of
from skywatch.backup.contents.manifest import NAME, Manifest, read_authentic, read_manifest
from skywatch.backup.contents.target import is_being_written, remove_content
from skywatch.backup.errors import BackupError

PREFIX = "skywatch-"
# A manifest further in the future than this is of a clock that was wrong.
FUTURE = timedelta(minutes=5)
_NAME = re.compile(r"skywatch-\d{8}T\d{6}Z")


@dataclass(frozen=True)
class WholeBackup:
    """A backup with its manifest, all of whose files have their size."""

    folder: Path
    manifest: Manifest


def name_at(now: datetime) -> str:
    """The name of the folder of a backup that begins now (UTC)."""
    return f"{PREFIX}{now:%Y%m%dT%H%M%SZ}"


def whole_backups(folder: Path) -> list[WholeBackup]:
    """The whole backups that a schedule made in a folder, the oldest first; raises OSError where it cannot be read."""
    backups = []
    for path in _ours(folder):
        with contextlib.suppress(BackupError, OSError):
            manifest = read_manifest(path)
            if all(path_of(path, file).stat().st_size == file.bytes for file in manifest.files):
                backups.append(WholeBackup(path, manifest))
    return sorted(backups, key=lambda backup: (backup.manifest.began_at, backup.folder.name))


def is_of_future(manifest: Manifest, now: datetime) -> bool:
    """Whether a backup was made while the clock was ahead: it says nothing of when the next one is due."""
    return manifest.began_at - FUTURE > now


def newest_authentic(folder: Path, passphrase: str, now: datetime) -> Manifest | None:
    """The manifest of the newest whole backup up to now that was made with this passphrase and not changed since;
    raises OSError."""
    for backup in reversed(whole_backups(folder)):
        if is_of_future(backup.manifest, now):
            continue
        with contextlib.suppress(BackupError):
            manifest, is_authentic = read_authentic(backup.folder, passphrase)
            if is_authentic:
                return manifest
    return None


def remove_old(folder: Path, keep: int, now: datetime) -> list[Path]:
    """Remove the oldest whole backups beyond ``keep``, and what interrupted ones left; returns what was removed.

    Those of the future go first: they would stay the newest for as long as the clock was ahead, and every later one
    would go in their place. One that is damaged stays: somebody may want to look at it.
    """
    removed = []
    backups = sorted(whole_backups(folder), key=lambda backup: not is_of_future(backup.manifest, now))
    for path in [*_interrupted(folder), *(backup.folder for backup in backups[:-keep])]:
        # The manifest first: without it nobody takes the rest for a backup.
        with contextlib.suppress(FileNotFoundError):
            (path / NAME).unlink()
        remove_content(path)
        # Not where a file server, or somebody, has put something in: that must not end all backups.
        with contextlib.suppress(OSError):
            path.rmdir()
            removed.append(path)
    return removed


def _ours(folder: Path) -> list[Path]:
    # A link leads to somebody else's files, which are not to be removed.
    paths = [path for path in sorted(folder.iterdir()) if _NAME.fullmatch(path.name)]
    return [path for path in paths if path.is_dir() and not path.is_symlink()]


def _interrupted(folder: Path) -> list[Path]:
    return [path for path in _ours(folder) if not (path / NAME).exists() and not is_being_written(path)]
