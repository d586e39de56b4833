"""Single sign-on with OpenID Connect: sign-ons, their users, claim mappings, and logout in both directions.

Tokens, logins and users themselves belong to accounts; this package only establishes whom a provider vouches for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

    from skywatch.http.requests.request import Request


def includeme(config: Configurator) -> None:
    """Add the resources; no request is sent to a provider before the first sign-on."""
    from skywatch.sso.settings import SsoSettings
    from skywatch.sso.sign_on.flow import SignOn
    from skywatch.sso.sign_on.logout import logout_url
    from skywatch.sso.views.sign_on import CALLBACK, show_problem

    runtime = config.registry["runtime"]
    sign_on = SignOn(runtime, config.registry["authenticator"].codec)
    config.registry["sign_on"] = sign_on

    def at_logout(request: Request, login_ids: Iterable[str]) -> dict[str, str]:
        url = logout_url(request.runtime, sign_on, login_ids)
        return {"logout_url": url} if url is not None else {}

    config.registry["at_logout"].append(at_logout)
    settings = runtime.settings.of(SsoSettings)
    config.registry["auth_config"] |= {
        "oidc_enabled": settings.oidc_enabled,
        "oidc_provider_name": settings.oidc_provider_name,
    }
    config.add_problem_page(CALLBACK, show_problem)
    for name in ("authorize", "callback", "providers"):
        config.add_throttle_bucket("GET", f"/api/v1/auth/oidc/{name}", "anon")
    config.add_throttle_bucket("POST", "/api/v1/auth/oidc/backchannel-logout", "anon")
    config.scan("skywatch.sso.views")
