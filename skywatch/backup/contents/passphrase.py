"""The passphrase of a backup, and the keys that scrypt (RFC 7914) derives from it."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from skywatch.backup.errors import Damaged, Refused

MIN_LENGTH = 8
MAX_PASSPHRASE_BYTES = 4096
# scrypt: 64 MB of memory and some 0.2 s for each attempt (OWASP asks for at least 2**17 with r = 8, or 2**16 with two
# passes).
COST, BLOCK, PASSES = 2**16, 8, 2
SALT_BYTES = 16
# A file may ask for at most so much memory, and at most 16 times the work of today: it may be somebody else's.
MAX_MEMORY_BYTES, MAX_WORK = 2**28, 2**24


class KeyDerivation(msgspec.Struct):
    """scrypt's parameters N (``cost``), r (``block``) and p (``passes``), and the salt, as a file states them."""

    cost: int
    block: int
    passes: int
    salt: bytes

    def key(self, passphrase: str, place: object) -> bytes:
        """Derive 32 bytes; raises Damaged, which names ``place``, for parameters that no release writes."""
        from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

        if min(self.cost, self.block, self.passes) < 1 or len(self.salt) != SALT_BYTES:
            raise Damaged("has scrypt parameters that no release writes", place)
        if 128 * self.cost * self.block > MAX_MEMORY_BYTES or self.cost * self.block * self.passes > MAX_WORK:
            raise Damaged("has scrypt parameters that no release writes", place)
        try:
            kdf = Scrypt(salt=self.salt, length=32, n=self.cost, r=self.block, p=self.passes)
            return kdf.derive(passphrase.encode())
        except ValueError as error:
            raise Damaged(f"has scrypt parameters that no release writes ({error})", place) from None
        except MemoryError:
            raise Refused("there is not enough memory to derive a key from the passphrase") from None


def new_parameters() -> tuple[int, int, int, bytes]:
    """The parameters of a new key, with a salt of its own."""
    return COST, BLOCK, PASSES, os.urandom(SALT_BYTES)


def check_length(passphrase: str) -> None:
    """Raise Refused for a passphrase that is too short to encrypt with."""
    if len(passphrase) < MIN_LENGTH:
        raise Refused(f"the passphrase has fewer than {MIN_LENGTH} characters")


def read_passphrase(path: Path) -> str:
    """The first line of a file; raises Refused where it is empty or cannot be read."""
    try:
        with open(path, "rb") as file:
            line = file.readline(MAX_PASSPHRASE_BYTES + 1).rstrip(b"\r\n").decode()
    except OSError as error:
        raise Refused(f"cannot be read: {error.strerror}", path) from None
    except UnicodeDecodeError:
        raise Refused("is not UTF-8 text", path) from None
    if not line:
        raise Refused("contains no passphrase", path)
    return line
