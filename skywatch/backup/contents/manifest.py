"""The manifest of a backup: what it contains, of which release and schema; written last.

``manifest.json`` ends with the SHA-256 of everything before it, so that a reader of any format notices damage. Against
somebody who changes a backup on purpose, one that is made with a passphrase has a MAC (HMAC-SHA-256) of the manifest
before that; the manifest has the hash of every other file.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import stat
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from skywatch.backup.contents import sealed
from skywatch.backup.contents.passphrase import KeyDerivation, new_parameters
from skywatch.backup.errors import Damaged, Refused
from skywatch.core.private_files import private_opener

NAME = "manifest.json"
# Raised with every change that an earlier release could not restore. Format 1 has no MAC.
FORMAT = 2
# Larger ones are not written: a million recordings take 150 MB.
MAX_BYTES = 1_000_000_000
_END = re.compile(rb',\n  "checksum": "([0-9a-f]{64})"\n\}\n\Z')
_MAC = re.compile(rb',\n  "mac": "([0-9a-f]{64})"\Z')
_MAC_PURPOSE, _CHECK_PURPOSE = b"skywatch backup manifest 2\n", b"skywatch backup passphrase 2\n"

DatabaseKind = Literal["sqlite", "postgresql"]
Count = Annotated[int, msgspec.Meta(ge=0)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class StoredFile(msgspec.Struct, frozen=True):
    """A file of the backup: its path within it, its size and its SHA-256 in hexadecimal."""

    name: str
    bytes: Count
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class Authentication(KeyDerivation):
    """How the key of the MAC is derived from the passphrase; ``check`` is derived from the same key, and tells a wrong
    passphrase from a manifest that was changed."""

    check: bytes = b""


class ManifestKey(msgspec.Struct, frozen=True):
    """The key of a manifest's MAC, with what the manifest states of it."""

    authentication: Authentication
    key: bytes


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup contains.

    ``revision`` is that of the schema, ``rows`` counts the rows of each table, ``left_out`` names what was left out by
    choice. ``authentication`` is None where the backup was made without a passphrase.
    """

    format: int
    release: str
    revision: str
    database: DatabaseKind
    began_at: Moment
    ended_at: Moment
    rows: dict[str, Count]
    files: list[StoredFile]
    left_out: list[str]
    authentication: Authentication | None = None

    @property
    def bytes(self) -> int:
        """The size of all files."""
        return sum(file.bytes for file in self.files)


class _Outline(msgspec.Struct):
    """What every format has."""

    format: int
    release: str = "unknown"


class _Signature(msgspec.Struct):
    """What a manifest of format 2 states of its MAC."""

    authentication: Authentication | None = None


def new_key(passphrase: str) -> ManifestKey:
    """Derive a key for a new manifest."""
    authentication = Authentication(*new_parameters())
    key = authentication.key(passphrase, NAME)
    authentication.check = _digest(key, _CHECK_PURPOSE)
    return ManifestKey(authentication, key)


def write_manifest(folder: Path, manifest: Manifest, key: ManifestKey | None) -> None:
    """Write it under another name first, so that a manifest is either whole or not there; raises OSError."""
    manifest = msgspec.structs.replace(manifest, authentication=key.authentication if key is not None else None)
    body = msgspec.json.format(msgspec.json.encode(manifest), indent=2)[: -len(b"\n}")]
    if key is not None:
        body += b',\n  "mac": "%s"' % _digest(key.key, _MAC_PURPOSE, body).hex().encode()
    data = body + b',\n  "checksum": "%s"\n}\n' % hashlib.sha256(body).hexdigest().encode()
    temporary = folder / f"{NAME}.writing"
    with open(temporary, "wb", opener=private_opener) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, folder / NAME)
    sync_folder(folder)


def _digest(key: bytes, *parts: bytes) -> bytes:
    mac = hmac.new(key, digestmod=hashlib.sha256)
    for part in parts:
        mac.update(part)
    return mac.digest()


def sync_folder(folder: Path) -> None:
    """Have the names in a folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a backup, as anybody may have written it.

    Raises Refused where there is no backup or it is of a newer format, Damaged where the manifest was changed, cut
    short or never written.
    """
    return read_authentic(folder, None)[0]


def read_authentic(folder: Path, passphrase: str | None) -> tuple[Manifest, bool]:
    """Read the manifest of a backup; return also whether it is authentic: written by somebody with the passphrase.

    It is not where there is no passphrase, nor where the manifest has no MAC. Raises what ``read_manifest`` does,
    Refused for a wrong passphrase, and Damaged where the MAC is another one.
    """
    path = folder / NAME
    data = _read(folder, path)
    end = _END.search(data)
    if end is None or hashlib.sha256(data[: end.start()]).hexdigest().encode() != end.group(1):
        raise Damaged("the manifest was changed or cut short", path)
    # Before anything else of it is looked at.
    is_authentic = passphrase is not None and _is_authentic(folder, data, data[: end.start()], passphrase)
    return _decode(data, folder), is_authentic


def _read(folder: Path, path: Path) -> bytes:
    if not folder.is_dir():
        raise Refused("there is no such folder", folder)
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise Damaged("is no manifest", path)
        return path.read_bytes()
    except FileNotFoundError:
        raise _without_manifest(folder) from None
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}", path) from None


def _is_authentic(folder: Path, data: bytes, signed: bytes, passphrase: str) -> bool:
    """Compare the MAC; False where the manifest says that it has none."""
    try:
        if msgspec.json.decode(data, type=_Outline).format != FORMAT:
            return False
        authentication = msgspec.json.decode(data, type=_Signature).authentication
    except msgspec.MsgspecError as error:
        raise Damaged(f"the manifest cannot be read ({error})", folder / NAME) from None
    if authentication is None:
        return False
    key = authentication.key(passphrase, folder / NAME)
    mac = _MAC.search(signed)
    body = signed[: mac.start()] if mac is not None else signed
    expected = _digest(key, _MAC_PURPOSE, body).hex().encode()
    if mac is not None and hmac.compare_digest(expected, mac.group(1)):
        return True
    if not hmac.compare_digest(authentication.check, _digest(key, _CHECK_PURPOSE)):
        # Either the passphrase is wrong, or these lines were changed, too: then it opens the settings.
        _check_passphrase(folder, passphrase)
    raise Damaged("the manifest was changed: its MAC is another one", folder / NAME)


def _check_passphrase(folder: Path, passphrase: str) -> None:
    """Raise Refused unless the passphrase opens the settings of the backup."""
    try:
        sealed.open_file(folder, passphrase)
    except Damaged:
        return


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
        manifest = msgspec.json.decode(data, type=Manifest)
    except msgspec.MsgspecError as error:
        raise Damaged(f"the manifest cannot be read ({error})", folder / NAME) from None
    if len({file.name for file in manifest.files}) != len(manifest.files):
        raise Damaged("the manifest names a file twice", folder / NAME)
    return manifest
