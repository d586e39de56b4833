"""Positions that contradict the accepted ones, followed over the ticks: those that agree with each other confirm it."""

from __future__ import annotations

import dataclasses

from skywatch.picture.positions.plausibility import CONFIRMATIONS, ReportedPosition

# Where nothing is believed of an aircraft, a receiver whose positions jumped counts less for so long (s).
ERRATIC_S = 30.0


@dataclasses.dataclass
class RepeatedPosition:
    """The last of several positions in a row that contradict the accepted position but not each other."""

    claim: ReportedPosition
    count: int = 1
    refused_at: float = 0.0  # the claim's time when it was last counted as refused
    erratic_at: float = float("-inf")  # when a position contradicted the receiver's own one before


class RepeatedPositions:
    """Repeated claims by address and receiver; false while there is none."""

    def __init__(self) -> None:
        self._claims: dict[tuple[str, str], RepeatedPosition] = {}

    def __bool__(self) -> bool:
        return bool(self._claims)

    def note(self, address: str, claim: ReportedPosition, has_belief: bool) -> ReportedPosition:
        """Add a claim of this tick; return it with whether it is confirmed and credible."""
        key = address, claim.receiver
        if claim.agrees:
            return claim
        before = self._claims.get(key)
        if before is None:
            self._claims[key] = RepeatedPosition(claim)
            return claim
        if not before.claim.near(claim):
            self._claims[key] = RepeatedPosition(claim, refused_at=before.refused_at, erratic_at=claim.at)
            return claim if has_belief else dataclasses.replace(claim, credible=False)
        if not has_belief and claim.at - before.erratic_at <= ERRATIC_S:
            claim = dataclasses.replace(claim, credible=False)
        if claim.at > before.claim.at:
            before.claim = claim
            before.count += 1
        return dataclasses.replace(claim, confirmed=True) if before.count >= CONFIRMATIONS else claim

    def count(self, address: str, claim: ReportedPosition) -> int | None:
        """How often in a row a receiver claimed this; None if it did not contradict the accepted position."""
        repeated = self._claims.get((address, claim.receiver))
        return repeated.count if repeated is not None else None

    def is_refused_again(self, address: str, claim: ReportedPosition) -> bool:
        """Whether this position has not been counted as refused yet; from now on it has."""
        repeated = self._claims.get((address, claim.receiver))
        if repeated is not None:
            if repeated.refused_at >= claim.at:
                return False
            repeated.refused_at = claim.at
        return True

    def drop(self, address: str, receiver: str) -> None:
        """Forget the claims of a receiver whose position was accepted."""
        self._claims.pop((address, receiver), None)

    def forget(self, before: float) -> None:
        """Drop claims of positions older than ``before`` (unix s)."""
        for key in [key for key, repeated in self._claims.items() if repeated.claim.at < before]:
            del self._claims[key]

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        for repeated in self._claims.values():
            repeated.erratic_at += step
            repeated.claim = dataclasses.replace(repeated.claim, at=repeated.claim.at + step)
            repeated.refused_at += step
