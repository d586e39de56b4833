"""What goes from the recorder to the writer in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.history.recording.thinning import ThinnedPoints

Column = npt.NDArray[Any]


@dataclass
class Batch:
    """What one flush writes. ``rows`` are copies of the slots' columns; ``new`` and ``existing`` index into them."""

    now: float
    points: ThinnedPoints
    ends: ThinnedPoints
    slots: Column
    rows: dict[str, Column]
    addresses: list[str]
    operators: list[str | None]
    new: Column = field(init=False)
    existing: Column = field(init=False)

    def __post_init__(self) -> None:
        self.new = np.flatnonzero(self.rows["id"] == 0)
        self.existing = np.flatnonzero(self.rows["id"] > 0)
