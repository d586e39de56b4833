"""What every HTTP resource shares: services, schemas, validation, errors, paging and conditional requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

# What every request passes, outermost first.
TWEENS = (
    "tweens.request_id",
    "tweens.measure",
    "clients.client.client",
    "requests.headers.security_headers",
    "clients.client.named_host",
    "clients.cors.cors",
    "tweens.compression",
    "tweens.last_resort",
    "tweens.trailing_slash",
    "tweens.body_limit",
    "limits.throttle.throttle",
)


def includeme(config: Configurator) -> None:
    """Set up Cornice, rendering, errors and the tweens, outermost first."""
    from pyramid.tweens import INGRESS, MAIN

    config.add_settings(handle_exceptions=False)
    config.include("cornice")
    config.include("skywatch.http.path_rules")
    config.include("skywatch.http.resources.render")
    config.include("skywatch.http.resources.service")
    config.include("skywatch.http.errors")
    config.include("skywatch.http.requests.database")
    config.include("skywatch.http.authentication")
    config.include("skywatch.http.openapi.views")
    config.include("skywatch.http.clients.client")
    config.include("skywatch.http.limits.admission")
    config.include("skywatch.http.limits.slow_work")
    previous = INGRESS
    for tween in TWEENS:
        name = f"skywatch.http.{tween}_tween"
        config.add_tween(name, under=previous, over=MAIN)
        previous = name
