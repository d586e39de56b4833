"""The plausibility of positions: pure functions over single claims and over whole columns.

The idea is that of readsb's and dump1090's speed check: an aircraft cannot be farther from where it was than its
speed, with some room, has carried it. Where receivers contradict each other, those that agree outvote the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skywatch.core import geo
from skywatch.core.arrays import Array, percentile
from skywatch.receivers.feeder_streams.voices import OURS, Voice

# Room above the last known speed, and the least and greatest speeds reckoned with (kt); readsb's values, but for
# the speed of an aircraft that has not told any, which leaves room for fighters.
SPEED_FACTOR = 4 / 3
SLOWEST_KT, UNKNOWN_SPEED_KT = 200.0, 900.0
SLOWEST_GROUND_KT, FASTEST_GROUND_KT = 20.0, 150.0
# Errors that do not grow with time (nm): rounding and latency of the navigation, and the scatter of multilateration.
SCATTER_NM, GROUND_SCATTER_NM, MLAT_SCATTER_NM = 0.3, 0.2, 3.0
# Receivers' clocks and the ways to us differ by some seconds.
LATENCY_S = 5.0
# After so long without a position any place is as good as another.
FORGOTTEN_AFTER_S = 120.0
# A single receiver's own jump is believed when this many positions in a row agree with each other.
CONFIRMATIONS = 4
# A receiver's coverage is known from this many aircraft on; beyond 1.5 times where it hears 95 % is out of range.
COVERAGE_SAMPLE = 10
# The height of a good antenna above the ground around it, and of aircraft that do not tell theirs (ft).
ANTENNA_FT, HIGHEST_FT = 1_000.0, 45_000.0
HORIZON_ROOM, HORIZON_MARGIN_NM = 1.15, 15.0
COVERAGE_PERCENTILE, COVERAGE_FACTOR, COVERAGE_MARGIN_NM = 95.0, 1.5, 30.0


def reach_nm(elapsed_s: Any, speed_kt: Any, on_ground: Any, mlat: Any) -> Any:
    """How far (nm) an aircraft may have come; arrays broadcast, ``speed_kt`` is NaN where unknown.

    ``mlat`` is true where one of the two positions was computed from arrival times.
    """
    airborne = np.where(np.isnan(speed_kt), UNKNOWN_SPEED_KT, np.maximum(speed_kt * SPEED_FACTOR, SLOWEST_KT))
    taxiing = np.where(np.isnan(speed_kt), FASTEST_GROUND_KT, speed_kt * SPEED_FACTOR)
    taxiing = np.clip(taxiing, SLOWEST_GROUND_KT, FASTEST_GROUND_KT)
    speed = np.where(on_ground, taxiing, airborne)
    scatter = np.where(mlat, MLAT_SCATTER_NM, np.where(on_ground, GROUND_SCATTER_NM, SCATTER_NM))
    return scatter + speed * (np.abs(elapsed_s) + LATENCY_S) / 3600


def is_flown(distance_nm: Any, elapsed_s: Any) -> Any:
    """Whether an aircraft can have flown so far in a time; else one of the two places was wrong, whichever it was."""
    return distance_nm <= reach_nm(elapsed_s, math.nan, False, True)


def _reach_of_one_nm(elapsed_s: float, speed_kt: float, on_ground: bool, mlat: bool) -> float:
    """``reach_nm`` of a single aircraft: who lies about 15,000 made a tick take a second longer with NumPy."""
    if on_ground:
        speed = FASTEST_GROUND_KT if math.isnan(speed_kt) else speed_kt * SPEED_FACTOR
        speed = min(max(speed, SLOWEST_GROUND_KT), FASTEST_GROUND_KT)
    else:
        speed = UNKNOWN_SPEED_KT if math.isnan(speed_kt) else max(speed_kt * SPEED_FACTOR, SLOWEST_KT)
    scatter = MLAT_SCATTER_NM if mlat else GROUND_SCATTER_NM if on_ground else SCATTER_NM
    return scatter + speed * (abs(elapsed_s) + LATENCY_S) / 3600


def coverage(lat: Array, lon: Array) -> tuple[float, float, float] | None:
    """The coverage of a receiver, from its aircraft: centre (degrees) and radius (nm); None if they are too few."""
    if len(lat) < COVERAGE_SAMPLE:
        return None
    phi, lam = np.radians(lat), np.radians(lon)
    x, y, z = np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)
    centre_lat = float(np.degrees(np.arctan2(z.mean(), np.hypot(x.mean(), y.mean()))))
    centre_lon = float(np.degrees(np.arctan2(y.mean(), x.mean())))
    distances = geo.distance_nm(centre_lat, centre_lon, lat, lon)
    radius = COVERAGE_FACTOR * percentile(distances, COVERAGE_PERCENTILE) + COVERAGE_MARGIN_NM
    return centre_lat, centre_lon, radius


def horizon_nm(altitude_ft: float) -> float:
    """How far (nm) an antenna hears an aircraft at most: the radio horizon, with room for hills and refraction.

    1.23 nm for the square root of each height in feet (ITU-R P.528: an earth of 4/3 of its radius).
    """
    return HORIZON_ROOM * 1.23 * (math.sqrt(max(altitude_ft, 0.0)) + math.sqrt(ANTENNA_FT)) + HORIZON_MARGIN_NM


@dataclass(frozen=True)
class ReportedPosition:
    """Where one receiver says that an aircraft is.

    ``voices`` independent feeders say so (None: the receiver by itself); ``voice`` is whose it is.
    ``agrees`` with what is believed of it; ``credible``: within the receiver's range, and the receiver not one that
    is often wrong; ``confirmed``: so many positions in a row say so; ``in_reach``: where the station can hear it.
    """

    receiver: str
    lat: float
    lon: float
    at: float
    trust: int
    speed_kt: float
    on_ground: bool
    mlat: bool
    agrees: bool = False
    credible: bool = True
    confirmed: bool = False
    pace: float = 1.0
    in_reach: bool = True
    voices: int | None = None
    voice: Voice = OURS

    def near(self, other: ReportedPosition) -> bool:
        """Whether one aircraft can have been at both places."""
        elapsed_s = (self.at - other.at) * max(self.pace, other.pace)
        on_ground, mlat = self.on_ground and other.on_ground, self.mlat or other.mlat
        reach = _reach_of_one_nm(elapsed_s, self.speed_kt, on_ground, mlat)
        return geo.point_distance_nm(self.lat, self.lon, other.lat, other.lon) <= reach


def settle(claims: Sequence[ReportedPosition], believed: bool) -> tuple[set[str], bool]:
    """The receivers whose claims are accepted, and whether the position accepted before (``believed``) is replaced.

    Where nothing was believed and nothing speaks for one claim more than for another, nobody is believed. The outcome
    does not depend on the order of the claims.
    """
    ordered = sorted(claims, key=lambda claim: (claim.trust, -claim.at, claim.receiver))
    incumbents = [claim for claim in ordered if claim.agrees]
    parties = camps([claim for claim in ordered if not claim.agrees])
    if not parties:
        return {claim.receiver for claim in incumbents}, False
    # Sorting is stable: among camps of equal weight the most trusted, then the latest claim decides.
    rivals, *others = sorted(parties, key=_weight, reverse=True)
    if not believed:
        if others and (_weight(others[0]), others[0][0].trust) == (_weight(rivals), rivals[0].trust):
            return set(), False
        return {claim.receiver for claim in rivals}, False
    if incumbents:
        overthrown = _weight(rivals)[0] > _weight(incumbents)[0]
    else:
        # Nobody repeats what was believed: two receivers that agree are enough, one has to insist.
        overthrown = count_voices(rivals) > 1 or rivals[0].confirmed
    if overthrown:
        return {claim.receiver for claim in rivals}, True
    return {claim.receiver for claim in incumbents}, False


def camps(claims: Sequence[ReportedPosition]) -> list[list[ReportedPosition]]:
    """Claims by where they place the aircraft: those that do not contradict each other together."""
    parties: list[list[ReportedPosition]] = []
    for claim in claims:
        for party in parties:
            if party[0].near(claim):
                party.append(claim)
                break
        else:
            parties.append([claim])
    return parties


def _weight(camp: Sequence[ReportedPosition]) -> tuple[int, int, int]:
    return (
        count_voices([claim for claim in camp if claim.credible]),
        count_voices(camp),
        count_voices([claim for claim in camp if claim.in_reach]),
    )


def count_voices(camp: Sequence[ReportedPosition]) -> int:
    """Count the voices that say so: the feeders of one owner, or in one network, are one.

    What several agree on is no further voice beside theirs.
    """
    # Each of ours is a voice of its own.
    alone = [
        Voice(claim.receiver, claim.receiver) if claim.voice.is_ours else claim.voice
        for claim in camp
        if claim.voices is None
    ]
    speakers, networks = {voice.speaker for voice in alone}, {voice.network for voice in alone}
    agreed = max((claim.voices for claim in camp if claim.voices is not None), default=0)
    return max(min(len(speakers), len(networks)), agreed)
