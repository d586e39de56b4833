"""An ACARS message as rules see it, and the surroundings of one whose aircraft is not in the sky."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from skywatch.airframes.military import is_military_address
from skywatch.alerts.conditions.values import normalised
from skywatch.alerts.engine.environment import Environment
from skywatch.alerts.engine.fences import Fence
from skywatch.alerts.engine.program import Program
from skywatch.picture.sky import COLUMNS, SOURCE_INDEX, Sky


@dataclass(frozen=True)
class AircraftMessage:
    """Who sent what, when (unix seconds). ``address`` is lower case, empty where it is not known."""

    address: str
    at: float
    label: str = ""
    text: str = ""
    registration: str = ""
    callsign: str = ""
    military: bool = False

    @property
    def texts(self) -> dict[str, str]:
        """What the fields of a message are compared with."""
        return {"acars_text": normalised(self.text), "acars_label": normalised(self.label)}


def environment_without(
    sky: Sky, message: AircraftMessage, program: Program, fences: Mapping[int, Fence]
) -> Environment:
    """An environment of this one aircraft, of which nothing is known but what the message says."""
    environment = Environment()
    environment.board.want_texts(program.texts)
    environment.board.update(sky_of_message(sky, message))
    environment.fences.use(fences, environment.board.capacity)
    environment.fences.update(environment.board)
    return environment


def sky_of_message(sky: Sky, message: AircraftMessage) -> Sky:
    """A sky of one aircraft without a position, of which neither source nor receiver is known."""
    columns = {}
    for name, dtype in COLUMNS.items():
        missing = np.nan if dtype.startswith("f") else -1 if dtype in ("i2", "i4") else 0
        columns[name] = np.full(1, b"" if dtype.startswith("S") else missing, dtype)
    military = message.military or is_military_address(message.address)
    columns["flight"][0] = message.callsign.encode("ascii", "replace")
    columns["registration"][0] = message.registration.encode("ascii", "replace")
    columns["military"][0] = military
    columns["source"][0] = SOURCE_INDEX["unknown"]
    columns["seen_at"][0] = columns["first_seen"][0] = message.at
    shown = {"hex": message.address, "military": military}
    if message.callsign:
        shown["flight"] = message.callsign
    details = msgspec.json.encode({"r": message.registration})[1:-1] if message.registration else b""
    return replace(
        sky,
        hexes=[message.address],
        columns=columns,
        encoded=[msgspec.json.encode(shown)],
        details=[details],
        left=(),
        receivers=("",),
        scratch={},
    )
