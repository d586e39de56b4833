"""What every HTTP resource shares: services, schemas, validation, errors, paging and conditional requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

# What every request passes, outermost first.
TWEENS = (
    "tweens.request_id",
    "measure.measure",
    "client.client",
    "headers.security_headers",
    "cors.cors",
    "tweens.compression",
    "tweens.last_resort",
    "tweens.trailing_slash",
    "tweens.body_limit",
    "throttle.throttle",
)


def includeme(config: Configurator) -> None:
    """Set up Cornice, rendering, errors and the tweens, outermost first."""
    from pyramid.tweens import INGRESS, MAIN

    config.add_settings(handle_exceptions=False)
    config.include("cornice")
    config.include("skywatch.security.area")
    config.include("skywatch.http.render")
    config.include("skywatch.http.pages")
    config.include("skywatch.http.errors")
    config.include("skywatch.http.database")
    config.include("skywatch.http.security")
    config.include("skywatch.http.openapi_views")
    config.include("skywatch.http.client")
    config.include("skywatch.http.cors")
    config.include("skywatch.http.throttle")
    config.include("skywatch.http.admission")
    config.include("skywatch.http.stream_limits")
    previous = INGRESS
    for tween in TWEENS:
        name = f"skywatch.http.{tween}_tween"
        config.add_tween(name, under=previous, over=MAIN)
        previous = name
