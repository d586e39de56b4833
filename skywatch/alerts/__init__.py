"""Alert rules over the live picture: conditions, geofences, watch lists, the engine that tests them, and history.

`conditions` parses rules, `geofences` and `watchlists` store what rules refer to, `engine` tests all rules at each
tick, `tracker` loads them for it and writes its decisions, `rules` and `history` are the REST resources of rules and
alerts.

Not here: channels and deliveries, which stand below the same address (`notify/views`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

# In the order in which routes are matched.
MODULES = (
    "history.views",
    "rules.views.transfer",
    "rules.views.trial",
    "rules.views.rules",
    "geofences.views",
    "watchlists.views",
)
LARGE = ("rules/import", "geofences/import", "watchlists")


def includeme(config: Configurator) -> None:
    """Set up the resources below ``/api/v1/alerts``."""
    from skywatch.alerts.conditions.fields import all_fields
    from skywatch.alerts.rules.trials.limits import dry_run_limiter
    from skywatch.alerts.settings import AlertSettings
    from skywatch.core.runtime import runtime_of

    all_fields()  # A wrong declaration of a feature ends the start.
    runtime = runtime_of(config.registry)
    runtime.shared(dry_run_limiter)
    for path in LARGE:
        config.add_body_limit(f"/api/v1/alerts/{path}", runtime.settings.of(AlertSettings).alerts_import_max_bytes)
    for module in MODULES:
        config.scan(f"skywatch.alerts.{module}")
    config.include("skywatch.notify.views")
