"""Compares the files of an archived day with its manifest; needs no extra where the archive is a folder."""

from __future__ import annotations

from datetime import date

from skywatch.archive.contents.manifest import DayFile, Manifest, folder_of
from skywatch.archive.errors import DayError, MissingFile
from skywatch.archive.storage.base import ArchiveStorage, Step, fingerprint


def check_files(storage: ArchiveStorage, day: date, manifest: Manifest, step: Step = lambda count: None) -> None:
    """Raise DayError unless all files of a day have the size and hash of the manifest."""
    for file in manifest.files:
        check_file(storage, day, file, step)


def check_file(storage: ArchiveStorage, day: date, file: DayFile, step: Step = lambda count: None) -> None:
    """Raise DayError unless a file of a day has the size and hash of the manifest."""
    try:
        size, sha256 = fingerprint(storage, f"{folder_of(day)}/{file.name}", step)
    except MissingFile:
        raise DayError(day, f"is damaged: {file.name} is missing", storage.url) from None
    if size != file.bytes:
        raise DayError(day, f"is damaged: {file.name} has {size} bytes instead of {file.bytes}", storage.url)
    if sha256 != file.sha256:
        raise DayError(day, f"is damaged: {file.name} does not have the hash of the manifest", storage.url)
