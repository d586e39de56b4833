"""The state of the service: health, status, receivers, metrics, retention. Read-only except for retention."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.system.views")
