"""The result of a detector: a condition that holds now, its aircraft and its numbers."""

from __future__ import annotations

from typing import Literal

import msgspec
import numpy as np

from skywatch.picture.state.sky import Sky
from skywatch.sentences import sentence

EventType = Literal[
    "emergency_squawk",
    "acas_ra",
    "proximity",
    "extreme_vertical_rate",
    "vertical_rate_reversal",
    "low_altitude",
    "position_integrity",
]
TYPES: tuple[EventType, ...] = (
    "emergency_squawk",
    "acas_ra",
    "proximity",
    "extreme_vertical_rate",
    "vertical_rate_reversal",
    "low_altitude",
    "position_integrity",
)
Severity = Literal["info", "warning", "critical"]
SEVERITIES: tuple[Severity, ...] = ("info", "warning", "critical")


class Quantity(msgspec.Struct, frozen=True):
    """A number with its unit; ``value`` may also be a text or a list of addresses."""

    value: float | int | str | list[str]
    unit: str = ""


class Position(msgspec.Struct, frozen=True):
    """A position: degrees, and feet if known."""

    lat: float
    lon: float
    altitude_ft: int | None = None


class Closest(msgspec.Struct, frozen=True):
    """The closest point of approach: unix seconds, distance, difference of altitude."""

    at: float
    distance_nm: float
    vertical_ft: int


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that holds at this tick.

    ``key`` identifies an occurrence within its type: the aircraft, the pair, the region. ``hexes`` are all
    aircraft in it (lower case), the first one the subject. ``suppressed_by`` are the reasons for which it is stored
    but not published. ``over``: the occurrence has just ended. ``in_doubt``: nobody vouches for what raised it, so that
    it is information, until somebody does. ``simulated``: one of the aircraft is.
    """

    type: EventType
    key: str
    severity: Severity
    message: str
    hexes: tuple[str, ...] = ()
    callsigns: tuple[str, ...] = ()
    numbers: dict[str, Quantity] = {}
    position: Position | None = None
    closest: Closest | None = None
    suppressed_by: tuple[str, ...] = ()
    military: bool = False
    simulated: bool = False
    over: bool = False
    in_doubt: bool = False


# What ``numbers.confidence`` of a finding in doubt is.
UNCONFIRMED = "unconfirmed"


def doubted(finding: Finding, words: str) -> Finding:
    """The finding as one in doubt, for a reason in words."""
    return msgspec.structs.replace(
        finding,
        severity="info",
        message=sentence("safety.doubted", "{message} ({words})", message=finding.message, words=words),
        numbers={**finding.numbers, "confidence": Quantity(UNCONFIRMED)},
        in_doubt=True,
    )


def marked_simulated(findings: list[Finding], sky: Sky) -> list[Finding]:
    """The findings, those with a simulated aircraft of this sky marked."""
    rows = np.flatnonzero(sky.column("simulated")).tolist()
    if not findings or not rows:
        return findings
    simulated = {sky.hexes[row] for row in rows}
    return [
        finding if simulated.isdisjoint(finding.hexes) else msgspec.structs.replace(finding, simulated=True)
        for finding in findings
    ]


def worse(severity: Severity, other: Severity) -> Severity:
    """The more serious of two severities."""
    return max(severity, other, key=SEVERITIES.index)
