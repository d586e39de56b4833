"""Routes: where a flight comes from and where it goes to, by its callsign.

``table`` imports the routes of a file, ``learning`` learns those that callsigns fly here, ``candidates`` weighs both,
``plausibility`` refuses what an aircraft contradicts, and ``monitor`` judges the aircraft of the sky by it each minute.

Not here: the columns of the picture that hold what is shown (`picture/state/routes.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

IMPORT_PATH = "/api/v1/routes/import"


def includeme(config: Configurator) -> None:
    """The feature's resources."""
    from skywatch.core.runtime import runtime_of
    from skywatch.routes.settings import RouteSettings

    settings = runtime_of(config.registry).settings.of(RouteSettings)
    config.add_body_limit(IMPORT_PATH, settings.routes_import_max_bytes)
    # In the order in which they are matched: `status` could be a callsign.
    for module in ("table", "callsigns"):
        config.scan(f"skywatch.routes.views.{module}")
