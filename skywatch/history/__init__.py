"""What flew, when and where: flights, their thinned tracks, queries over them, exports and retention.

``recording`` takes every tick and writes, ``reading`` reads flights and tracks back, ``moments``, ``analysis`` and
``exports`` are made of them, and ``importing`` brings in flights from elsewhere. Live aircraft are the picture's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    for subject in ("reading", "moments", "analysis", "exports"):
        config.scan(f"skywatch.history.{subject}.views")
