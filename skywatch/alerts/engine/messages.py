"""Messages of aircraft in the engine, and the environment of a message whose aircraft is not in the sky."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import msgspec
import numpy as np

from skywatch.airframes.military import is_military
from skywatch.alerts.engine.data.environment import Environment
from skywatch.alerts.engine.data.fences import Fence
from skywatch.alerts.engine.program import Program
from skywatch.picture.state.sky import COLUMNS, SOURCE_INDEX, Sky


@dataclass(frozen=True)
class AircraftMessage:
    """An event of an aircraft that rules are tested on: sender, texts and time (unix seconds).

    ``address`` is in lower case; ``texts`` are the normalised values by field.
    """

    address: str
    at: float
    texts: Mapping[str, str] = field(default_factory=dict)
    registration: str = ""
    callsign: str = ""
    military: bool = False


def environment_without(
    sky: Sky, message: AircraftMessage, program: Program, fences: Mapping[int, Fence]
) -> Environment:
    """An environment with one aircraft, of which only the content of the message is known."""
    environment = Environment()
    environment.board.follow_texts(program.texts)
    environment.board.update(sky_of_message(sky, message))
    environment.fences.use(fences, environment.board.capacity)
    environment.fences.update(environment.board)
    return environment


def sky_of_message(sky: Sky, message: AircraftMessage) -> Sky:
    """A sky with one aircraft without position, source and receiver."""
    columns = {}
    for name, dtype in COLUMNS.items():
        missing = np.nan if dtype.startswith("f") else -1 if dtype in ("i2", "i4") else 0
        columns[name] = np.full(1, b"" if dtype.startswith("S") else missing, dtype)
    military = message.military or is_military(message.address)
    columns["flight"][0] = message.callsign.encode("ascii", "replace")
    columns["registration"][0] = message.registration.encode("ascii", "replace")
    columns["military"][0] = military
    columns["source"][0] = SOURCE_INDEX["unknown"]
    columns["seen_at"][0] = columns["first_seen"][0] = message.at
    members = {"hex": message.address, "military": military}
    if message.callsign:
        members["flight"] = message.callsign
    details = msgspec.json.encode({"r": message.registration})[1:-1] if message.registration else b""
    return replace(
        sky,
        hexes=[message.address],
        columns=columns,
        encoded=[msgspec.json.encode(members)],
        details=[details],
        left=(),
        receivers=("",),
        scratch={},
    )
