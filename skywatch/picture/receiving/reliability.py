"""The reliability of receivers: how often each was right lately, and its coverage."""

from __future__ import annotations

import dataclasses

from skywatch.core import geo
from skywatch.picture.positions.plausibility import Claim

# A receiver is often wrong when more than this share of its recent positions, and at least so many, were refused.
WRONG_SHARE, WRONG_COUNT = 0.2, 20.0


@dataclasses.dataclass
class RepeatedClaim:
    """The last of several positions in a row that contradict what is believed but not each other."""

    claim: Claim
    count: int = 1
    refused_at: float = 0.0  # the claim's time when it was last counted as refused
    erratic_at: float = float("-inf")  # when a position contradicted the receiver's own one before


@dataclasses.dataclass
class ReceiverReliability:
    """How often a receiver was right lately, and its coverage: centre and radius."""

    believed: float = 0.0
    refused: float = 0.0
    fields_right: float = 0.0
    fields_wrong: float = 0.0
    coverage: tuple[float, float, float] | None = None

    @property
    def often_wrong(self) -> bool:
        """Whether it has no vote of its own, in positions and all other fields."""
        return any(
            wrong >= WRONG_COUNT and wrong > WRONG_SHARE * (right + wrong)
            for right, wrong in ((self.believed, self.refused), (self.fields_right, self.fields_wrong))
        )

    def in_range(self, lat: float, lon: float) -> bool:
        """Whether a place is within the receiver's coverage; true while that is unknown."""
        if self.coverage is None:
            return True
        centre_lat, centre_lon, radius_nm = self.coverage
        return bool(geo.distance_nm(centre_lat, centre_lon, lat, lon) <= radius_nm)
