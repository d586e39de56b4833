"""A push service and a browser of the tests' own: it checks VAPID and decrypts as RFC 8291 says."""

from __future__ import annotations

import base64
import json
import struct
import time
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from joserfc import jwt
from joserfc.jwk import ECKey

from tests.receiving import Receiver


def unpadded(data: bytes) -> str:
    """Base64url as browsers write it."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def padded(text: str) -> bytes:
    """Base64url as browsers write it, read."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class FakeBrowser:
    """A browser's subscription at a push service."""

    def __init__(self, service: Receiver, name: str = "one") -> None:
        self.service = service
        self.path = f"/push/{name}"
        self._private = ec.generate_private_key(ec.SECP256R1())
        self._auth = b"0123456789abcdef"

    @property
    def public(self) -> bytes:
        """The public key as a point."""
        return self._private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    @property
    def subscription(self) -> dict[str, object]:
        """What ``PushSubscription.toJSON()`` gives."""
        keys = {"p256dh": unpadded(self.public), "auth": unpadded(self._auth)}
        return {"endpoint": self.service.url + self.path, "expirationTime": None, "keys": keys}

    def requests(self) -> list[dict[str, object]]:
        """What came for this browser."""
        return [request for request in self.service.requests if request["path"] == self.path]

    def messages(self) -> list[dict[str, object]]:
        """What came, decrypted."""
        return [json.loads(self.decrypt(request["body"])) for request in self.requests()]

    def decrypt(self, body: bytes) -> bytes:
        """The plaintext of one record; raises where anything is wrong."""
        assert len(body) <= 4096
        salt, (size, length) = body[:16], struct.unpack("!IB", body[16:21])
        sender, record = body[21 : 21 + length], body[21 + length :]
        assert len(record) <= size
        shared = self._private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        keying = HKDF(SHA256(), 32, self._auth, b"WebPush: info\x00" + self.public + sender).derive(shared)
        key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\x00").derive(keying)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\x00").derive(keying)
        plaintext = AESGCM(key).decrypt(nonce, record, None).rstrip(b"\x00")
        assert plaintext.endswith(b"\x02")
        return plaintext[:-1]


def check_vapid(request: dict[str, object], endpoint: str, application_key: str) -> dict[str, object]:
    """The claims of a request's VAPID token, checked as a push service does (RFC 8292)."""
    scheme, _, rest = request["headers"]["authorization"].partition(" ")
    assert scheme == "vapid"
    parts = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert parts["k"] == application_key
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), padded(parts["k"]))
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(endpoint))
    claims = jwt.decode(parts["t"], ECKey.import_key(key), algorithms=["ES256"]).claims
    jwt.JWTClaimsRegistry(aud={"essential": True, "value": origin}).validate(claims)
    assert time.time() < claims["exp"] <= time.time() + 86400
    return claims
