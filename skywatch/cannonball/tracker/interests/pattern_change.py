"""A change of a flight pattern, as the tracker writes it."""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.patterns.findings import Pattern


@dataclass(frozen=True, slots=True)
class PatternChange:
    """A pattern that was detected, updated or ended; ``key`` identifies it permanently."""

    key: str
    pattern: Pattern
    ended: bool
    callsign: str
    military: bool
    simulated: bool = False
