"""Emergencies that a crew declares: squawks 7500, 7600, 7700 and the emergency state of ADS-B.

Codes: ICAO Doc 8168 volume III, section 3; emergency states: DO-260B 2.2.3.2.7.8.1.1.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from skywatch.picture.state.doubt import EMERGENCY, SQUAWK, words_of
from skywatch.safety.detection.finding import Finding, Quantity, Severity, doubted, worse
from skywatch.safety.detection.frame import Array, Frame
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import Sentence, sentence

SQUAWKS: dict[str, tuple[Sentence, Severity]] = {
    "7500": (sentence("emergency.unlawful_interference", "unlawful interference"), "critical"),
    "7600": (sentence("emergency.radio_failure", "radio failure"), "warning"),
    "7700": (sentence("emergency.general_emergency", "general emergency"), "critical"),
}
STATES: dict[str, tuple[Sentence, Severity]] = {
    "general": (sentence("emergency.general_emergency", "general emergency"), "critical"),
    "unlawful": (sentence("emergency.unlawful_interference", "unlawful interference"), "critical"),
    "downed": (sentence("emergency.downed_aircraft", "downed aircraft"), "critical"),
    "nordo": (sentence("emergency.radio_failure", "radio failure"), "warning"),
    "minfuel": (sentence("emergency.minimum_fuel", "minimum fuel"), "info"),
    "lifeguard": (sentence("emergency.medical_flight", "medical flight"), "info"),
    "unknown": (sentence("emergency.emergency_of_unknown_kind", "emergency of unknown kind"), "warning"),
}
UNLAWFUL = "unlawful interference"
MESSAGES = 2


# What was received is remembered for this time (s) longer than a code has to be sent.
MARGIN_S = 5.0


@dataclass
class _Declared:
    """What one aircraft declares, and what was received of it since: the time, and whether it was that."""

    what: str
    heard_at: float
    last_at: float
    heard: list[tuple[float, bool]] = field(default_factory=list)
    is_raised: bool = False

    def note(self, at: float, now: float, is_declared: bool, longest_s: float) -> None:
        """Add what was received at a time, if that is new; ``longest_s`` is how long a code may have to be sent."""
        if at > self.heard_at:
            self.heard_at = at
            self.heard = [entry for entry in self.heard if now - entry[0] <= longest_s + MARGIN_S] + [
                (now, is_declared)
            ]

    def is_sent(self, now: float, hold_s: float, share: float) -> bool:
        """Whether it was sent without a break for the hold time, or was most of what was received in it."""
        window = [is_declared for at, is_declared in self.heard if now - at <= hold_s]
        began = next((at for at, is_declared in self.heard if is_declared), now)
        return now - began >= hold_s and sum(window) >= MESSAGES and sum(window) >= share * len(window)


class EmergencyDetector:
    """Aircraft that have declared an emergency for long enough.

    ``in_doubt``: those of which somebody says so whom nobody confirms, instead of the others.
    """

    def __init__(self, *, in_doubt: bool = False) -> None:
        self._in_doubt = in_doubt
        self._declared: dict[str, _Declared] = {}
        # When an aircraft broke off a declaration that was not raised.
        self._breaks: dict[str, list[float]] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        return bool(self._declared or self._breaks)

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """What is declared now, and until ``emergency_end_s`` after it was."""
        findings: list[Finding] = []
        declaring: Array = np.zeros(len(frame), "?")
        for row in np.flatnonzero(frame.column("emergency")).tolist():
            squawk, word = self._declaration(frame, row)
            declaring[row] = squawk in SQUAWKS or word in STATES
            finding = self._judge(frame, row, squawk, word, thresholds) if declaring[row] else None
            if finding is not None:
                findings.append(finding)
        for address, state in list(self._declared.items()):
            index = frame.sky.index.get(address)
            if index is not None and not declaring[index]:
                self._note_break(frame, index, state, thresholds)
            silent_s = frame.now - state.last_at
            if silent_s > (thresholds.emergency_end_s if state.is_raised else thresholds.emergency_forget_s):
                del self._declared[address]
        self._forget_breaks(frame.now - thresholds.emergency_break_s)
        return findings

    def _note_break(self, frame: Frame, row: int, state: _Declared, thresholds: Thresholds) -> None:
        """Something else was received of an aircraft that has declared an emergency."""
        if state.heard and state.heard[-1][1] and not state.is_raised:
            self._breaks.setdefault(frame.hexes[row], []).append(frame.now)
        # Of a squawk that is withheld there is no time (NaN).
        at = float(np.fmax(frame.column("squawk_at")[row], state.heard_at + 1e-3))
        state.note(at, frame.now, False, _longest_s(thresholds))

    def _forget_breaks(self, before: float) -> None:
        self._breaks = {
            address: recent for address, times in self._breaks.items() if (recent := [t for t in times if t >= before])
        }

    def _hold_s(self, address: str, label: str, thresholds: Thresholds) -> float:
        hold_s = thresholds.unlawful_hold_s if label == UNLAWFUL else thresholds.emergency_hold_s
        # The power is bounded: a code that flickers for long enough makes it as large as numbers are.
        breaks = min(len(self._breaks.get(address, ())), 100)
        return min(hold_s * thresholds.emergency_break_factor**breaks, max(thresholds.emergency_most_s, hold_s))

    def _declaration(self, frame: Frame, row: int) -> tuple[str, str]:
        """The squawk and the emergency state of an aircraft, empty where they are not this detector's."""
        squawk = bytes(frame.column("squawk")[row]).decode()
        return (
            squawk if frame.in_doubt(row, SQUAWK) is self._in_doubt else "",
            _state(frame, row) if frame.in_doubt(row, EMERGENCY) is self._in_doubt else "",
        )

    def _judge(self, frame: Frame, row: int, squawk: str, state: str, thresholds: Thresholds) -> Finding | None:
        address = frame.hexes[row]
        declarations = [text for text in (SQUAWKS.get(squawk), STATES.get(state)) if text is not None]
        label, severity = declarations[0]
        for _, other in declarations[1:]:
            severity = worse(severity, other)
        heard_at = float(frame.column("squawk_at" if squawk in SQUAWKS else "emergency_at")[row])
        if not heard_at > 0:
            heard_at = float(frame.column("seen_at")[row])  # The picture of an older release does not say.
        declared = self._declared.get(address)
        if declared is None or declared.what != label:
            declared = self._declared[address] = _Declared(label, -np.inf, frame.now)
        declared.note(heard_at, frame.now, True, _longest_s(thresholds))
        declared.last_at = frame.now
        hold_s = self._hold_s(address, label, thresholds)
        declared.is_raised = declared.is_raised or declared.is_sent(frame.now, hold_s, thresholds.emergency_share)
        if not declared.is_raised:
            return None
        if label == UNLAWFUL and bool(frame.column("on_ground")[row]):
            return None
        numbers = {"squawk": Quantity(squawk)} if squawk in SQUAWKS else {}
        if state in STATES:
            numbers["emergency"] = Quantity(state)
        name = frame.name(row)
        message = (
            sentence("safety.emergency_code", "{name} declares {squawk} {label}", name=name, squawk=squawk, label=label)
            if squawk in SQUAWKS
            else sentence("safety.emergency", "{name} declares {label}", name=name, label=label)
        )
        finding = Finding(
            type="emergency_squawk",
            key=f"{address}:{label}",
            severity=severity,
            message=message,
            hexes=(address,),
            callsigns=(frame.callsign(row),),
            numbers=numbers,
            position=frame.position(row),
            military=frame.is_military(row),
        )
        return doubted(finding, words_of(frame.sky, row)) if self._in_doubt else finding


def _longest_s(thresholds: Thresholds) -> float:
    return max(thresholds.emergency_most_s, thresholds.emergency_hold_s, thresholds.unlawful_hold_s)


def _state(frame: Frame, row: int) -> str:
    """The emergency state that ADS-B sends; looked up only for aircraft whose column says that there is something."""
    aircraft = frame.sky.aircraft(frame.hexes[row], details=False) or {}
    state = aircraft.get("emergency")
    return state if isinstance(state, str) else ""
