"""The settings and the secret of an installation, encrypted with a passphrase (scrypt and AES-256-GCM)."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from skywatch.backup.errors import Damaged, Refused

NAME = "settings.sealed"
LEAST_LENGTH = 8
MAX_PASSPHRASE_BYTES = 4096
# scrypt: 64 MB of memory and some 0.2 s for each attempt (RFC 7914; OWASP asks for at least 2**17 with r = 8, or 2**16
# with a cost of two passes).
COST, BLOCK, PASSES = 2**16, 8, 2
# Beyond these a damaged file would take all memory.
MOST_COST, MOST_BLOCK, MOST_PASSES = 2**20, 16, 16
_PURPOSE = b"skywatch backup 1"


class PrivatePart(msgspec.Struct):
    """What is encrypted: the files of the settings, the first one first, and the secret (empty where there is none)."""

    files: dict[str, str]
    secret: str


class _Sealed(msgspec.Struct):
    cost: int
    block: int
    passes: int
    salt: bytes
    nonce: bytes
    data: bytes


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


def seal(private: PrivatePart, passphrase: str) -> bytes:
    """Encrypt; raises Refused for a passphrase that is too short."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    if len(passphrase) < LEAST_LENGTH:
        raise Refused(f"the passphrase has fewer than {LEAST_LENGTH} characters")
    salt, nonce = os.urandom(16), os.urandom(12)
    data = AESGCM(_key(passphrase, salt, COST, BLOCK, PASSES)).encrypt(nonce, msgspec.json.encode(private), _PURPOSE)
    return msgspec.json.encode(_Sealed(COST, BLOCK, PASSES, salt, nonce, data))


def unseal(data: bytes, passphrase: str) -> PrivatePart:
    """Decrypt what ``seal`` returned; raises Refused for a wrong passphrase, Damaged for anything else."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        sealed = msgspec.json.decode(data, type=_Sealed)
        if sealed.cost > MOST_COST or sealed.block > MOST_BLOCK or sealed.passes > MOST_PASSES:
            raise Damaged("has figures that no release writes", NAME)
        key = _key(passphrase, sealed.salt, sealed.cost, sealed.block, sealed.passes)
        return msgspec.json.decode(AESGCM(key).decrypt(sealed.nonce, sealed.data, _PURPOSE), type=PrivatePart)
    except InvalidTag:
        # The hash of the manifest was right: so it is not the file.
        raise Refused("the passphrase is wrong") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise Damaged(f"cannot be read ({error})", NAME) from None


def _key(passphrase: str, salt: bytes, cost: int, block: int, passes: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=salt, length=32, n=cost, r=block, p=passes).derive(passphrase.encode())
