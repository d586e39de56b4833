"""Channels, deliveries and browsers as REST resources of ``skywatch.notify``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """Set up the resources below ``/api/v1/alerts``."""
    from skywatch.core.runtime import runtime_of
    from skywatch.notify.channels.channel_test import channel_test_limiter

    runtime_of(config.registry).shared(channel_test_limiter)
    for module in ("channels", "deliveries", "browsers"):
        config.scan(f"skywatch.notify.views.{module}")
