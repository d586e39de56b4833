"""The folder of one backup: claimed by one process, and taken away again where the backup is not completed."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from skywatch.backup.contents import manifest, sealed
from skywatch.backup.contents.files import FILES
from skywatch.backup.errors import Refused, refusal_of
from skywatch.core.private_files import private_opener

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# In the folder while a backup is written; its lock ends with the process.
CLAIM = "unfinished"
SQLITE_FILE, POSTGRESQL_FILE = "database.sqlite", "database.dump"
# What an interrupted backup may have left; SQLite's journals stand next to its file.
OURS = {
    CLAIM,
    FILES,
    SQLITE_FILE,
    f"{SQLITE_FILE}-journal",
    f"{SQLITE_FILE}-wal",
    f"{SQLITE_FILE}-shm",
    POSTGRESQL_FILE,
    sealed.NAME,
    f"{manifest.NAME}.writing",
}


@contextlib.contextmanager
def claimed(target: Path) -> Iterator[None]:
    """Have the folder, which is created, to oneself; what is in it is removed again where the block raises.

    What an interrupted backup left there is removed first. Raises Refused where the folder cannot be written, contains
    anything else, or another process writes a backup there.
    """
    is_new = not target.exists()
    try:
        target.mkdir(mode=0o700, parents=True, exist_ok=True)
        _check_content(target)
        descriptor = os.open(target / CLAIM, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise refusal_of(error, target) from None
    with contextlib.closing(os.fdopen(descriptor, "r+")) as file:
        _lock(file.fileno(), target)
        _check_content(target)
        remove_content(target, but=CLAIM)
        try:
            yield
        except BaseException:
            remove_content(target)
            if is_new:
                with contextlib.suppress(OSError):
                    target.rmdir()
            raise
        (target / CLAIM).unlink(missing_ok=True)


def is_being_written(folder: Path) -> bool:
    """Whether a process writes a backup there at this moment."""
    try:
        with open(folder / CLAIM, "r+", opener=private_opener) as file:
            _lock(file.fileno(), folder)
    except FileNotFoundError:
        return False
    except (OSError, Refused):
        return True
    return False


def remove_content(folder: Path, but: str = "") -> None:
    """Remove what a backup consists of; never anything else."""
    for name in sorted(OURS - {but}):
        path = folder / name
        with contextlib.suppress(OSError):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)


def _check_content(target: Path) -> None:
    names = set(os.listdir(target))
    if manifest.NAME in names:
        raise Refused("contains a backup already; name another folder", target)
    if names and CLAIM not in names:
        raise Refused("is not empty; name a new folder", target)
    foreign = sorted(names - OURS)
    if foreign:
        raise Refused(f"contains something else than an unfinished backup ({foreign[0]!a})", target)


def _lock(descriptor: int, target: Path) -> None:
    if fcntl is None:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Refused("another backup is being written there", target) from None
    except OSError:
        # Shares of a network that know no locks: the lock next to the database remains.
        return
