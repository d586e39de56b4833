"""Safety events: hazards and implausible data, detected in the picture at every tick.

``detection`` holds the rules (columns in, findings out; no database, no network), ``events`` their life cycle and
storage, ``places`` the floors and runways learnt from traffic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.safety.views")
