"""What places of simulated aircraft are: kinds of movement, and the path, altitude and times of one aircraft."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from skywatch.receivers.simulator.paths import Path, Profile


class Kind(IntEnum):
    """The kind of movement of an aircraft."""

    OVERFLIGHT = 0
    DEPARTURE = 1
    ARRIVAL = 2
    LIGHT = 3
    HELICOPTER = 4
    GROUND = 5


# Profiles by their index in ``Placement.profiles``; those that fly none keep speed and altitude.
LEVEL, DEPARTING, ARRIVING, SHUTTLE = -1, 0, 1, 2


@dataclass(frozen=True)
class SimulatedFlight:
    """Where an aircraft flies, from ``began_at`` (unix seconds) until ``ends_at``.

    Without a profile it flies ``speed_kt`` at ``altitude_ft``, up and down by ``swing_ft``. ``release`` is called
    when it has left.
    """

    kind: Kind
    path: Path
    began_at: float
    ends_at: float
    speed_kt: float = 0.0
    altitude_ft: float = 0.0
    swing_ft: float = 0.0
    profile: int = LEVEL
    release: Callable[[], None] = lambda: None


class Placement(Protocol):
    """Where new aircraft go."""

    radius_nm: float
    profiles: tuple[Profile, Profile, Profile]

    def place(self, kind: Kind, now: float, entering: bool) -> SimulatedFlight | None:
        """A place for an aircraft of a kind, or of another one where there is none; None where all is full.

        With ``entering`` it begins now, else it may be anywhere on its way.
        """
