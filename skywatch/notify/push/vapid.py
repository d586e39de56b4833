"""Voluntary application server identification (RFC 8292): one key pair per installation, created by ``init``."""

from __future__ import annotations

import base64
import time
from typing import TYPE_CHECKING

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.database.columns import UNREADABLE
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.problems import Problem
from skywatch.notify.models import InstallationKey
from skywatch.sentences import sentence

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec

NAME = "vapid"
# Push services refuse tokens that are valid for more than a day.
LIFETIME_S = 12 * 3600


class VapidKey:
    """The installation's key pair."""

    def __init__(self, private_key: ec.EllipticCurvePrivateKey) -> None:
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        self._private = private_key
        raw = private_key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        self.public = base64.urlsafe_b64encode(raw).rstrip(b"=").decode("ascii")

    def authorization(self, audience: str, contact: str) -> str:
        """The value of ``Authorization`` for a push service; ``audience`` is its origin."""
        # Not with PyJWT, which a service loads without the ciphers that access tokens need none of.
        from joserfc import jwt
        from joserfc.jwk import ECKey

        claims = {"aud": audience, "exp": int(time.time()) + LIFETIME_S}
        if contact:
            claims["sub"] = contact
        token = jwt.encode({"alg": "ES256", "typ": "JWT"}, claims, ECKey.import_key(self._private))
        return f"vapid t={token}, k={self.public}"


def install(session: Session) -> bool:
    """Create the key pair if there is none; returns whether it was created."""
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    if session.get(InstallationKey, NAME) is not None:
        return False
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")
    session.add(InstallationKey(name=NAME, private_key=pem))
    session.flush()
    return True


def load_key(sessions: SessionFactory) -> VapidKey:
    """The key pair; created here if ``init`` has not run since the upgrade.

    Raises Problem (503) where it was stored with another secret of the installation.
    """
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    query = sa.select(InstallationKey.private_key).where(InstallationKey.name == NAME)
    with sessions() as session:
        pem = session.scalar(query)
    if pem is None:
        with writing(sessions) as session:
            install(session)
            pem = session.scalar(query)
    if pem == UNREADABLE:
        # No other takes its place: with the right secret browsers are reached again.
        raise Problem(
            "unavailable",
            sentence(
                "notify.vapid_other_secret", "The key for Web Push was stored with another secret of the service."
            ),
        )
    key = load_pem_private_key((pem or "").encode("ascii"), None)
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise TypeError("the stored VAPID key is not a key of the curve P-256")
    return VapidKey(key)


def public_key(sessions: SessionFactory) -> str:
    """The public key in the form for browsers (base64url)."""
    return load_key(sessions).public
