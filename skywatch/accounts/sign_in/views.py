"""``auth/*``: what a client needs to know before it logs in, login, refresh and logout."""

from __future__ import annotations

from typing import Any

from skywatch.accounts import login_tokens
from skywatch.accounts.access.schemas import AccessSummary
from skywatch.accounts.first_user import SetupState
from skywatch.accounts.hooks import SingleSignOn
from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.caller import anonymous_actor, caller_of
from skywatch.accounts.identity.credentials import proved_by_header
from skywatch.accounts.identity.tokens import Claims
from skywatch.accounts.settings import AccountSettings
from skywatch.accounts.sign_in import handover, schemas, service
from skywatch.accounts.sign_in.attempts import guess_limits
from skywatch.accounts.sign_in.cookies import (
    hand_over,
    handed_over_to,
    refresh_cookie,
    refuse_foreign_login,
    remember_browser,
    take_back,
)
from skywatch.accounts.users.answers import user_answer
from skywatch.core.problems import Problem, invalid
from skywatch.core.process.version import VERSION
from skywatch.http.clients.channel import channel_address
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import body_of
from skywatch.http.resources.service import ApiService
from skywatch.http.settings import HttpSettings
from skywatch.security.identity import Identity
from skywatch.security.permissions import FEATURES, ViewPermission
from skywatch.security.visibility import visibility_under
from skywatch.sentences import sentence

REALTIME_PROTOCOLS = ["skywatch.v1", "socket.io"]
# An identity that holds no permission: what it is granted is granted to every identity.
WITHOUT_ROLE = Identity(0, "", "jwt")
config_service = ApiService("auth.config", "/auth/config", feature=None)
login_service = ApiService("auth.login", "/auth/login", feature=None)
refresh_service = ApiService("auth.refresh", "/auth/refresh", feature=None)
handover_service = ApiService("auth.handover", "/auth/handover", feature=None)
logout_service = ApiService("auth.logout", "/auth/logout", feature=None)


@config_service.get(permission=ViewPermission.OPEN, responses={200: schemas.AuthConfig()})
def get_auth_config(request: Request) -> dict[str, Any]:
    """What a client needs to know before it logs in"""
    settings = request.runtime.settings
    accounts, http = settings.of(AccountSettings), settings.of(HttpSettings)
    authenticator = request.runtime.shared(Authenticator)
    sign_on = request.runtime.features.only(SingleSignOn)
    access_settings = {feature: authenticator.feature_access(feature) for feature in FEATURES}
    granted = {
        sort: sorted(visibility_under(identity, settings.auth_mode, tuple(access_settings.values())).permissions)
        for sort, identity in (("anonymous", None), ("identity", WITHOUT_ROLE))
    }
    return {
        "auth_mode": settings.auth_mode,
        "auth_enabled": settings.auth_mode != "public",
        "local_auth_enabled": accounts.local_auth_enabled,
        "api_key_enabled": accounts.api_key_enabled,
        "cookie_auth_enabled": http.jwt_auth_cookie,
        "oidc_enabled": False,
        "oidc_provider_name": "",
        **(sign_on.config(request.runtime) if sign_on is not None else {}),
        "features": {feature: answer(AccessSummary, access) for feature, access in access_settings.items()},
        "granted": granted,
        "setup_required": request.runtime.shared(SetupState).is_open,
        "realtime": {
            "url": channel_address(http, request.host_url, request.path_prefix),
            "path": http.realtime_path,
            "protocols": REALTIME_PROTOCOLS,
        },
        "version": VERSION,
    }


@login_service.post(permission=ViewPermission.OPEN, body=schemas.Credentials(), responses={200: schemas.LoginAnswer()})
def log_in(request: Request) -> dict[str, Any]:
    """Log in with username (or e-mail address) and password

    An unknown name and a wrong password give the same answer in the same time. Five attempts a minute for each
    address; see the manual for the limit on wrong passwords of one account.
    """
    _check_local_auth(request)
    refuse_foreign_login(request)
    body = body_of(request, schemas.CredentialsFields)
    codec, actor = request.runtime.shared(Authenticator).codec, anonymous_actor(request)
    user, pair = service.log_in(
        request.runtime.sessions,
        request.runtime.shared(guess_limits),
        body.username,
        body.password,
        actor,
        lambda session, user: login_tokens.start_login(session, codec, user, "password", actor),
    )
    return {**hand_over(request, pair), "user": user_answer(user)}


@refresh_service.post(permission=ViewPermission.OPEN, body=schemas.RefreshBody(), responses={200: schemas.Tokens()})
def refresh_tokens(request: Request) -> dict[str, Any]:
    """Exchange a refresh token for a new access and refresh token

    Each refresh token can be used once. Using one a second time is 401; more than 30 s after its first use that also
    ends the login it belongs to.
    """
    token = body_of(request, schemas.RefreshFields).refresh or refresh_cookie(request)
    if token is None:
        raise invalid("refresh", sentence("field.needed", "is required"))
    codec = request.runtime.shared(Authenticator).codec
    pair = login_tokens.refresh(request.runtime.sessions, codec, token, anonymous_actor(request))
    return hand_over(request, pair)


@handover_service.post(
    permission=ViewPermission.OPEN, body=schemas.HandoverBody(), responses={200: schemas.LoginAnswer()}
)
def go_on_from_console(request: Request) -> dict[str, Any]:
    """Exchange a code of the console for tokens of the same login

    The console's page hands the code to the web application of the same browser: it is good once, for 30 s, with the
    cookie that was set with it and from an allowed origin. The login keeps its end.
    """
    browser = handed_over_to(request)
    sessions, codec = request.runtime.sessions, request.runtime.shared(Authenticator).codec
    code = body_of(request, schemas.HandoverFields).code
    user, pair = handover.redeem_code(sessions, codec, code, browser, anonymous_actor(request))
    remember_browser(request, request.response, "", handover.LIFETIME)
    return {**hand_over(request, pair), "user": user_answer(user)}


@logout_service.post(
    permission=ViewPermission.OWN_ACCOUNT, body=schemas.RefreshBody(), responses={200: schemas.LogoutAnswer()}
)
def log_out(request: Request) -> dict[str, str]:
    """End the login: its refresh token and its access tokens stop working

    The login that the request was proved by, and the one that the refresh token belongs to: one that cannot be read,
    has expired or is somebody else's ends nothing more. After single sign-on `logout_url` is where to send the person
    to end the identity provider's session as well.
    """
    ended = {request.caller.login_id} if request.caller.login_id is not None else set()
    token = body_of(request, schemas.RefreshFields).refresh or None
    if token is None and not proved_by_header(request):
        token = refresh_cookie(request)
    claims = _own_refresh_token(request, token) if token is not None else None
    if claims is not None:
        ended.add(claims.login_id)
    sign_on = request.runtime.features.only(SingleSignOn)
    more = sign_on.at_logout(request, ended) if sign_on is not None else {}
    service.log_out(request.db, caller_of(request), ended)
    take_back(request)
    return {"detail": "Logged out.", **more}


def _check_local_auth(request: Request) -> None:
    if not request.runtime.settings.of(AccountSettings).local_auth_enabled:
        raise Problem("local_auth_disabled")


def _own_refresh_token(request: Request, token: str) -> Claims | None:
    """Return the claims of the caller's refresh token, None for what is no valid one or somebody else's."""
    try:
        claims: Claims = request.runtime.shared(Authenticator).codec.read(token, "refresh")
    except Problem:
        return None
    return claims if claims.user_id == request.caller.user_id else None
