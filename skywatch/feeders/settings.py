"""The settings of feeders."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class FeederSettings(Settings):
    """The settings of feeders."""

    feeders_address: str = setting(
        "",
        "the host name or address that feeders connect to, as the ready-made lines name it (without it the host of"
        " `base_url`)",
    )
