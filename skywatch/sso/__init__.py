"""Single sign-on with OpenID Connect: sign-ons, their users, claim mappings, and logout in both directions.

Tokens, logins and users themselves are the accounts' business; this room only says whom a provider vouches for.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyramid.config import Configurator
from pyramid.request import Request


def includeme(config: Configurator) -> None:
    """Add the resources; no provider is asked for anything before somebody signs on."""
    from skywatch.sso.flow import SignOn
    from skywatch.sso.logout import logout_url
    from skywatch.sso.views.signing_on import CALLBACK, show_problem

    runtime = config.registry["runtime"]
    sign_on = SignOn(runtime, config.registry["authenticator"].codec)
    config.registry["sign_on"] = sign_on

    def at_logout(request: Request, login_ids: Iterable[str]) -> dict[str, str]:
        url = logout_url(request.runtime, sign_on, login_ids)
        return {"logout_url": url} if url is not None else {}

    config.registry["at_logout"].append(at_logout)
    config.add_problem_page(CALLBACK, show_problem)
    for name in ("authorize", "callback", "providers"):
        config.add_throttle_bucket("GET", f"/api/v1/auth/oidc/{name}", "anon")
    config.add_throttle_bucket("POST", "/api/v1/auth/oidc/backchannel-logout", "anon")
    config.scan("skywatch.sso.views")
