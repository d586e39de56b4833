"""What single sign-on is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skywatch.accounts.hooks import SingleSignOn
from skywatch.core.feature import Feature
from skywatch.sso.problems import PROBLEMS
from skywatch.sso.settings import SsoSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Set

    from skywatch.core.runtime import Runtime
    from skywatch.http.requests.request import Request


def _config(runtime: Runtime) -> Mapping[str, Any]:
    settings = runtime.settings.of(SsoSettings)
    return {"oidc_enabled": settings.oidc_enabled, "oidc_provider_name": settings.oidc_provider_name}


def _at_logout(request: Request, login_ids: Set[str]) -> Mapping[str, str]:
    from skywatch.sso.sign_on.flow import SignOn
    from skywatch.sso.sign_on.logout import logout_url

    url = logout_url(request.runtime, request.runtime.shared(SignOn), login_ids)
    return {"logout_url": url} if url is not None else {}


FEATURE = Feature(
    name="sso",
    include="skywatch.sso",
    settings=SsoSettings,
    problems=PROBLEMS,
    commands={"oidc": "skywatch.sso.command:oidc"},
    tags={
        "oidc-mappings": "Which claims of an identity provider give which roles.",
    },
    provides=(SingleSignOn(config=_config, at_logout=_at_logout),),
)
