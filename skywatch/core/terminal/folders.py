"""Checks of a folder that the service writes to: room, rights, and files that other users of the machine may read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from skywatch.core.process.private_files import wider
from skywatch.core.terminal.finding import Finding, fault, ok, warning

# A day of a busy receiver takes some 20 MB, recordings of airband far more.
LITTLE_ROOM_MB, NO_ROOM_MB = 1000, 100


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
