"""Where a client's credential comes from: a fixed API key or token, or a login that is renewed before it expires."""

from __future__ import annotations

import base64
import binascii
import time
from typing import Protocol

import httpx
import msgspec

# Renewed this long before it expires, so that clocks a little apart and a slow answer do no harm.
RENEW_BEFORE_S = 30.0
TIMEOUT_S = 15.0


class LoginFailed(Exception):
    """The service did not accept the login; ``str()`` is what it said."""


class TokenSource(Protocol):
    """What a client asks for its credential."""

    async def token(self) -> str | None:
        """A credential that is good now; None to come anonymously. Raises LoginFailed."""

    def renew_at(self) -> float | None:
        """Unix time at which to ask again; None where it does not expire."""


class FixedToken:
    """An API key or an access token that somebody else looks after; None is anonymous."""

    def __init__(self, token: str | None) -> None:
        self._token = token

    @property
    def is_given(self) -> bool:
        """Whether there is a credential at all."""
        return self._token is not None

    async def token(self) -> str | None:
        return self._token

    def renew_at(self) -> float | None:
        return None


class LoginTokens:
    """Access tokens of a login: from a password, later by refreshing (each refresh token is used once).

    Begin either with ``username`` and ``password`` or with a ``refresh`` token.
    """

    def __init__(
        self,
        base_url: str,
        username: str = "",
        password: str = "",
        *,
        refresh: str | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._http = http or httpx.AsyncClient(timeout=TIMEOUT_S)
        self._base_url = base_url.rstrip("/")
        self._username = username
        self._password = password
        self._access: str | None = None
        self._refresh = refresh
        self._expires_at = 0.0

    async def token(self) -> str | None:
        if self._access is None or time.time() >= self._expires_at - RENEW_BEFORE_S:
            await self._renew()
        return self._access

    def renew_at(self) -> float | None:
        return self._expires_at - RENEW_BEFORE_S if self._access is not None else None

    async def _renew(self) -> None:
        refresh, self._refresh = self._refresh, None
        if refresh is not None:
            answer = await self._post("refresh", {"refresh": refresh})
            if answer.status_code == httpx.codes.OK:
                self._take(answer)
                return
        if not self._username:
            raise LoginFailed("The login has ended.")
        answer = await self._post("login", {"username": self._username, "password": self._password})
        if answer.status_code != httpx.codes.OK:
            raise LoginFailed(_detail(answer))
        self._take(answer)

    async def _post(self, what: str, body: dict[str, str]) -> httpx.Response:
        return await self._http.post(f"{self._base_url}/api/v1/auth/{what}", json=body)

    def _take(self, answer: httpx.Response) -> None:
        pair = answer.json()
        self._access, self._refresh = pair["access"], pair["refresh"]
        self._expires_at = expiry_of(pair["access"])

    async def close(self) -> None:
        """Close the HTTP connection."""
        await self._http.aclose()


def expiry_of(token: str) -> float:
    """The ``exp`` of a JWT in unix seconds (its signature is the server's to check); raises ValueError."""
    try:
        payload = token.split(".")[1]
        claims = msgspec.json.decode(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (IndexError, KeyError, TypeError, binascii.Error, msgspec.DecodeError) as error:
        raise ValueError("not a JSON web token") from error


def _detail(answer: httpx.Response) -> str:
    try:
        return str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        return f"The service answered {answer.status_code}."
