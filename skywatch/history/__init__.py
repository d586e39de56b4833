"""What flew, when and where: flights, their thinned tracks, queries over them, exports and retention.

``recorder`` takes every tick and writes, ``storage`` holds the points, ``flights`` and ``tracks`` read them back,
``moments``, ``analysis`` and ``exports`` are made of them, and ``imports`` brings in flights from elsewhere. Live
aircraft are the picture's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    from skywatch.core.runtime import runtime_of
    from skywatch.history.analysis.views import evaluation_limiter

    runtime_of(config.registry).shared(evaluation_limiter)
    for module in ("views", "moments.views", "analysis.views", "exports.views"):
        config.scan(f"skywatch.history.{module}")
