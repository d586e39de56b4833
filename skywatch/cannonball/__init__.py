"""Law-enforcement aircraft near a user: identification, sessions and alerts.

`known` is the list of known aircraft, `identification` has the rules that recognise others, and `tracking` tests the
picture around each user. Flight patterns are detected by `skywatch.patterns`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from skywatch.cannonball.settings import CannonballSettings

if TYPE_CHECKING:
    from pyramid.config import Configurator

IMPORT_PATH = "/api/v1/cannonball/known-aircraft/import"


def includeme(config: Configurator) -> None:
    """Set up the resources below ``/api/v1/cannonball``."""
    from skywatch.cannonball.known.checks import KnownChecks
    from skywatch.cannonball.known.index import KnownIndex

    runtime = config.registry["runtime"]
    index = config.registry["cannonball_known_index"] = KnownIndex(runtime.sessions)
    checks = config.registry["cannonball_known_checks"] = KnownChecks(index, runtime.sessions, runtime.bus)
    runtime.at_close(checks.close)
    # Loading 300,000 known aircraft takes seconds; a request must not wait for it.
    warm_up_jobs: list[Callable[[], object]] = config.registry.setdefault("warm_up_jobs", [])
    warm_up_jobs.append(index.prepare)
    limits: dict[str, int] = config.registry.setdefault("body_limits", {})
    limits[IMPORT_PATH] = runtime.settings.of(CannonballSettings).cannonball_import_max_bytes
    for module in ("known.views.entries", "known.views.imports", "sessions.views"):
        config.scan(f"skywatch.cannonball.{module}")
