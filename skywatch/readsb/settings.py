"""The settings of readsb's addresses."""

from __future__ import annotations

import dataclasses

from skywatch.settings import Settings, setting


@dataclasses.dataclass(frozen=True, kw_only=True)
class ReadsbSettings(Settings):
    """The settings of readsb's addresses."""

    readsb_history: bool = setting(
        True,
        "callers that may read live aircraft also get the recorded past under /data/ and /globe_history/: trails,"
        " tracks, replay, heatmap and range outline",
    )
