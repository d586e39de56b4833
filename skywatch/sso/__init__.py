"""Single sign-on with OpenID Connect: sign-ons, their users, claim mappings, and logout in both directions.

Tokens, logins and users themselves belong to accounts; this package only establishes whom a provider vouches for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Add the resources; no request is sent to a provider before the first sign-on."""
    from skywatch.core.runtime import runtime_of
    from skywatch.sso.sign_on.flow import SignOn
    from skywatch.sso.views.sign_on import CALLBACK, show_problem

    # Here, so that a wrong setting of a provider ends the start.
    runtime_of(config.registry).shared(SignOn)
    config.add_problem_page(CALLBACK, show_problem)
    for name in ("authorize", "callback", "providers"):
        config.add_throttle_bucket("GET", f"/api/v1/auth/oidc/{name}", "anon")
    config.add_throttle_bucket("POST", "/api/v1/auth/oidc/backchannel-logout", "anon")
    config.scan("skywatch.sso.views")
