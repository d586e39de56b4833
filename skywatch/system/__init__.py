"""The state of the installation as the API shows it: health, status, receivers, metrics, retention.

Not here: what a process reports of itself (`core/telemetry`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.system.views")
