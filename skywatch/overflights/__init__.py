"""Who flies low over a place: flights over a geofence by hour, day and type, and reports about them on a schedule.

``tiles`` and ``indexing`` keep low tracks by place, ``area`` and ``passes`` find who was within an area, ``service``
counts them, ``reports`` and ``editions`` are what users are sent of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    for module in ("views", "report_views"):
        config.scan(f"skywatch.overflights.{module}")
