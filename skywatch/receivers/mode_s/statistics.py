"""Counters of the decoder since its creation."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np


@dataclass(slots=True)
class PositionCounts:
    """The results of position frames.

    ``airborne`` and ``surface`` are all there were. ``by_pair`` and ``alone`` were resolved, from an even and an odd
    frame or relative to the last position; ``unresolved`` had no partner and no fresh last position (``no_reference``
    of them are surface pairs that lack a station or last position to choose a quarter of the globe by);
    ``out_of_range`` and ``too_fast`` were not believed; ``empty`` hold no position.
    """

    airborne: int = 0
    surface: int = 0
    by_pair: int = 0
    alone: int = 0
    unresolved: int = 0
    no_reference: int = 0
    out_of_range: int = 0
    too_fast: int = 0
    empty: int = 0

    @property
    def resolved(self) -> int:
        """The number of decoded positions."""
        return self.by_pair + self.alone


@dataclass(slots=True)
class Statistics:
    """Counters of frames by their result; ``good`` by downlink format i8[32]."""

    frames: int = 0
    good: Any = field(default_factory=lambda: np.zeros(32, np.int64))
    bad_length: int = 0
    unsupported: int = 0
    bad_parity: int = 0
    unknown_address: int = 0
    no_aircraft: int = 0
    doubtful: int = 0
    positions: PositionCounts = field(default_factory=PositionCounts)

    def as_dict(self) -> dict[str, Any]:
        """All counters as plain numbers; ``good`` maps the downlink formats that were seen to their counts."""
        counters = asdict(self)
        counters["good"] = {df: int(count) for df, count in enumerate(self.good) if count}
        return counters
