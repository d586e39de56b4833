"""The data that tests read: the board of a tick, geofences, members decoded from JSON, and a message if any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from skywatch.alerts.engine.operands.board import Board
from skywatch.alerts.engine.operands.fences import FenceBoard
from skywatch.core.process.deadline import Checkpoint, paced
from skywatch.picture.state.doubt import ALARM_MEMBERS, ALONE

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

    @property
    def has_doubt(self) -> bool:
        """Whether anything is in doubt, or a crossing because of what was."""
        return self.board.has_doubt or self.fences.has_doubt

    def read(self, slots: Slots) -> None:
        """Decode the objects of these slots, with the airframe details; each once per tick.

        An alarm in doubt is left out, as it is of the board's columns.
        """
        sky = self.board.sky
        assert sky is not None
        rows = self.board.rows
        for slot in paced(slots.tolist(), self.checkpoint):
            if slot not in self.documents and rows[slot] >= 0:
                row = int(rows[slot])
                document = self.documents[slot] = _decode(sky.body(row, True))
                doubt = 0 if sky.doubt is None else int(sky.doubt[row])
                for member in [] if doubt & ALONE else [name for bit, name in ALARM_MEMBERS.items() if doubt & bit]:
                    document.pop(member, None)

    def document(self, slot: int) -> dict[str, Any]:
        """The JSON object of one slot."""
        if slot not in self.documents:
            self.read(np.array([slot]))
        return self.documents.get(slot, {})
