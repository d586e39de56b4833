"""Whether any process of this machine has an SQLite database open (Linux; elsewhere SQLite's own locks say it)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from skywatch.backup.errors import Refused

PROC = Path("/proc")
JOURNALS = ("", "-wal", "-shm", "-journal")


def check_unused(database: Path) -> None:
    """Raise Refused where a process has the file or one of its journals open.

    Without the rights of root only the processes of this user are visible.
    """
    names = {os.path.realpath(f"{database}{ending}") for ending in JOURNALS}
    for process in PROC.iterdir() if PROC.is_dir() else ():
        if process.name.isdigit() and int(process.name) != os.getpid() and _has_open(process, names):
            raise Refused(f"is in use by process {process.name}; stop it first", database)


def _has_open(process: Path, names: set[str]) -> bool:
    with contextlib.suppress(OSError):  # It has ended, or belongs to somebody else.
        for descriptor in os.scandir(process / "fd"):
            with contextlib.suppress(OSError):
                if os.readlink(descriptor.path).removesuffix(" (deleted)") in names:
                    return True
    return False


def check_no_journal(database: Path) -> None:
    """Raise Refused where a journal is left of a database that is gone: SQLite would apply it to the restored one."""
    left = [Path(f"{database}{ending}") for ending in JOURNALS[1:]]
    path = next((path for path in left if path.exists() and path.stat().st_size), None)
    if path is not None and not database.exists():
        raise Refused("is left of another database; remove it first", path)
