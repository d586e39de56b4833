"""The settings and the secret of an installation, encrypted with a passphrase (scrypt and AES-256-GCM)."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

import msgspec

from skywatch.backup.contents.passphrase import KeyDerivation, check_length, new_parameters
from skywatch.backup.errors import Damaged, Refused, refusal_of

NAME = "settings.sealed"
# Settings are text of a few kilobytes.
MAX_BYTES = 16_000_000
_PURPOSE = b"skywatch backup 1"


class PrivatePart(msgspec.Struct):
    """What is encrypted: the files of the settings, the first one first, and the secret (empty where there is none)."""

    files: dict[str, str]
    secret: str


class _Sealed(KeyDerivation):
    nonce: bytes
    data: bytes


def seal(private: PrivatePart, passphrase: str) -> bytes:
    """Encrypt; raises Refused for a passphrase that is too short, and for settings beyond ``MAX_BYTES``."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    check_length(passphrase)
    sealed = _Sealed(*new_parameters(), nonce=os.urandom(12), data=b"")
    cipher = AESGCM(sealed.key(passphrase, NAME))
    sealed.data = cipher.encrypt(sealed.nonce, msgspec.json.encode(private), _PURPOSE)
    data = msgspec.json.encode(sealed)
    if len(data) > MAX_BYTES:
        raise Refused("the settings are too large for a backup")
    return data


def unseal(data: bytes, passphrase: str) -> PrivatePart:
    """Decrypt what ``seal`` returned; raises Refused for a wrong passphrase, Damaged for anything else."""
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    try:
        sealed = msgspec.json.decode(data, type=_Sealed)
        cipher = AESGCM(sealed.key(passphrase, NAME))
        return msgspec.json.decode(cipher.decrypt(sealed.nonce, sealed.data, _PURPOSE), type=PrivatePart)
    except InvalidTag:
        # The hash of the file was right: so it is not the file.
        raise Refused("the passphrase is wrong") from None
    except (msgspec.MsgspecError, ValueError) as error:
        raise Damaged(f"cannot be read ({error})", NAME) from None


def open_file(folder: Path, passphrase: str, sha256: str | None = None) -> PrivatePart:
    """Decrypt the file of a backup, which must have this hash; raises what ``unseal`` does, Damaged where it is missing
    or another file, and Refused where it cannot be read."""
    path = folder / NAME
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            raise Damaged("is no file of settings", path)
        data = path.read_bytes()
    except FileNotFoundError:
        raise Damaged("is missing", path) from None
    except OSError as error:
        raise refusal_of(error, path) from None
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise Damaged("was changed: it does not have the SHA-256 of the manifest", path)
    return unseal(data, passphrase)
