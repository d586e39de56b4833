"""Law-enforcement aircraft near a user: identification, sessions and alerts.

`known` is the list of known aircraft, `identification` has the rules that recognise others, and `tracker` tests the
picture around each user.

Not here: flight patterns, which are detected by `patterns`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.cannonball.settings import CannonballSettings

if TYPE_CHECKING:
    from pyramid.config import Configurator

IMPORT_PATH = "/api/v1/cannonball/known-aircraft/import"


def includeme(config: Configurator) -> None:
    """Set up the resources below ``/api/v1/cannonball``."""
    from skywatch.cannonball.known.views.entries import search_limiter
    from skywatch.core.runtime import runtime_of

    runtime = runtime_of(config.registry)
    runtime.shared(search_limiter)
    settings = runtime.settings.of(CannonballSettings)
    config.add_body_limit(IMPORT_PATH, settings.cannonball_import_max_bytes)
    for module in ("known.views.entries", "known.views.imports", "sessions.views"):
        config.scan(f"skywatch.cannonball.{module}")
