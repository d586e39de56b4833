"""The settings of routes."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class RouteSettings(Settings):
    """The settings of routes."""

    routes_import_max_bytes: int = setting(
        64 * 1024 * 1024, "largest table of routes that may be uploaded (bytes)", minimum=1024, maximum=1_073_741_824
    )
