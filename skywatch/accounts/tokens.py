"""Access and refresh tokens: JSON Web Tokens signed with HS256 through pyramid-jwt's codec.

The first secret signs, all of them verify, so that secrets can be rotated without ending anybody's login. What a
token says is believed only for who and which login; rights always come from the database.
"""

from __future__ import annotations

import logging
import re
import secrets
from dataclasses import dataclass
from typing import Any, Literal

from pyramid_jwt.policy import JWTAuthenticationPolicy

from skywatch.core.clock import unix_now
from skywatch.core.problems import Problem
from skywatch.settings import Settings

ALGORITHM = "HS256"
TokenType = Literal["access", "refresh"]
# Ours have some 350 characters; nothing much longer is worth a signature check.
MAXIMUM_LENGTH = 2048
SHAPE = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
TOKEN_ID = re.compile(r"[0-9a-f]{32}")
FOREVER_S = 10 * 365 * 86_400
# Where development goes without a secret: tokens then end with the process.
THROWAWAY_SECRET = secrets.token_urlsafe(48)

# The codec warns of every bad token, which would let anybody fill the log; the throttle counts them instead.
logging.getLogger("pyramid_jwt").setLevel(logging.ERROR)


@dataclass(frozen=True)
class Claims:
    """What a verified token says."""

    token_type: TokenType
    user_id: int
    login_id: str
    token_id: str
    expires_at: float


class _Nobody:
    """The codec asks a request for its address, for the warning that is switched off."""

    remote_addr = None


class TokenCodec:
    """Writes and reads the tokens of one installation."""

    def __init__(self, settings: Settings) -> None:
        keys = settings.jwt_secret_key or (settings.secret or THROWAWAY_SECRET,)
        self._codecs = [JWTAuthenticationPolicy(key, algorithm=ALGORITHM) for key in keys]
        self._timeless = [JWTAuthenticationPolicy(key, algorithm=ALGORITHM, leeway=FOREVER_S) for key in keys]
        self.access_lifetime_s = settings.jwt_access_token_lifetime_minutes * 60
        self.refresh_lifetime_s = settings.jwt_refresh_token_lifetime_days * 86_400

    def access_token(self, user_id: int, login_id: str) -> str:
        """A new access token of a login."""
        return self._write("access", user_id, login_id, new_token_id(), unix_now() + self.access_lifetime_s)

    def refresh_token(self, user_id: int, login_id: str, token_id: str, expires_at: float) -> str:
        """The refresh token that the login names as its only unused one."""
        return self._write("refresh", user_id, login_id, token_id, expires_at)

    def _write(self, token_type: TokenType, user_id: int, login_id: str, token_id: str, expires_at: float) -> str:
        token: str = self._codecs[0].create_token(
            str(user_id), token_type=token_type, user_id=user_id, sid=login_id, jti=token_id, exp=int(expires_at)
        )
        return token

    def read(self, token: str, token_type: TokenType) -> Claims:
        """The claims of a token; raises Problem ``token_expired`` or ``token_invalid``."""
        if len(token) > MAXIMUM_LENGTH or not SHAPE.fullmatch(token):
            raise Problem("token_invalid")
        found = _first(self._codecs, token)
        if found is None:
            past = _claims(_first(self._timeless, token))
            if past is not None and past.expires_at <= unix_now() and past.token_type == token_type:
                raise Problem("token_expired")
            raise Problem("token_invalid")
        claims = _claims(found)
        if claims is None or claims.token_type != token_type:
            raise Problem("token_invalid")
        return claims


def new_token_id() -> str:
    """A name that nobody can guess, for a token or a login."""
    return secrets.token_hex(16)


def _first(codecs: list[JWTAuthenticationPolicy], token: str) -> dict[str, Any] | None:
    for codec in codecs:
        try:
            found: dict[str, Any] = codec.jwt_decode(_Nobody(), token)
        except (ValueError, TypeError, RecursionError, OverflowError):
            # The codec turns only some malformed headers into its own error (nested a thousand deep, for one).
            continue
        if found:
            return found
    return None


def _claims(found: dict[str, Any] | None) -> Claims | None:
    if found is None:
        return None
    kind, user_id, login_id = found.get("token_type"), found.get("user_id"), found.get("sid")
    token_id, expires_at = found.get("jti"), found.get("exp")
    if kind not in ("access", "refresh") or type(user_id) is not int or not 0 < user_id < 2**63:
        return None
    if not (isinstance(login_id, str) and isinstance(token_id, str) and isinstance(expires_at, int | float)):
        return None
    if not (TOKEN_ID.fullmatch(login_id) and TOKEN_ID.fullmatch(token_id)):
        return None
    return Claims(kind, user_id, login_id, token_id, float(expires_at))
