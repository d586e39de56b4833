"""Access and refresh tokens: JSON Web Tokens signed with HS256.

pyramid-jwt's policy signs them; PyJWT itself, which pyramid-jwt is built on, reads them, because pyramid-jwt logs the
reason of a refusal and returns no claims, whereas clients must be able to distinguish an expired
token from an invalid one.

The first secret signs, all of them verify, so that secrets can be rotated without ending anybody's login. A token is
proof of its user and login only; rights always come from the database.
"""

from __future__ import annotations

import math
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import jwt
from pyramid_jwt.policy import JWTAuthenticationPolicy

from skywatch.accounts.settings import AccountSettings
from skywatch.core.clock import unix_now
from skywatch.core.problems import Problem

ALGORITHM = "HS256"
TokenType = Literal["access", "refresh"]
# Ours have some 350 characters; nothing much longer is worth a signature check.
MAX_LENGTH = 2048
SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
TOKEN_ID = re.compile(r"[0-9a-f]{32}")
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


class TokenPolicy(JWTAuthenticationPolicy):
    """pyramid-jwt's policy with several keys: the first signs, every one verifies."""

    def __init__(self, keys: Sequence[str]) -> None:
        super().__init__(keys[0], algorithm=ALGORITHM)
        self.keys = tuple(keys)

    def claims_of(self, token: str) -> dict[str, Any]:
        """The claims of a token that one of the keys has signed, expired or not; raises jwt.InvalidTokenError."""
        for key in self.keys:
            try:
                claims: dict[str, Any] = jwt.decode(
                    token, key, algorithms=[self.algorithm], options={"verify_exp": False}
                )
            except jwt.InvalidSignatureError:
                continue
            return claims
        raise jwt.InvalidSignatureError("no key has signed this token")


class TokenCodec:
    """Writes and reads the tokens of one installation."""

    def __init__(self, settings: AccountSettings) -> None:
        current = settings.jwt_secret_key or settings.secret or THROWAWAY_SECRET
        self._policy = TokenPolicy((current, *settings.jwt_secret_key_previous))
        self.access_lifetime_s = settings.jwt_access_token_lifetime_minutes * 60
        self.refresh_lifetime_s = settings.jwt_refresh_token_lifetime_days * 86_400

    def access_token(self, user_id: int, login_id: str, login_ends_at: float = math.inf) -> str:
        """A new access token of a login, which never outlives it (unix seconds)."""
        expires_at = min(unix_now() + self.access_lifetime_s, login_ends_at)
        return self._write("access", user_id, login_id, new_token_id(), expires_at)

    def refresh_token(self, user_id: int, login_id: str, token_id: str, expires_at: float) -> str:
        """The refresh token that the login names as its only unused one."""
        return self._write("refresh", user_id, login_id, token_id, expires_at)

    def _write(self, token_type: TokenType, user_id: int, login_id: str, token_id: str, expires_at: float) -> str:
        token: str = self._policy.create_token(
            str(user_id), token_type=token_type, user_id=user_id, sid=login_id, jti=token_id, exp=int(expires_at)
        )
        return token

    def read(self, token: str, token_type: TokenType) -> Claims:
        """The claims of a token; raises Problem ``token_expired`` or ``token_invalid``."""
        if len(token) > MAX_LENGTH or not SHAPE.fullmatch(token):
            raise Problem("token_invalid")
        try:
            claims = _claims(self._policy.claims_of(token))
        except (jwt.InvalidTokenError, ValueError, TypeError, RecursionError, OverflowError):
            # PyJWT turns only some malformed headers into its own error (nested a thousand deep, for one).
            raise Problem("token_invalid") from None
        if claims is None or claims.token_type != token_type:
            raise Problem("token_invalid")
        if not claims.expires_at > unix_now():
            raise Problem("token_expired")
        return claims


def new_token_id() -> str:
    """An unguessable identifier for a token or a login."""
    return secrets.token_hex(16)


def _claims(payload: dict[str, Any]) -> Claims | None:
    kind, user_id, login_id = payload.get("token_type"), payload.get("user_id"), payload.get("sid")
    token_id, expires_at = payload.get("jti"), payload.get("exp")
    if kind not in ("access", "refresh") or type(user_id) is not int or not 0 < user_id < 2**63:
        return None
    if not (isinstance(login_id, str) and isinstance(token_id, str) and isinstance(expires_at, int | float)):
        return None
    if not (TOKEN_ID.fullmatch(login_id) and TOKEN_ID.fullmatch(token_id)):
        return None
    return Claims(kind, user_id, login_id, token_id, float(expires_at))
