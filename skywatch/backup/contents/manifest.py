"""The manifest of a backup: what it contains, of which release and schema; written last.

``manifest.json`` ends with the SHA-256 of everything before it, so that a reader of any format notices a change.
"""

from __future__ import annotations

import hashlib
import os
import re
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from skywatch.backup.errors import Damaged, Refused
from skywatch.core.process.private_files import private_opener

NAME = "manifest.json"
# Raised with every change that an earlier release could not restore.
FORMAT = 1
# Larger ones are not written: a million recordings take 150 MB.
MAX_BYTES = 1_000_000_000
_END = re.compile(rb',\n  "checksum": "([0-9a-f]{64})"\n\}\n\Z')

DatabaseKind = Literal["sqlite", "postgresql"]


class StoredFile(msgspec.Struct, frozen=True):
    """A file of the backup: its path within it, its size and its SHA-256 in hexadecimal."""

    name: str
    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup contains.

    ``revision`` is that of the schema, ``rows`` counts the rows of each table, ``left_out`` names what was left out by
    choice.
    """

    format: int
    release: str
    revision: str
    database: DatabaseKind
    began_at: datetime
    ended_at: datetime
    rows: dict[str, int]
    files: list[StoredFile]
    left_out: list[str]

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(file.bytes for file in self.files)


class _Outline(msgspec.Struct):
    """What every format has."""

    format: int
    release: str = "unknown"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write it under another name first, so that a manifest is either whole or not there; raises OSError."""
    body = msgspec.json.format(msgspec.json.encode(manifest), indent=2)[: -len(b"\n}")]
    data = body + b',\n  "checksum": "%s"\n}\n' % hashlib.sha256(body).hexdigest().encode()
    temporary = folder / f"{NAME}.writing"
    with open(temporary, "wb", opener=private_opener) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, folder / NAME)
    sync_folder(folder)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a backup.

    Raises Refused where there is no backup or it is of a newer format, Damaged where the manifest was changed, cut
    short or never written.
    """
    path = folder / NAME
    if not folder.is_dir():
        raise Refused("there is no such folder", folder)
    try:
        if path.stat().st_size > MAX_BYTES:
            raise Damaged("is no manifest", path)
        data = path.read_bytes()
    except FileNotFoundError:
        raise _without_manifest(folder) from None
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}", path) from None
    end = _END.search(data)
    if end is None or hashlib.sha256(data[: end.start()]).hexdigest().encode() != end.group(1):
        raise Damaged("the manifest was changed or cut short", path)
    return _decode(data, folder)


def _without_manifest(folder: Path) -> Refused | Damaged:
    inner = sorted(path.parent.name for path in folder.glob(f"*/{NAME}"))
    if inner:
        return Refused(f"contains {len(inner)} backups; name one of them, such as {inner[-1]}", folder)
    if any(folder.iterdir()):
        return Damaged("has no manifest: the backup was not completed", folder)
    return Refused("the folder is empty", folder)


def _decode(data: bytes, folder: Path) -> Manifest:
    try:
        outline = msgspec.json.decode(data, type=_Outline)
        if outline.format > FORMAT:
            raise Refused(
                f"is from a newer release ({outline.release}, format {outline.format}); restore it with that release",
                folder,
            )
        return msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise Damaged(f"the manifest cannot be read ({error})", folder / NAME) from None
