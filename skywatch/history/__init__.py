"""What flew, when and where: flights, their thinned tracks, queries over them, exports and retention.

``monitor`` takes every tick and writes, ``archive`` reads tracks back, the rest asks and answers. Live aircraft are
the picture's, not ours.
"""

from __future__ import annotations

from pyramid.config import Configurator


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    config.scan("skywatch.history.views")
