"""Why a backup or a restore did not take place: refused (exit code 1) or damaged (exit code 2)."""

from __future__ import annotations

import errno
import os


class BackupError(Exception):
    """``str()`` is one line for the administrator; ``public`` is the same without paths, for health."""

    exit_code = 1

    def __init__(self, public: str, place: object = "") -> None:
        super().__init__(f"{place}: {public}" if place else public)
        self.public = public


class Refused(BackupError):
    """Nothing was done; the line says what has to change first."""


class Damaged(BackupError):
    """The backup, or the database that is to be backed up, cannot be relied upon."""

    exit_code = 2


class Cancelled(BackupError):
    """The process is being stopped."""


def refusal_of(error: OSError, place: object = "") -> Refused:
    """An error of the system as a refusal: a full disk, missing rights, a folder that is not there."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refused("the disk is full", place or error.filename or "")
    return Refused(error.strerror or os.strerror(error.errno or 0), place or error.filename or "")
