"""Signatures of Standard Webhooks 1.0: HMAC-SHA256 over id, time and body, with each valid secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """A new secret in the form that Standard Webhooks libraries expect."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode("ascii")


def signature_headers(message_id: str, timestamp: int, body: bytes, keys: Iterable[str]) -> dict[str, str]:
    """The three headers of a webhook; ``timestamp`` is that of the attempt (unix seconds)."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    signatures = [_sign(key, signed) for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }


def _sign(key: str, signed: bytes) -> str:
    digest = hmac.new(base64.b64decode(key.removeprefix(PREFIX)), signed, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode('ascii')}"
