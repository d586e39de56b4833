"""The settings of feeders."""

from __future__ import annotations

import dataclasses

from skywatch.feeders.records.lines import parse_feeders_address
from skywatch.settings import Settings, setting


def _address(text: str) -> str:
    parse_feeders_address(text)
    return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class FeederSettings(Settings):
    """The settings of feeders."""

    feeders_address: str = setting(
        "",
        "the host name or address that feeders connect to, as the ready-made lines name it (without it the host of"
        " `base_url`); with a port, `sky.example.org:30004`, where a proxy stands before the listeners",
        parse=_address,
    )
