"""Law-enforcement aircraft near a user: who they are, how they fly, and when to say so.

`known` keeps the list of known aircraft, `identification` the rules by which others are recognised, `patterns`
finds flight patterns, and `tracking` watches the picture around each user.
"""

from __future__ import annotations

from collections.abc import Callable

from pyramid.config import Configurator

from skywatch.cannonball.known.index import KnownIndex

IMPORT_PATH = "/api/v1/cannonball/known-aircraft/import"


def includeme(config: Configurator) -> None:
    """Set up the resources below ``/api/v1/cannonball``."""
    index = config.registry["cannonball_known_index"] = KnownIndex(config.registry["runtime"].sessions)
    # Reading 300,000 known aircraft takes seconds, which nobody should have to wait for.
    preparations: list[Callable[[], object]] = config.registry.setdefault("preparations", [])
    preparations.append(index.prepare)
    limits: dict[str, int] = config.registry.setdefault("body_limits", {})
    limits[IMPORT_PATH] = config.registry["runtime"].settings.cannonball_import_max_bytes
    for module in ("known.views", "known.import_views", "views"):
        config.scan(f"skywatch.cannonball.{module}")
