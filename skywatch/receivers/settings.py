"""The settings of receivers."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReceiverSettings(Settings):
    """The settings of receivers."""

    receivers: dict[str, str] = setting(
        {}, "a receiver: kind and address, for example `beast localhost:30005`", name="receiver.*"
    )
