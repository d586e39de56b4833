"""The manifest of an archived day: ``{schema, files: [{name, rows, bytes, sha256}], from, to, station, release}``.

It is written last: a day without one is not archived. What it says is checked before it is used: it may have been
written by a newer release, be damaged, or come from somebody else.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

import msgspec

from skywatch.archive.errors import DayError, MissingFile
from skywatch.archive.storage.base import ArchiveStorage

SCHEMA = 2
NAME = "manifest.json"
MAX_BYTES = 4_000_000
FILE_NAME = re.compile(r"[a-z]{1,16}(-[0-9]{2})?(\.r[0-9]{1,9})?\.parquet")
_FOLDER = re.compile(r"day=([0-9]{4}-[0-9]{2}-[0-9]{2})")
_HASH = re.compile(r"[0-9a-f]{64}")


class DayFile(msgspec.Struct, frozen=True):
    """A file of a day; ``name`` is without the folder."""

    name: str
    rows: int
    bytes: int
    sha256: str

    @property
    def stem(self) -> str:
        """The name without ending and revision: ``positions-07``."""
        return self.name.split(".")[0]


class Station(msgspec.Struct, frozen=True):
    """Where the receiver was."""

    lat: float
    lon: float


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What an archived day consists of."""

    schema: int
    files: tuple[DayFile, ...]
    begin: datetime = msgspec.field(name="from")
    end: datetime = msgspec.field(name="to")
    station: Station | None
    release: str

    def encode(self) -> bytes:
        """The bytes of the file."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    @property
    def bytes(self) -> int:
        """The size of all files together."""
        return sum(file.bytes for file in self.files)


class _Version(msgspec.Struct):
    schema: int


def folder_of(day: date) -> str:
    """The folder of a day."""
    return f"day={day.isoformat()}"


def day_of(folder: str) -> date | None:
    """The day of a folder; None for another folder."""
    match = _FOLDER.fullmatch(folder)
    try:
        return date.fromisoformat(match.group(1)) if match else None
    except ValueError:
        return None


def read_manifest(storage: ArchiveStorage, day: date) -> Manifest:
    """The manifest of a day.

    Raises DayError where it is missing, damaged or newer, ArchiveStorageError where the storage fails.
    """
    name = f"{folder_of(day)}/{NAME}"
    try:
        data = storage.read(name, MAX_BYTES)
    except MissingFile:
        raise DayError(day, "is missing", f"{storage.url}/{name}") from None
    return parse_manifest(data, day, f"{storage.url}/{name}")


def parse_manifest(data: bytes, day: date, where: str = "") -> Manifest:
    """The manifest in ``data``, checked; raises DayError."""
    try:
        if msgspec.json.decode(data, type=_Version).schema > SCHEMA:
            raise DayError(day, "was written by a newer release of Skywatch", where)
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise DayError(day, "is damaged: its manifest cannot be read", where) from None
    _check(manifest, day, where)
    return manifest


def _check(manifest: Manifest, day: date, where: str) -> None:
    begin, end = manifest.begin, manifest.end
    if begin.tzinfo is None or begin.date() != day or end - begin != timedelta(days=1):
        raise DayError(day, "is damaged: its manifest is that of another day", where)
    names = [file.name for file in manifest.files]
    stems = {file.stem for file in manifest.files}
    if len(stems) != len(names) or not all(map(FILE_NAME.fullmatch, names)):
        raise DayError(day, "is damaged: its manifest names files that are not the archive's", where)
    if not all(_HASH.fullmatch(file.sha256) and file.rows > 0 and file.bytes > 0 for file in manifest.files):
        raise DayError(day, "is damaged: its manifest has wrong figures", where)
    if manifest.schema < 1:
        raise DayError(day, "is damaged: its manifest has no schema", where)
