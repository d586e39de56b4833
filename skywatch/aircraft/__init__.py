"""Live aircraft over REST: the list and its filters, single aircraft and trails.

Everything is read from the ``Sky`` of the last tick; nothing here queries a database for live data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The resources of this feature; words of the address come before addresses of aircraft."""
    from skywatch.aircraft.airspaces import AirspaceStore
    from skywatch.core.runtime import runtime_of

    # Here, so that a file that is missing ends the start.
    runtime_of(config.registry).shared(AirspaceStore)
    # In this order, and by name within a module: ``/aircraft/nearest`` is no address of an aircraft.
    for module in ("summaries", "airframes", "live"):
        config.scan(f"skywatch.aircraft.views.{module}")
