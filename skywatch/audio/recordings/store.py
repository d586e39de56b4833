"""Where recordings are: one folder, in it a folder for each day, files named by their hash.

A file that arrives is written to ``incoming`` and moved to its place in the transaction that stores its row.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from skywatch.audio.settings import AudioSettings
from skywatch.core.backups import StoredFolder
from skywatch.core.private_files import private_opener
from skywatch.core.problems import Problem
from skywatch.sentences import sentence
from skywatch.settings import Settings

INCOMING = "incoming"
COPIED_BYTES = 1 << 16
# What a process that was killed left in ``incoming`` is removed after this time (s).
ABANDONED_S = 3600.0


class Unreadable(Exception):
    """A file of a folder cannot be read; ``str()`` says why."""


class IncomingFile:
    """A file that is being written; counts and hashes what goes into it."""

    def __init__(self, path: Path, largest: int) -> None:
        self.path = path
        self.size = 0
        self._largest = largest
        self._hash = hashlib.sha256()
        self._file: BinaryIO = open(path, "xb", opener=private_opener)  # noqa: SIM115 - finish() closes it

    @property
    def sha256(self) -> str:
        """The hash of what was written."""
        return self._hash.hexdigest()

    def write(self, data: bytes) -> None:
        """Append; raises Problem (413) beyond the limit."""
        self.size += len(data)
        if self.size > self._largest:
            raise Problem(
                "payload_too_large",
                sentence("audio.too_large", "A recording may have at most {most} bytes.", most=self._largest),
            )
        self._hash.update(data)
        self._file.write(data)

    def finish(self) -> None:
        """Close the file; all data is on disk."""
        self._file.close()


class RecordingStore:
    """The files below the audio directory."""

    def __init__(self, settings: Settings) -> None:
        own = settings.of(AudioSettings)
        self.directory = Path(own.audio_directory).expanduser().absolute()
        self.largest = own.audio_max_bytes

    @contextlib.contextmanager
    def incoming(self) -> Iterator[IncomingFile]:
        """A new file that is removed at the end unless it was put in its place; raises Problem (503)."""
        folder = self.directory / INCOMING
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = IncomingFile(folder / secrets.token_hex(16), self.largest)
        except OSError as error:
            raise _unavailable(error) from None
        try:
            yield file
        except OSError as error:
            raise _unavailable(error) from None
        finally:
            file.finish()
            file.path.unlink(missing_ok=True)

    def copy(self, source: Path, incoming: IncomingFile) -> None:
        """Copy a file of a folder; raises Unreadable, FileNotFoundError, or Problem (413) where it is too large."""
        for data in _read(source):
            incoming.write(data)
        incoming.finish()

    def move(self, incoming: IncomingFile, relative: str) -> None:
        """Move a finished file to its place, a path relative to the directory."""
        target = self.path(relative)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(incoming.path, target)

    def path(self, relative: str) -> Path:
        """Where a stored file is."""
        return self.directory / relative

    def remove(self, relative: str) -> None:
        """Remove a file, and the folders of its day where they are empty now."""
        target = self.directory / relative
        target.unlink(missing_ok=True)
        for folder in list(target.parents)[:3]:
            try:
                folder.rmdir()
            except OSError:
                return  # Not empty.

    def remove_abandoned(self) -> int:
        """Remove what killed processes left behind; gives the number of files."""
        removed = 0
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self.directory / INCOMING):
                with contextlib.suppress(FileNotFoundError):
                    if entry.stat().st_mtime < time.time() - ABANDONED_S:
                        os.unlink(entry.path)
                        removed += 1
        return removed


def _read(source: Path) -> Iterator[bytes]:
    try:
        with source.open("rb") as file:
            while data := file.read(COPIED_BYTES):
                yield data
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Unreadable(error.strerror or type(error).__name__) from None


def _unavailable(error: OSError) -> Problem:
    return Problem(
        "unavailable",
        sentence(
            "audio.not_stored", "The recording cannot be stored: {error}.", error=error.strerror or type(error).__name__
        ),
    )


def stored_folders(settings: Settings) -> list[StoredFolder]:
    """Recordings in backups, without those that are just arriving."""
    directory = RecordingStore(settings).directory
    return [StoredFolder(name="audio", path=directory, setting="audio_directory", without=(INCOMING,))]
