"""Where files of the archive are stored. A file appears whole or not at all, and is never changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, BinaryIO, Protocol

CHUNK_BYTES = 1 << 20
Step = Callable[[int], None]


class ArchiveStorage(Protocol):
    """Files under names such as ``day=2026-11-24/manifest.json``; every method raises ArchiveStorageError."""

    @property
    def url(self) -> str:
        """Its address, without credentials."""
        ...

    def names(self, folder: str = "") -> list[str]:
        """What is directly in a folder, files and folders, in alphabetical order; empty where there is none."""
        ...

    def read(self, name: str, most: int) -> bytes:
        """A small file; raises MissingFile where there is none, and ArchiveStorageError beyond ``most`` bytes."""
        ...

    def open(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file to read from its beginning to its end."""
        ...

    def put(self, name: str, source: Path) -> None:
        """Move a local file in; it takes the place of one of the same name."""
        ...

    def delete(self, name: str) -> None:
        """Delete a file; nothing happens where there is none. Its folder goes with its last file."""
        ...

    def staging(self) -> AbstractContextManager[Path]:
        """A local folder for files that will be ``put``; what is left in it is deleted."""
        ...

    def arrow(self) -> tuple[Any, str]:
        """(``pyarrow.fs.FileSystem``, the path of the storage in it); needs the extra ``archive``."""
        ...


def chunks(file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file, a megabyte at a time."""
    while data := file.read(CHUNK_BYTES):
        yield data


def fingerprint(storage: ArchiveStorage, name: str, step: Step = lambda count: None) -> tuple[int, str]:
    """Size and SHA-256 of a file; ``step`` is called with the number of bytes just read."""
    digest, size = hashlib.sha256(), 0
    with storage.open(name) as file:
        for data in chunks(file):
            digest.update(data)
            size += len(data)
            step(len(data))
    return size, digest.hexdigest()
