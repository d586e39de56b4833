"""Emergencies that a crew declares: squawks 7500, 7600, 7700 and the emergency state of ADS-B.

Codes: ICAO Doc 8168 volume III, section 3; emergency states: DO-260B 2.2.3.2.7.8.1.1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skywatch.safety.detection.finding import Finding, Quantity, Severity, worse
from skywatch.safety.detection.frame import Frame
from skywatch.safety.thresholds.table import Thresholds

SQUAWKS: dict[str, tuple[str, Severity]] = {
    "7500": ("unlawful interference", "critical"),
    "7600": ("radio failure", "warning"),
    "7700": ("general emergency", "critical"),
}
STATES: dict[str, tuple[str, Severity]] = {
    "general": ("general emergency", "critical"),
    "unlawful": ("unlawful interference", "critical"),
    "downed": ("downed aircraft", "critical"),
    "nordo": ("radio failure", "warning"),
    "minfuel": ("minimum fuel", "info"),
    "lifeguard": ("medical flight", "info"),
}
UNLAWFUL = "unlawful interference"
MESSAGES = 2


@dataclass
class _Declared:
    """What one aircraft declares: since when, in how many messages, last when."""

    what: str
    since: float
    messages: int
    heard_at: float
    last_at: float


class EmergencyDetector:
    """Aircraft that have declared an emergency for long enough."""

    def __init__(self) -> None:
        self._declared: dict[str, _Declared] = {}

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """What is declared now, and until ``emergency_end_s`` after it was."""
        findings: list[Finding] = []
        for row in np.flatnonzero(frame.column("emergency")).tolist():
            finding = self._judge(frame, row, thresholds)
            if finding is not None:
                findings.append(finding)
        forgotten = frame.now - thresholds.emergency_end_s
        self._declared = {address: d for address, d in self._declared.items() if d.last_at >= forgotten}
        return findings

    def _judge(self, frame: Frame, row: int, thresholds: Thresholds) -> Finding | None:
        address, squawk = frame.hexes[row], bytes(frame.column("squawk")[row]).decode()
        state = _state(frame, row)
        declarations = [text for text in (SQUAWKS.get(squawk), STATES.get(state)) if text is not None]
        if not declarations:
            return None
        label, severity = declarations[0]
        for _, other in declarations[1:]:
            severity = worse(severity, other)
        # A squawk has a time of its own; an emergency state is repeated with the aircraft's other messages.
        heard_at = float(frame.column("squawk_at" if squawk in SQUAWKS else "seen_at")[row])
        state_of_aircraft = self._declared.get(address)
        if state_of_aircraft is None or state_of_aircraft.what != label:
            self._declared[address] = _Declared(label, frame.now, 1, heard_at, frame.now)
            state_of_aircraft = self._declared[address]
        elif heard_at > state_of_aircraft.heard_at:
            state_of_aircraft.messages += 1
            state_of_aircraft.heard_at = heard_at
        state_of_aircraft.last_at = frame.now
        hold_s = thresholds.unlawful_hold_s if label == UNLAWFUL else thresholds.emergency_hold_s
        if frame.now - state_of_aircraft.since < hold_s or state_of_aircraft.messages < MESSAGES:
            return None
        if label == UNLAWFUL and bool(frame.column("on_ground")[row]):
            return None
        numbers = {"squawk": Quantity(squawk)} if squawk in SQUAWKS else {}
        if state in STATES:
            numbers["emergency"] = Quantity(state)
        code = f"{squawk} " if squawk in SQUAWKS else ""
        return Finding(
            type="emergency_squawk",
            key=f"{address}:{label}",
            severity=severity,
            message=f"{frame.name(row)} declares {code}{label}",
            hexes=(address,),
            callsigns=(frame.callsign(row),),
            numbers=numbers,
            position=frame.position(row),
            military=frame.is_military(row),
        )


def _state(frame: Frame, row: int) -> str:
    """The emergency state that ADS-B sends; looked up only for aircraft whose column says that there is something."""
    aircraft = frame.sky.aircraft(frame.hexes[row], details=False) or {}
    state = aircraft.get("emergency")
    return state if isinstance(state, str) else ""
