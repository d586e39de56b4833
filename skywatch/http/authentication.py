"""Who a request comes from: the security policy, credentials in forms and in addresses, what the caller sees.

Also gives services their feature contexts. The methods that read headers, cookies and sessions belong to the features.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator

from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime, runtime_of
from skywatch.http.clients.client import is_local
from skywatch.http.hooks import CallerSource
from skywatch.http.requests.request import Request
from skywatch.security.contexts import AccessSource, DefaultAccess, FeatureContext, prepared_context
from skywatch.security.identity import Identity
from skywatch.security.policy import SkywatchSecurityPolicy
from skywatch.security.visibility import Visibility, visibility_under
from skywatch.sentences import sentence

# Where people put credentials by mistake: addresses end up in logs and histories.
QUERY_NAMES = frozenset(
    {
        "access_token", "api-key", "api_key", "apikey", "authorization", "bearer", "jwt", "key", "password", "refresh",
        "refresh_token", "token", "x-api-key",
    }
)  # fmt: skip
# Query strings without a credential, which clients repeat: so many, of so many characters at most.
MAX_REMEMBERED, MAX_REMEMBERED_LENGTH = 1024, 256
_harmless: dict[str, None] = {}


def access_source(runtime: Runtime) -> AccessSource:
    """The access settings of the feature that has users, else those of a new installation."""
    hook = runtime.features.only(CallerSource)
    return DefaultAccess() if hook is None else hook.access(runtime)


def identify_key(request: Request, key: str) -> Identity:
    """The owner of an API key that is no header of the request; raises Problem (401)."""
    hook = request.runtime.features.only(CallerSource)
    if hook is None:
        raise Problem("token_invalid")
    return hook.identify_key(request.runtime, key)


def security_policy(runtime: Runtime) -> SkywatchSecurityPolicy:
    """The policy with the credential methods of the feature that has users."""
    hook = runtime.features.only(CallerSource)
    return SkywatchSecurityPolicy(refuse_query_credentials, () if hook is None else hook.methods())


def feature_context(request: Request, feature: str | None) -> FeatureContext:
    """The context of a feature under the present mode and access settings."""
    access = request.runtime.shared(access_source).feature_access(feature) if feature is not None else None
    return prepared_context(feature, request.runtime.settings.auth_mode, access)


class AskedFeature:
    """The feature of a request; its context is looked up when a decision depends on it.

    Open views (liveness) do not need it: the access setting may have to come from a database that is down.
    """

    def __init__(self, request: Request, feature: str | None) -> None:
        self.request = request
        self.feature = feature

    @functools.cached_property
    def context(self) -> FeatureContext:
        return feature_context(self.request, self.feature)

    @property
    def is_enabled(self) -> bool:
        return self.context.is_enabled

    @property
    def __acl__(self) -> Any:
        return self.context.__acl__


def context_factory(feature: str | None) -> Callable[[Request], AskedFeature]:
    """The route factory of a service."""

    def factory(request: Request) -> AskedFeature:
        return AskedFeature(request, feature)

    return factory


def visibility(request: Request) -> Visibility:
    """The visibility of the caller, as ``request.visibility``."""
    return visibility_under(
        request.identity,
        request.runtime.settings.auth_mode,
        request.runtime.shared(access_source).access_settings(),
        is_local=is_local(request),
    )


def refuse_query_credentials(request: Request) -> None:
    """Raise Problem (401) where a credential stands in the address."""
    text = request.environ.get("QUERY_STRING")
    if not text or text in _harmless:
        return
    try:
        names = [name for name in request.GET if name.lower() in QUERY_NAMES]
    except UnicodeDecodeError:
        return  # The validation reports it.
    if names:
        raise Problem(
            "token_invalid",
            sentence(
                "http.credential_in_address",
                "A credential never goes into the address (?{name}=), which ends up in logs: send it "
                "as `Authorization` or `X-API-Key` header.",
                name=names[0],
            ),
        )
    if len(text) <= MAX_REMEMBERED_LENGTH:
        if len(_harmless) >= MAX_REMEMBERED:
            _harmless.clear()
        _harmless[text] = None


def identity(request: Request) -> Identity | None:
    """The caller, as ``request.identity``; Pyramid's own property looks for the policy each time."""
    return request.runtime.shared(security_policy).identity(request)


def includeme(config: Configurator) -> None:
    config.set_security_policy(runtime_of(config.registry).shared(security_policy))
    config.add_request_method(identity, "identity", property=True)
    config.add_request_method(visibility, "visibility", reify=True)


__all__ = ["Identity", "context_factory", "feature_context", "visibility"]
