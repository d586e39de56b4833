"""The data that tests read: the board of a tick, geofences, members decoded from JSON, and a message if any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.alerts.engine.data.board import Board
from skywatch.alerts.engine.data.fences import FenceBoard
from skywatch.core.process.deadline import Checkpoint, paced

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.intp]

_decode = msgspec.json.Decoder(dict[str, Any]).decode


@dataclass
class Environment:
    """``documents`` are the decoded JSON objects, by slot, of the aircraft for which columns do not suffice."""

    board: Board = field(default_factory=Board)
    fences: FenceBoard = field(default_factory=FenceBoard)
    documents: dict[int, dict[str, Any]] = field(default_factory=dict)
    message: Mapping[str, str] | None = None
    checkpoint: Checkpoint | None = None
    """Called again and again in long work; what it raises ends the work. The tracker has none."""

    @property
    def is_complete(self) -> bool:
        """Whether the picture of this tick is complete: what it does not show is not there."""
        assert self.board.sky is not None
        return self.board.sky.is_complete

    def read(self, slots: Slots) -> None:
        """Decode the objects of these slots, with the airframe details; each once per tick."""
        sky = self.board.sky
        assert sky is not None
        rows = self.board.rows
        for slot in paced(slots.tolist(), self.checkpoint):
            if slot not in self.documents and rows[slot] >= 0:
                self.documents[slot] = _decode(sky.body(int(rows[slot]), True))

    def document(self, slot: int) -> dict[str, Any]:
        """The JSON object of one slot."""
        if slot not in self.documents:
            self.read(np.array([slot]))
        return self.documents.get(slot, {})
