"""``auth/oidc/*``: sign-on, its answer, the providers there are, and the logout that a provider asks for."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs

from pyramid.response import Response

from skywatch.accounts.sign_in.cookies import hand_over
from skywatch.accounts.sign_in.schemas import LoginAnswer, LoginDetail
from skywatch.accounts.users.answers import user_answer
from skywatch.core.problems import Problem, invalid
from skywatch.core.storage.audit import Actor
from skywatch.http.clients.origins import allowed_origins, origin_of
from skywatch.http.lists.pagination import PageQuery, page_of
from skywatch.http.pages import wants_page
from skywatch.http.requests.request import Request
from skywatch.http.resources.answer import answer
from skywatch.http.resources.service import ApiService
from skywatch.http.settings import HttpSettings
from skywatch.security.permissions import ViewPermission
from skywatch.sentences import sentence
from skywatch.sso import schemas
from skywatch.sso.pending_sign_ons import LIFETIME
from skywatch.sso.settings import SsoSettings
from skywatch.sso.sign_on.addresses import own_address
from skywatch.sso.sign_on.answer import Answer
from skywatch.sso.sign_on.flow import SignOn
from skywatch.sso.sign_on.logout import obey
from skywatch.sso.sign_on.page import failure_page, hand_over_page

COOKIE = "skywatch_sso"
COOKIE_PATH = "/api/v1/auth/oidc"
CALLBACK = "/api/v1/auth/oidc/callback"
FORM = "application/x-www-form-urlencoded"

authorize_service = ApiService("auth.oidc.authorize", "/auth/oidc/authorize", feature=None)
callback_service = ApiService("auth.oidc.callback", "/auth/oidc/callback", feature=None)
providers_service = ApiService("auth.oidc.providers", "/auth/oidc/providers", feature=None)
logout_service = ApiService("auth.oidc.backchannel_logout", "/auth/oidc/backchannel-logout", feature=None)


@providers_service.get(permission=ViewPermission.OPEN, query=PageQuery(), responses={200: schemas.ProviderList()})
def list_oidc_providers(request: Request) -> dict[str, Any]:
    """The identity providers that people may sign on with, the first one being the default"""
    parties = request.runtime.shared(SignOn).parties.values()
    entries = [answer(schemas.ProviderEntry, party.provider) for party in parties]
    return page_of(request, "providers", entries)


@authorize_service.get(
    permission=ViewPermission.OPEN,
    query=schemas.AuthorizeQuery(),
    responses={200: schemas.AuthorizeAnswer()},
    errors=(404, 502, 503),
)
def start_oidc_login(request: Request) -> dict[str, str]:
    """Begin a sign-on: where to send the person

    The answer comes to `redirect_uri`, without one to `auth/oidc/callback`, within ten minutes. The browser is given
    a cookie that ties the sign-on to it.
    """
    query = request.validated["querystring"]
    sign_on, redirect_uri = request.runtime.shared(SignOn), query.get("redirect_uri")
    url, begun = sign_on.authorize(
        query.get("provider"),
        redirect_uri,
        own_address(request) + CALLBACK,
        _opener(request, redirect_uri),
        _browser(request),
    )
    request.response.set_cookie(
        COOKIE,
        begun.browser,
        max_age=int(LIFETIME.total_seconds()),
        path=request.path_prefix + COOKIE_PATH,
        secure=request.runtime.settings.environment == "production",
        httponly=True,
        # The provider sends the browser back from another site, by an address that is opened as a whole.
        samesite="Lax",
    )
    return {"authorization_url": url, "state": begun.state}


@callback_service.get(
    permission=ViewPermission.OPEN,
    query=schemas.CallbackQuery(),
    responses={200: (LoginAnswer(), "text/html")},
    errors=(404, 502, 503),
)
def finish_oidc_login(request: Request) -> Any:
    """Finish a sign-on: exchange the provider's code for tokens

    It can be done once. A browser (`Accept: text/html`) gets a page that gives the tokens to the page that opened it;
    where the sign-on fails, a page that shows why and informs its opener.
    """
    answer = Answer.of(request.validated["querystring"], request.GET.get("error_description"))
    sign_on, actor = request.runtime.shared(SignOn), _nobody(request)
    # A page gives tokens to another page of the browser: that has to be the browser that began the sign-on.
    is_page = wants_page(request)
    begun = sign_on.take(answer, _browser(request), actor, needs_browser=is_page)
    request.sign_on_opener = begun.opener_origin
    user, pair = sign_on.finish(begun, answer, actor)
    body = {**hand_over(request, pair), "user": user_answer(user)}
    if not is_page:
        return body
    has_cookies = request.runtime.settings.of(HttpSettings).jwt_auth_cookie
    page = hand_over_page(body, begun.opener_origin, has_cookies=has_cookies)
    # The cookies that hand_over has set belong to the answer, whichever form it has.
    page.headers.extend((name, value) for name, value in request.response.headers.items() if name == "Set-Cookie")
    return page


@logout_service.post(
    permission=ViewPermission.OPEN,
    body=schemas.LogoutToken(),
    body_types=(FORM,),
    responses={200: LoginDetail()},
    errors=(502, 503),
)
def oidc_backchannel_logout(request: Request) -> dict[str, str]:
    """End the logins that an identity provider's logout token names (OpenID Connect Back-Channel Logout)"""
    request.runtime.shared(SignOn).check_enabled()
    if request.content_type != FORM:
        raise Problem(
            "unsupported_media_type", sentence("body.media_type", "The body must be {media_type}.", media_type=FORM)
        )
    try:
        fields = parse_qs(request.body.decode("ascii"), max_num_fields=20)
    except ValueError:
        raise Problem("malformed_body", sentence("body.not_a_form", "The body is not a form.")) from None
    tokens = fields.get("logout_token", [])
    if len(tokens) != 1:
        raise invalid("logout_token", sentence("sso.needed_once", "is required once"))
    ended = obey(request.runtime, request.runtime.shared(SignOn), tokens[0], _nobody(request))
    return {"detail": f"Ended {ended} login{'s' if ended != 1 else ''}."}


def show_problem(problem: Problem, request: Request) -> Response:
    """The page of a sign-on that has failed. Its opener is known once the sign-on has been read."""
    opener = getattr(request, "sign_on_opener", None) or origin_of(own_address(request))
    return failure_page(problem, request.request_id, opener)


def _browser(request: Request) -> str | None:
    """The cookie's content if it is valid."""
    value = request.cookies.get(COOKIE, "")
    return value if re.fullmatch(r"[A-Za-z0-9_-]{43}", value) else None


def _opener(request: Request, redirect_uri: str | None) -> str:
    """The origin of the page that will wait for the tokens: one that the settings name, else the service's own."""
    origin: str = request.headers.get("Origin", "").lower()
    if request.runtime.shared(allowed_origins).is_listed(origin):
        return origin
    registered = request.runtime.settings.of(SsoSettings).oidc_redirect_uris
    if redirect_uri in registered and redirect_uri.startswith(("https://", "http://")):
        return origin_of(redirect_uri)
    return origin_of(own_address(request))


def _nobody(request: Request) -> Actor:
    return Actor("", "anonymous", None, request.client_address, request.request_id)
