"""A folder of this machine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote, urlsplit

from skywatch.archive.errors import ArchiveStorageError, place_error
from skywatch.archive.settings import ArchiveSettings
from skywatch.core.backups import StoredFolder
from skywatch.settings import Settings

# Files that are being written; what a crash left in it is deleted by the next writer.
STAGING = ".staging"


class FolderStorage:
    """A folder; it is created when the first file is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def of(cls, url: str) -> FolderStorage:
        """The folder of a URL ``file:///folder``."""
        return cls(Path(unquote(urlsplit(url).path)))

    @property
    def url(self) -> str:
        return self.folder.as_uri()

    def names(self, folder: str = "") -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.folder / folder) if name != STAGING)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise place_error(error, self.folder / folder) from None

    def read(self, name: str, most: int) -> bytes:
        with self.open(name) as file:
            data = file.read(most + 1)
        if len(data) > most:
            raise ArchiveStorageError("is too large", self.folder / name)
        return data

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        path = self.folder / name
        try:
            with open(path, "rb") as file:
                yield file
        except OSError as error:
            raise place_error(error, path) from None

    def put(self, name: str, source: Path) -> None:
        path = self.folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with open(source, "rb+") as file:
                os.fsync(file.fileno())
            source.replace(path)
            _sync(path.parent)
            _sync(path.parent.parent)
        except OSError as error:
            raise place_error(error, path) from None

    def delete(self, name: str) -> None:
        path = self.folder / name
        try:
            path.unlink(missing_ok=True)
            with suppress(OSError):  # others are still in it, or it is gone
                path.parent.rmdir()
        except OSError as error:
            raise place_error(error, path) from None

    @contextmanager
    def staging(self) -> Iterator[Path]:
        folder = self.folder / STAGING
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(mode=0o700)
        except OSError as error:
            raise place_error(error, folder) from None
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def arrow(self) -> tuple[Any, str]:
        from pyarrow import fs

        return fs.LocalFileSystem(), str(self.folder)


def _sync(folder: Path) -> None:
    """Have the entries of a folder survive a loss of power."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def folders(settings: Settings) -> list[StoredFolder]:
    """The archive in backups: where it is a folder it belongs into them; a bucket is kept by its own means."""
    url = settings.of(ArchiveSettings).archive_url
    path = FolderStorage.of(url).folder if url.startswith("file:") else None
    return [StoredFolder(name="archive", path=path, setting="archive_url", without=(STAGING,))]
