"""The secret of an installation without a configured one: next to its SQLite file, so that logins survive a restart."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import secrets
import tempfile
from pathlib import Path

from skywatch.core.database.engine import sqlite_file
from skywatch.core.private_files import set_private
from skywatch.settings import Settings, SettingsError
from skywatch.settings.base import MIN_SECRET_LENGTH

SUFFIX = ".secret"


def with_secret(settings: Settings) -> Settings:
    """The settings with a secret: the one they name, else the one in the file, which is created on first use.

    Without an SQLite file there is no place to keep one; the settings are then returned as they are.

    Raises SettingsError where the file cannot be read or written, or is too short.
    """
    path = path_of(settings)
    if settings.secret or path is None:
        return settings
    try:
        secret = _read(path) or _create(path)
    except OSError as error:
        raise SettingsError("secret", f"is not set, and {path} cannot be used: {error.strerror or error}") from None
    if len(secret) < MIN_SECRET_LENGTH:
        raise SettingsError("secret", f"in {path} is shorter than {MIN_SECRET_LENGTH} characters; remove the file")
    return dataclasses.replace(settings, secret=secret, sources={**settings.sources, "secret": "file"})


def path_of(settings: Settings) -> Path | None:
    """The file of the secret, or None where the database is no file."""
    database = sqlite_file(settings.database_url)
    return None if database is None else Path(f"{database}{SUFFIX}")


def _read(path: Path) -> str | None:
    try:
        return path.read_text("utf-8").strip()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        return ""


def _create(path: Path) -> str:
    """Write a new secret under a name of its own, then link it: of two processes that start at once, one wins."""
    descriptor, temporary = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    set_private(descriptor)  # mkstemp leaves out what the umask does
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(secrets.token_urlsafe(48) + "\n")
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        os.unlink(temporary)
    return _read(path) or ""
