"""Checks of ``skywatch doctor``: what one is given and returns, and those of a folder that the service writes to.

A feature provides its own (``skywatch.core.hooks.DoctorCheck``).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skywatch.core.private_files import wider
from skywatch.settings import Settings

# A day of a busy receiver takes some 20 MB, recordings of airband far more.
LITTLE_ROOM_MB, NO_ROOM_MB = 1000, 100

Level = Literal["ok", "warning", "fault"]


@dataclass(frozen=True)
class Finding:
    """The result of one check: ``part`` is what was tried, ``text`` what was seen, ``advice`` what to do about it."""

    level: Level
    part: str
    text: str
    advice: str = ""


def ok(part: str, text: str) -> Finding:
    """All is well."""
    return Finding("ok", part, text)


def warning(part: str, text: str, advice: str) -> Finding:
    """The service runs, but something needs attention."""
    return Finding("warning", part, text, advice)


def fault(part: str, text: str, advice: str) -> Finding:
    """The service or a part of it does not work."""
    return Finding("fault", part, text, advice)


@dataclass(frozen=True)
class Inspection:
    """What a check is given: the settings' file, the settings in force, and how long it may try something (seconds)."""

    ini: Path
    settings: Settings
    within_s: float


def check_room(part: str, folder: Path) -> Finding:
    """Room and rights in a folder, or where it will be created."""
    existing = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if not os.access(existing, os.W_OK | os.X_OK):
        return fault(part, f"{existing} cannot be written by this user", f"give this user the folder {folder}")
    free_mb = shutil.disk_usage(existing).free / 1e6
    if free_mb < NO_ROOM_MB:
        return fault(part, f"{free_mb:.0f} MB are left in {folder}", "make room, or set retention_database_mb")
    if free_mb < LITTLE_ROOM_MB:
        return warning(part, f"{free_mb:.0f} MB are left in {folder}", "make room, or set retention_database_mb")
    return ok(part, f"{free_mb / 1000:.0f} GB are left in {folder}")


def check_privacy(part: str, folder: Path, what: str) -> Iterator[Finding]:
    """Whether other users of this machine may read files anywhere below a folder; ``what`` names them."""
    count = sum(1 for _ in wider(Path(at, name) for at, _, names in os.walk(folder) for name in names))
    if count:
        yield warning(
            part,
            f"{count} {what} in {folder} can be read by other users of this machine",
            f"find {folder} -type f -exec chmod 600 {{}} +",
        )
    else:
        yield ok(part, f"{what} can be read by this user alone")
