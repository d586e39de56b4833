"""Access and refresh tokens: JSON Web Tokens signed with HS256.

pyramid-jwt's policy makes them (``create_token``) and reads them (``get_claims``). What it does not know is checked
after it: the kind of token, the ids of login and token, and the expiry, because clients must be able to distinguish an
expired token from an invalid one.

The first secret signs, all of them verify, so that secrets can be rotated without ending anybody's login. A token is
proof of its user and login only; rights always come from the database.
"""

from __future__ import annotations

import logging
import math
import re
import secrets
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from webob import Request

from skywatch.accounts.settings import AccountSettings
from skywatch.core.clock import unix_now
from skywatch.core.problems import Problem

if TYPE_CHECKING:
    from pyramid_jwt.policy import JWTAuthenticationPolicy

ALGORITHM = "HS256"
TokenType = Literal["access", "refresh"]
# Ours have some 350 characters; nothing much longer is worth a signature check.
MAX_LENGTH = 2048
SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
TOKEN_ID = re.compile(r"[0-9a-f]{32}")
# The policy accepts tokens for so long around their times, which are checked here: it does not tell an expired token
# from an invalid one.
LEEWAY_S = 100 * 365 * 86_400
# Each key that has not signed a token is a warning of the policy's; the answer to a refused token names its problem.
logging.getLogger("pyramid_jwt").setLevel(logging.ERROR)
# Where development goes without a secret: tokens then end with the process.
THROWAWAY_SECRET = secrets.token_urlsafe(48)


@dataclass(frozen=True)
class Claims:
    """The claims of a verified token."""

    token_type: TokenType
    user_id: int
    login_id: str
    token_id: str
    expires_at: float


class TokenCodec:
    """Writes and reads the tokens of one installation."""

    def __init__(self, settings: AccountSettings) -> None:
        current = settings.jwt_secret_key or settings.secret or THROWAWAY_SECRET
        self._keys = (current, *settings.jwt_secret_key_previous)
        self.access_lifetime_s = settings.jwt_access_token_lifetime_minutes * 60
        self.refresh_lifetime_s = settings.jwt_refresh_token_lifetime_days * 86_400

    @cached_property
    def _policies(self) -> list[JWTAuthenticationPolicy]:
        """A policy has one key; the first signs, every one verifies."""
        # With the first token: PyJWT imports the ciphers of cryptography, 8 MB, though ours have one secret.
        from pyramid_jwt.policy import JWTAuthenticationPolicy

        return [
            JWTAuthenticationPolicy(key, algorithm=ALGORITHM, auth_type="Bearer", leeway=LEEWAY_S) for key in self._keys
        ]

    def access_token(self, user_id: int, login_id: str, login_ends_at: float = math.inf) -> str:
        """A new access token of a login, which never outlives it (unix seconds)."""
        expires_at = min(unix_now() + self.access_lifetime_s, login_ends_at)
        return self._write("access", user_id, login_id, new_token_id(), expires_at)

    def refresh_token(self, user_id: int, login_id: str, token_id: str, expires_at: float) -> str:
        """The refresh token that the login names as its only unused one."""
        return self._write("refresh", user_id, login_id, token_id, expires_at)

    def _write(self, token_type: TokenType, user_id: int, login_id: str, token_id: str, expires_at: float) -> str:
        token: str = self._policies[0].create_token(
            str(user_id), token_type=token_type, user_id=user_id, sid=login_id, jti=token_id, exp=int(expires_at)
        )
        return token

    def read(self, token: str, token_type: TokenType) -> Claims:
        """The claims of a token; raises Problem ``token_expired`` or ``token_invalid``."""
        if len(token) > MAX_LENGTH or not SHAPE.fullmatch(token):
            raise Problem("token_invalid")
        try:
            claims = _claims(self._payload(token))
        except (ValueError, TypeError, RecursionError, OverflowError):
            # PyJWT turns only some malformed headers into its own error (nested a thousand deep, for one).
            raise Problem("token_invalid") from None
        if claims is None or claims.token_type != token_type:
            raise Problem("token_invalid")
        if not claims.expires_at > unix_now():
            raise Problem("token_expired")
        return claims

    def _payload(self, token: str) -> dict[str, Any]:
        """The claims of a token that one of the keys has signed, expired or not; empty where none has."""
        # Tokens of bodies, cookies and the real-time channel are read like those of the header.
        request = Request.blank("/", headers={"Authorization": f"Bearer {token}"})
        return next((claims for policy in self._policies if (claims := policy.get_claims(request))), {})


def new_token_id() -> str:
    """An unguessable identifier for a token or a login."""
    return secrets.token_hex(16)


def _claims(payload: dict[str, Any]) -> Claims | None:
    kind, user_id, login_id = payload.get("token_type"), payload.get("user_id"), payload.get("sid")
    token_id, expires_at = payload.get("jti"), payload.get("exp")
    if max(payload.get("iat", 0), payload.get("nbf", 0)) > unix_now():
        return None
    if kind not in ("access", "refresh") or type(user_id) is not int or not 0 < user_id < 2**63:
        return None
    if not (isinstance(login_id, str) and isinstance(token_id, str) and isinstance(expires_at, int | float)):
        return None
    if not (TOKEN_ID.fullmatch(login_id) and TOKEN_ID.fullmatch(token_id)):
        return None
    return Claims(kind, user_id, login_id, token_id, float(expires_at))
