"""Encrypts single values for the database, so that a copy of it (a backup, a stolen disk) does not hold them readable.

Fernet (AES-128-CBC with HMAC-SHA256) under a key derived from the installation's ``secret`` for one purpose.
"""

from __future__ import annotations

import base64
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


class Sealer:
    """Seals and opens texts for one purpose; what was sealed for another purpose or secret does not open."""

    def __init__(self, secret: str, purpose: str) -> None:
        self._secret, self._purpose = secret.encode(), f"skywatch {purpose}".encode()

    @cached_property
    def _fernet(self) -> Fernet:
        from cryptography.fernet import Fernet
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF

        key = HKDF(SHA256(), 32, None, self._purpose).derive(self._secret)
        return Fernet(base64.urlsafe_b64encode(key))

    def seal(self, text: str) -> str:
        """The text, encrypted and signed; ASCII, a third longer and 100 characters more."""
        return self._fernet.encrypt(text.encode()).decode("ascii")

    def open(self, sealed: str) -> str | None:
        """The text; None where it was not sealed with this secret for this purpose."""
        from cryptography.fernet import InvalidToken

        try:
            return self._fernet.decrypt(sealed).decode()
        except (InvalidToken, ValueError):
            return None
