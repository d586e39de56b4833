"""What goes from the recorder to the writer in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.recording.thinning import Kept

Column = npt.NDArray[Any]


@dataclass
class Batch:
    """What one flush writes. ``rows`` are copies of the slots' columns; ``new`` and ``known`` index into them."""

    now: float
    points: Kept
    ends: Kept
    slots: Column
    rows: dict[str, Column]
    addresses: list[str]
    operators: list[str | None]
    new: Column = field(init=False)
    known: Column = field(init=False)

    def __post_init__(self) -> None:
        self.new = np.flatnonzero(self.rows["id"] == 0)
        self.known = np.flatnonzero(self.rows["id"] > 0)
