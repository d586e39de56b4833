"""A backup as one encrypted file: a tar of its folder in pieces of AES-256-GCM, by a key that scrypt derives.

After a line of JSON with the parameters of the key come pieces of 128 KiB, each with its tag. The nonce of a piece is
its number and whether it is the last (STREAM; Hoang, Reyhanitabar, Rogaway, Vizar 2015): none can be left out or moved.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

import msgspec

from skywatch.backup.contents.passphrase import KeyDerivation, check_length, new_parameters
from skywatch.backup.errors import Damaged, Refused, refusal_of

MAGIC = b"skywatch backup file 1\n"
SUFFIX = ".skywatch-backup"
# Within what the server of streams buffers in memory.
PIECE, TAG = 1 << 17, 16
MAX_HEAD = 1024


def sealed_pieces(folder: Path, passphrase: str) -> Iterator[bytes]:
    """The encrypted file of a backup, piece by piece; raises Refused for too short a passphrase, and OSError."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    check_length(passphrase)
    derivation = KeyDerivation(*new_parameters())
    cipher = AESGCM(derivation.key(passphrase, folder))
    yield MAGIC + msgspec.json.encode(derivation) + b"\n"
    pending, number = bytearray(), 0
    for part in _tar(folder):
        pending += part
        while len(pending) > PIECE:
            yield cipher.encrypt(_nonce(number, is_last=False), bytes(pending[:PIECE]), MAGIC)
            del pending[:PIECE]
            number += 1
    yield cipher.encrypt(_nonce(number, is_last=True), bytes(pending), MAGIC)


@contextlib.contextmanager
def opened(place: Path, passphrase: str | None) -> Iterator[Path]:
    """The folder of a backup: the place itself, or one that its file is unpacked into meanwhile.

    Raises Refused without the passphrase or with a wrong one, and Damaged.
    """
    if not place.is_file():
        yield place
        return
    if passphrase is None:
        raise Refused("is an encrypted backup; give --passphrase-file", place)
    with tempfile.TemporaryDirectory(prefix="skywatch-backup-") as folder:
        try:
            with open(place, "rb") as file:
                reader = io.BufferedReader(_Pieces(_opened_pieces(file, passphrase, place)), PIECE)
                with tarfile.open(fileobj=reader, mode="r|") as tar:
                    _unpack(tar, Path(folder), place)
                # What comes after the end of the archive has to be whole, too.
                while reader.read(PIECE):
                    pass
        except tarfile.TarError as error:
            raise Damaged(f"contains no backup ({error})", place) from None
        except OSError as error:
            raise refusal_of(error, place) from None
        yield Path(folder)


def _unpack(tar: tarfile.TarFile, folder: Path, place: Path) -> None:
    """Write the files of an archive below a folder; raises Damaged for anything else that it holds.

    Debian 12's Python has no filter for this (PEP 706).
    """
    for member in tar:
        name = PurePosixPath(member.name)
        content = tar.extractfile(member) if member.isreg() else None
        if content is None or name.is_absolute() or ".." in name.parts:
            raise Damaged(f"contains what no backup has ({member.name[:100]!a})", place)
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o600)
        with path.open("wb") as file:
            shutil.copyfileobj(content, file)
        os.utime(path, (member.mtime, member.mtime))


def _opened_pieces(file: BinaryIO, passphrase: str, place: Path) -> Iterator[bytes]:
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if file.read(len(MAGIC)) != MAGIC:
        raise Damaged("is neither the folder nor the file of a backup", place)
    try:
        derivation = msgspec.json.decode(file.readline(MAX_HEAD), type=KeyDerivation)
    except msgspec.MsgspecError as error:
        raise Damaged(f"cannot be read ({error})", place) from None
    cipher = AESGCM(derivation.key(passphrase, place))
    piece, number = file.read(PIECE + TAG), 0
    while piece:
        following = file.read(PIECE + TAG)
        try:
            yield cipher.decrypt(_nonce(number, is_last=not following), piece, MAGIC)
        except InvalidTag:
            if number == 0:
                raise Refused("the passphrase is wrong, or the file was changed", place) from None
            raise Damaged("was changed or cut short", place) from None
        piece, number = following, number + 1
    if number == 0:
        raise Damaged("was cut short", place)


class _Pieces(io.RawIOBase):
    """Pieces of bytes as a file to read."""

    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = iter(pieces)
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._pending:
            try:
                self._pending = next(self._pieces)
            except StopIteration:
                return 0
        count = min(len(buffer), len(self._pending))
        buffer[:count], self._pending = self._pending[:count], self._pending[count:]
        return count


def _nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


def _tar(folder: Path) -> Iterator[bytes]:
    """A tar archive of a folder, in parts of at most ``PIECE``."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        with open(path, "rb") as file:
            info = tarfile.TarInfo(path.relative_to(folder).as_posix())
            status = path.stat()
            info.size, info.mtime, info.mode = status.st_size, int(status.st_mtime), 0o600
            yield info.tobuf(tarfile.PAX_FORMAT)
            left = info.size
            while left:
                data = file.read(min(PIECE, left))
                if not data:
                    raise OSError(f"{path.name} became shorter while it was read")
                left -= len(data)
                yield data
        yield b"\0" * (-info.size % tarfile.BLOCKSIZE)
    yield b"\0" * (2 * tarfile.BLOCKSIZE)
