"""The results of a job in the archive: ``batch/JOB/day=YYYY-MM-DD/JOB.parquet`` and, last, ``manifest.json``.

A manifest names the hash of what its result was made of: archived files, options and release. A day without rows has a
manifest alone. Where the result of a day changes its manifest is deleted first: whoever reads sees the day with its
earlier result, without any, or with the new one.
"""

from __future__ import annotations

import dataclasses
import hashlib
import re
from datetime import date

import msgspec

from skywatch.archive.contents.manifest import NAME, DayFile, day_of, folder_of
from skywatch.archive.errors import DayError, MissingFile
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import ArchiveStorage, open_storage
from skywatch.core.process.version import VERSION

FOLDER = "batch"
SCHEMA = 1
MAX_BYTES = 100_000
_HASH = re.compile(r"[0-9a-f]{64}")


class ResultManifest(msgspec.Struct, frozen=True, kw_only=True):
    """What the result of a day consists of: no file where it has no rows.

    ``inputs`` is the hash of what it was made of. ``is_complete``: the day after, which the job reads from, was there.
    """

    schema: int
    job: str
    day: date
    files: tuple[DayFile, ...]
    inputs: str
    is_complete: bool
    release: str

    @property
    def rows(self) -> int:
        """The rows of the result."""
        return sum(file.rows for file in self.files)


class _Version(msgspec.Struct):
    schema: int


def results_of(settings: ArchiveSettings, job: str) -> ArchiveStorage:
    """The place of the results of a job."""
    return open_storage(dataclasses.replace(settings, archive_url=f"{settings.archive_url.rstrip('/')}/{FOLDER}/{job}"))


def evaluated_days(storage: ArchiveStorage) -> list[date]:
    """The days that have a folder, in order."""
    return sorted(day for day in map(day_of, storage.names()) if day is not None)


def read_result(storage: ArchiveStorage, job: str, day: date) -> ResultManifest | None:
    """The manifest of a day's result, None where there is none; raises DayError where it is damaged or newer."""
    name = f"{folder_of(day)}/{NAME}"
    try:
        data = storage.read(name, MAX_BYTES)
    except MissingFile:
        return None
    where = f"{storage.url}/{name}"
    try:
        if msgspec.json.decode(data, type=_Version).schema > SCHEMA:
            raise DayError(day, f"has a result of {job} by a newer release of Skywatch", where)
        manifest = msgspec.json.decode(data, type=ResultManifest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DayError(day, f"has a damaged result of {job}: its manifest cannot be read", where) from None
    names = {file.name for file in manifest.files}
    if manifest.job != job or manifest.day != day or names - {f"{job}.parquet"}:
        raise DayError(day, f"has a damaged result of {job}: its manifest is that of another one", where)
    if not _HASH.fullmatch(manifest.inputs) or not all(_HASH.fullmatch(file.sha256) for file in manifest.files):
        raise DayError(day, f"has a damaged result of {job}: its manifest has wrong figures", where)
    return manifest


def write_result(
    storage: ArchiveStorage, job: str, day: date, data: bytes, rows: int, inputs: str, *, is_complete: bool
) -> None:
    """Write the result of a day, of ``rows`` rows; raises ArchiveStorageError."""
    file = f"{job}.parquet"
    files = (DayFile(file, rows, len(data), hashlib.sha256(data).hexdigest()),) if data else ()
    manifest = ResultManifest(
        schema=SCHEMA, job=job, day=day, files=files, inputs=inputs, is_complete=is_complete, release=VERSION
    )
    folder = folder_of(day)
    with storage.staging() as staging:
        before = _files_of(storage, job, day)
        if before != files:
            storage.delete(f"{folder}/{NAME}")
            if data:
                (staging / file).write_bytes(data)
                storage.put(f"{folder}/{file}", staging / file)
            else:
                storage.delete(f"{folder}/{file}")
        (staging / NAME).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
        storage.put(f"{folder}/{NAME}", staging / NAME)


def read_file(storage: ArchiveStorage, day: date, manifest: ResultManifest) -> bytes:
    """The Parquet file of a result, empty where it has no rows; raises DayError where it is damaged or missing."""
    if not manifest.files:
        return b""
    file = manifest.files[0]
    try:
        data = storage.read(f"{folder_of(day)}/{file.name}", file.bytes)
    except MissingFile:
        raise DayError(day, f"has a damaged result of {manifest.job}: {file.name} is missing", storage.url) from None
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise DayError(
            day,
            f"has a damaged result of {manifest.job}: {file.name} does not have the hash of its manifest",
            storage.url,
        )
    return data


def _files_of(storage: ArchiveStorage, job: str, day: date) -> tuple[DayFile, ...] | None:
    """The files of the present result, None where there is none that holds."""
    try:
        manifest = read_result(storage, job, day)
        if manifest is None:
            return None
        read_file(storage, day, manifest)
    except DayError:
        return None
    return manifest.files
