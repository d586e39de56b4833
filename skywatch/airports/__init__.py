"""Airports: where they are, their runways, and who lands at them and takes off.

``directory`` has the airports and runways of the world. It stands below the features, so that routes, records and
overflights read it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.airports.views")
