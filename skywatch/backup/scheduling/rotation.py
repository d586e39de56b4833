"""The backups in ``backup_target``: which are whole, which one is removed."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from skywatch.backup.contents.manifest import NAME, Manifest, read_manifest
from skywatch.backup.contents.target import is_being_written, remove_content
from skywatch.backup.errors import BackupError

PREFIX = "skywatch-"
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
            if all((path / file.name).stat().st_size == file.bytes for file in manifest.files):
                backups.append(WholeBackup(path, manifest))
    return sorted(backups, key=lambda backup: (backup.manifest.began_at, backup.folder.name))


def remove_old(folder: Path, keep: int) -> list[Path]:
    """Remove the oldest whole backups beyond ``keep``, and what interrupted ones left; returns what was removed.

    One that is damaged stays: somebody may want to look at it.
    """
    removed = []
    for path in [*_interrupted(folder), *(backup.folder for backup in whole_backups(folder)[:-keep])]:
        # The manifest first: without it nobody takes the rest for a backup.
        with contextlib.suppress(FileNotFoundError):
            (path / NAME).unlink()
        remove_content(path)
        path.rmdir()
        removed.append(path)
    return removed


def _ours(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.iterdir()) if _NAME.fullmatch(path.name) and path.is_dir()]


def _interrupted(folder: Path) -> list[Path]:
    return [path for path in _ours(folder) if not (path / NAME).exists() and not is_being_written(path)]
