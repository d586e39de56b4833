"""Binds the security policy to Pyramid and gives services their feature contexts."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from pyramid.config import Configurator

from skywatch.core.network.addresses import FORWARDING_HEADERS, is_loopback
from skywatch.http.requests.request import Request
from skywatch.security.contexts import AccessSettings, FeatureContext, default_access, prepared_context
from skywatch.security.identity import Identity
from skywatch.security.permissions import FEATURES
from skywatch.security.policy import SkywatchSecurityPolicy
from skywatch.security.visibility import Visibility, visibility_under

_FORWARDING = tuple(f"HTTP_{name.upper().replace('-', '_')}" for name in FORWARDING_HEADERS)


def feature_context(request: Request, feature: str | None) -> FeatureContext:
    """The context of a feature under the present mode and access settings."""
    access = request.registry["feature_access"](feature) if feature is not None else None
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
    registry = request.registry
    environ = request.environ
    forwarded = not environ.keys().isdisjoint(_FORWARDING)
    return visibility_under(
        request.identity,
        request.runtime.settings.auth_mode,
        registry["access_settings"](),
        is_local=not forwarded and is_loopback(environ.get("REMOTE_ADDR", "")),
    )


def includeme(config: Configurator) -> None:
    policy = SkywatchSecurityPolicy()
    config.registry["security_policy"] = policy
    config.registry["feature_access"] = default_access
    # All access settings at once: every request needs them.
    config.registry["access_settings"] = lambda: AccessSettings([default_access(feature) for feature in FEATURES])
    config.set_security_policy(policy)
    config.add_request_method(visibility, "visibility", reify=True)


__all__ = ["Identity", "context_factory", "feature_context", "visibility"]
