"""Message encryption for Web Push (RFC 8291): only the browser reads it, the push service does not."""

from __future__ import annotations

import base64
import binascii
import os
import struct
from typing import TYPE_CHECKING

from skywatch.sentences import sentence

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

RECORD_BYTES = 4096
# Push services accept bodies of 4,096 bytes, which include header, delimiter and tag.
MAX_PLAINTEXT = 3993
_LAST_RECORD = b"\x02"


def decode(text: str) -> bytes:
    """Base64url without padding; raises ValueError."""
    try:
        return base64.b64decode(text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise ValueError(sentence("notify.base64url", "must be base64url")) from None


def encrypt(
    plaintext: bytes,
    public_key: bytes,
    auth_secret: bytes,
    *,
    salt: bytes | None = None,
    private_key: ec.EllipticCurvePrivateKey | None = None,
) -> bytes:
    """The body of a push message (content coding ``aes128gcm``, one record); raises ValueError for a wrong key.

    ``salt`` and ``private_key`` are random; only tests pass them.
    """
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    if len(plaintext) > MAX_PLAINTEXT:
        raise ValueError("the message is too long for Web Push")
    salt = salt or os.urandom(16)
    private_key = private_key or ec.generate_private_key(ec.SECP256R1())
    browser = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public_key)
    ours = private_key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    shared = private_key.exchange(ec.ECDH(), browser)
    # RFC 8291, 3.4: both keys are bound into the input keying material.
    keying = _derive(shared, auth_secret, b"WebPush: info\x00" + public_key + ours, 32)
    content_key = _derive(keying, salt, b"Content-Encoding: aes128gcm\x00", 16)
    nonce = _derive(keying, salt, b"Content-Encoding: nonce\x00", 12)
    record = AESGCM(content_key).encrypt(nonce, plaintext + _LAST_RECORD, None)
    return salt + struct.pack("!IB", RECORD_BYTES, len(ours)) + ours + record


def _derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), length, salt, info).derive(secret)
