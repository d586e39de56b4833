"""How well each receiver receives: rates, signals and ranges by minute and hour, who hears an aircraft, who is silent.

It measures the picture's receivers, those of the settings and feeders alike, and stands on ``skywatch.feeders``, whose
records say whose they are and where.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    from skywatch.core.runtime import runtime_of
    from skywatch.reception.hearers.hearers import HearerClient

    # Here, before requests come in several threads.
    runtime_of(config.registry).shared(HearerClient)
    config.scan("skywatch.reception.figures.views")
