"""Resolution advisories of collision avoidance systems: the manoeuvre commanded to the crew, and the threat aircraft.

ICAO Annex 10 volume IV, 4.3.8.4.2.2 (layout), 4.3.8.4.2.2.1.1 (an advisory that has ended is sent for 18 s more with
the terminated bit); DO-260B 2.2.3.2.7.8.2: the squitter exists from version 2 on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from skywatch.safety.detection.finding import Finding, Quantity
from skywatch.safety.detection.frame import Frame
from skywatch.safety.thresholds.thresholds import Thresholds
from skywatch.sentences import sentence

FRAMES = 2
# An advisory is found in the ticks after a frame; the time without frames until its end begins then (s).
FRESH_S = 2.0
VERSION = 2


@dataclass
class _Advised:
    """The advisory of one aircraft: the times of its frames, and the content of the last one."""

    times: list[float] = field(default_factory=list)
    frames: int = 0
    raised: bool = False
    ended: bool = False
    # Of before a restart; the aircraft may be received only later.
    is_restored: bool = False


class AdvisoryDetector:
    """Aircraft with a resolution advisory that two frames confirm."""

    def __init__(self) -> None:
        self._advised: dict[str, _Advised] = {}

    def restore(self, findings: Iterable[Finding], now: float) -> None:
        """Restore the advisories among the events of before a restart, so that the terminated bit ends them."""
        for finding in findings:
            if finding.type == "acas_ra":
                self._advised[finding.key] = _Advised([now], raised=True, is_restored=True)

    @property
    def is_waiting(self) -> bool:
        """Whether time alone may change what is found."""
        return bool(self._advised)

    def active(self) -> frozenset[str]:
        """Addresses of the aircraft that have an advisory now."""
        return frozenset(address for address, a in self._advised.items() if a.raised and not a.ended)

    def update(self, frame: Frame, thresholds: Thresholds) -> list[Finding]:
        """Advisories that are in force, or that were terminated with this tick."""
        findings: list[Finding] = []
        rows = np.flatnonzero(frame.column("acas_ra"))
        present = set()
        for row in rows.tolist():
            present.add(frame.hexes[row])
            finding = self._judge(frame, row, thresholds)
            if finding is not None:
                findings.append(finding)
        for address, state in list(self._advised.items()):
            last_at = state.times[-1] if state.times else 0.0
            awaited = state.is_restored and not frame.sky.is_complete
            if address not in present and frame.now - last_at > thresholds.advisory_end_s and not awaited:
                del self._advised[address]
        return findings

    def _judge(self, frame: Frame, row: int, thresholds: Thresholds) -> Finding | None:
        address = frame.hexes[row]
        aircraft = frame.sky.aircraft(address, details=False) or {}
        advisory = aircraft.get("acas_ra")
        if not isinstance(advisory, dict) or int(aircraft.get("version", 0) or 0) < VERSION:
            return None
        if bool(frame.column("on_ground")[row]):
            return None
        state = self._advised.setdefault(address, _Advised())
        self._count(frame, row, state, advisory, thresholds)
        is_terminated = str(advisory.get("RAT", "0")) == "1"
        if is_terminated:
            return self._end(frame, row, state, advisory)
        state.ended = False
        silent_s = frame.now - state.times[-1]
        # After this silence the next advisory is a new one, which two frames must confirm.
        state.raised = len(state.times) >= FRAMES or (state.raised and silent_s <= thresholds.advisory_end_s)
        # The event tracker ends the event after the silence.
        return _finding(frame, row, advisory, over=False) if state.raised and silent_s <= FRESH_S else None

    def _count(self, frame: Frame, row: int, state: _Advised, advisory: dict[str, Any], thresholds: Thresholds) -> None:
        """Add the frames of this tick. readsb's snapshots have the time of the last frame; raw inputs count frames."""
        stamp = advisory.get("unix_timestamp")
        at = float(stamp) if isinstance(stamp, int | float) else float(frame.column("acas_ra_at")[row])
        total = int(frame.column("acas_ra_frames")[row])
        fresh = total - state.frames if total >= state.frames else total
        state.frames = total
        if not total and (not state.times or at > state.times[-1]):
            fresh = 1
        times = [t for t in state.times if at - t <= thresholds.advisory_window_s] + [at] * min(fresh, FRAMES)
        state.times = times or state.times[-1:]

    def _end(self, frame: Frame, row: int, state: _Advised, advisory: dict[str, Any]) -> Finding | None:
        """A frame with the terminated bit never raises an advisory; it ends one that was raised."""
        if not state.raised or state.ended:
            return None
        state.ended, state.raised = True, False
        return _finding(frame, row, advisory, over=True)


def _finding(frame: Frame, row: int, advisory: dict[str, Any], over: bool) -> Finding:
    address = frame.hexes[row]
    threat = str(advisory.get("threat_id_hex", "") or "").lower()
    other = frame.sky.index.get(threat)
    hexes: tuple[str, ...] = (address,)
    callsigns: tuple[str, ...] = (frame.callsign(row),)
    if other is not None and threat != address:
        hexes, callsigns = (address, threat), (frame.callsign(row), frame.callsign(other))
    words = str(advisory.get("advisory", "") or "resolution advisory")
    numbers = {"advisory": Quantity(words)}
    complement = str(advisory.get("advisory_complement", "") or "")
    if complement:
        numbers["complement"] = Quantity(complement)
    if threat:
        numbers["threat"] = Quantity(threat.upper())
    rows = (row,) if len(hexes) == 1 or other is None else (row, other)
    name = frame.name(row)
    message = (
        sentence(
            "safety.advisory_against",
            "{name} was commanded: {advisory} because of {other}",
            name=name,
            advisory=words,
            other=frame.name(other),
        )
        if other is not None and len(hexes) == 2
        else sentence("safety.advisory", "{name} was commanded: {advisory}", name=name, advisory=words)
    )
    return Finding(
        type="acas_ra",
        key=address,
        severity="critical",
        message=message,
        hexes=hexes,
        callsigns=callsigns,
        numbers=numbers,
        position=frame.position(row),
        military=frame.is_military(*rows),
        over=over,
    )
