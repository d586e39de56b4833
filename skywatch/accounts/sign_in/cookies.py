"""Tokens as http-only cookies, in addition to the bodies that carry them anyway."""

from __future__ import annotations

from datetime import timedelta

from pyramid.response import Response

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.credentials import ACCESS_COOKIE, REFRESH_COOKIE, check_origin
from skywatch.accounts.login_tokens import TokenPair
from skywatch.http.requests.request import Request
from skywatch.http.settings import HttpSettings

# Login, refresh and logout: no other call ever sees the refresh token.
REFRESH_PATH = "/api/v1/auth"
HANDOVER_COOKIE = "skywatch_handover"


def hand_over(request: Request, pair: TokenPair) -> dict[str, str]:
    """The body for a new pair; sets the cookies if ``jwt_auth_cookie`` is on. For login, refresh and single sign-on."""
    if request.runtime.settings.of(HttpSettings).jwt_auth_cookie:
        codec = request.runtime.shared(Authenticator).codec
        _set(request, ACCESS_COOKIE, pair.access, "", codec.access_lifetime_s)
        _set(request, REFRESH_COOKIE, pair.refresh, REFRESH_PATH, codec.refresh_lifetime_s)
    return {"access": pair.access, "refresh": pair.refresh}


def take_back(request: Request) -> None:
    """Have the browser forget the cookies."""
    if request.runtime.settings.of(HttpSettings).jwt_auth_cookie:
        _set(request, ACCESS_COOKIE, "", "", 0)
        _set(request, REFRESH_COOKIE, "", REFRESH_PATH, 0)


def refresh_cookie(request: Request) -> str | None:
    """The refresh token of the cookie; raises Problem (403) where the request comes from another site's page."""
    token: str | None = None
    if request.runtime.settings.of(HttpSettings).jwt_auth_cookie:
        token = request.cookies.get(REFRESH_COOKIE) or None
    if token is not None:
        check_origin(request)
    return token


def refuse_foreign_login(request: Request) -> None:
    """Raise Problem (403) where another site's page would log its visitor in, as somebody else, by cookie."""
    if request.runtime.settings.of(HttpSettings).jwt_auth_cookie:
        check_origin(request)


def remember_browser(request: Request, response: Response, value: str, lifetime: timedelta) -> None:
    """Have a browser keep its half of a hand-over; an empty value has it forgotten."""
    name = _handover_name(request)
    response.set_cookie(
        name,
        value,
        max_age=int(lifetime.total_seconds()) if value else 0,
        path=request.path_prefix or "/",
        secure=name.startswith("__") or request.runtime.settings.environment == "production",
        httponly=True,
        samesite="Strict",
        overwrite=True,
    )


def handed_over_to(request: Request) -> str:
    """A browser's half of a hand-over; raises Problem (403) where the request comes from another site's page."""
    check_origin(request)
    return request.cookies.get(_handover_name(request), "")


def _handover_name(request: Request) -> str:
    """`__Host-` keeps other hosts of the domain from giving a browser this cookie; it demands TLS and the whole host.
    Below a path prefix `__Secure-` does for TLS, and without TLS no prefix is possible."""
    if request.scheme != "https":
        return HANDOVER_COOKIE
    return f"{'__Secure-' if request.path_prefix else '__Host-'}{HANDOVER_COOKIE}"


def _set(request: Request, name: str, value: str, path: str, max_age_s: int) -> None:
    request.response.set_cookie(
        name,
        value,
        max_age=max_age_s,
        path=request.path_prefix + path or "/",
        secure=request.runtime.settings.environment == "production",
        httponly=True,
        samesite="Lax",
    )
