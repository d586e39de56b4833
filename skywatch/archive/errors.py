"""Why the archive cannot be written or read; ``str()`` is one line for the administrator."""

from __future__ import annotations

import errno
import os
from datetime import date


class ArchiveError(Exception):
    """Something about the archive is wrong; ``public`` is the same without paths, for health and callers."""

    def __init__(self, public: str, where: object = "") -> None:
        super().__init__(f"{where}: {public}" if where else public)
        self.public = public


class Uninstalled(ArchiveError):
    """The extra ``archive`` is not installed."""

    def __init__(self) -> None:
        super().__init__("the archive needs the extra: pip install 'skywatch[archive]'")


class ArchiveStorageError(ArchiveError):
    """The folder or bucket cannot be reached, read or written."""


class MissingFile(ArchiveStorageError):
    """A file is not there."""


class DayError(ArchiveError):
    """A day of the archive is damaged, missing or newer than this release."""

    def __init__(self, day: date, why: str, where: object = "") -> None:
        super().__init__(f"the archived day {day.isoformat()} {why}", where)
        self.day = day
        self.why = why


class Cancelled(ArchiveError):
    """The process is being stopped."""


def place_error(error: OSError, where: object = "") -> ArchiveStorageError:
    """An error of the system: a full disk, missing rights, a server that does not answer."""
    if isinstance(error, FileNotFoundError):
        return MissingFile("is missing", where)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return ArchiveStorageError("the disk is full", where)
    if error.errno:
        return ArchiveStorageError(os.strerror(error.errno), where)
    # Arrow's errors of S3 are long, and name the request: their first sentence says what is wrong.
    return ArchiveStorageError(" ".join(str(error).split())[:200] or type(error).__name__, where)
