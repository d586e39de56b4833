"""``PositionValidator``: takes the positions that cannot be right out of what the receivers offer, and counts them.

Nearly always everything agrees and a tick costs one comparison of columns; only aircraft about which there is a
contradiction are looked at one by one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.core import geo
from skywatch.core.arrays import Array
from skywatch.picture.positions.accepted import NO_TRUST, Offer, Positions
from skywatch.picture.positions.plausibility import (
    FORGOTTEN_AFTER_S,
    HIGHEST_FT,
    ReportedPosition,
    camps,
    horizon_nm,
    reach_nm,
    settle,
)
from skywatch.picture.positions.reliability import ReliabilityTracker
from skywatch.picture.positions.repeated import RepeatedPositions
from skywatch.picture.state.fields import MLAT_TRUST, OWN_TRUST
from skywatch.picture.state.sky import DisputedPosition, RefusedPosition
from skywatch.receivers.feeder_streams.voices import SEVERAL, UNKNOWN
from skywatch.receivers.reports.report import STALE_S

JUMP, DISPUTED, RANGE = "position_jump", "position_disputed", "position_range"
FIELDS = "contradicted"


class PositionValidator:
    """Judges the offers of one tick after the other; ``implausible`` counts refusals by receiver and reason.

    ``pace`` gives, for a receiver that plays a recording faster than life, how many times faster; ``station`` is where
    receivers stand (degrees), but for those that have a place of their own in ``places`` or
    ``feeder_places``.
    """

    def __init__(self, pace: dict[str, float], station: tuple[float, float] | None = None) -> None:
        self._reliability = ReliabilityTracker()
        self.implausible = self._reliability.implausible
        # What was refused at the last tick although nobody else contradicted it.
        self.refused: list[RefusedPosition] = []
        # What was refused at the last tick because another receiver contradicted it.
        self.disputed: list[DisputedPosition] = []
        # Aircraft of which several positions are offered and none is believed, at the last tick.
        self.undecided: set[str] = set()
        # Aircraft of which two strangers place one elsewhere than ours, at the last tick.
        self.contradicted_ours: set[str] = set()
        # Address and receiver of positions that others contradicted with success, and when it was last so.
        self.contradicted: dict[tuple[str, str], float] = {}
        self.station = station
        self.places: dict[str, tuple[float, float]] = {}
        self.feeder_places: dict[str, tuple[float, float]] = {}
        self.pace = pace
        self._repeated = RepeatedPositions()

    def begin(self, believed: Sequence[Positions], names: Sequence[str], now: float) -> None:
        """Begin a tick; ``believed`` are accepted positions, the last ones those that a receiver is best known by."""
        self.refused, self.disputed = [], []
        self.undecided, self.contradicted_ours = set(), set()
        self._reliability.learn(believed, names, now)

    def review(
        self,
        offers: list[Offer],
        names: Sequence[str],
        believed: Positions,
        hexes: list[str],
        now: float,
        held: Array | None = None,
    ) -> list[Offer]:
        """The offers, all of ours or all of strangers, without the refused positions.

        Where an accepted position is refuted, its row of ``believed`` is emptied. ``names`` are the receivers by index.
        In the rows of the mask ``held`` ours have decided: what contradicts them is refused.
        """
        offers = list(offers)
        disputed: set[int] = set()
        agreeing: list[Array] = []
        offered = np.zeros(len(hexes), "i4")
        for number, offer in enumerate(offers):
            agrees = self._agrees(offer, believed, names, now)
            # What was not believed while it was fresh is not believed now.
            outdated = np.flatnonzero(~agrees & (now - offer.at > STALE_S))
            if len(outdated):
                offers[number] = offer = _without(offer, outdated)
            agreeing.append(agrees)
            has = ~np.isnan(offer.lat)
            offered[offer.rows[has]] += 1
            disputed.update(offer.rows[has & ~agrees].tolist())
            timely = has & agrees & (now - offer.at <= 1.0)
            self._reliability[names[offer.receiver]].believed += int(np.count_nonzero(timely))
        fresh = np.isnan(believed.lat) | (now - believed.at > FORGOTTEN_AFTER_S)
        if held is not None:
            fresh &= ~held
        disputed.update(np.flatnonzero((offered > 1) & fresh).tolist())
        if not disputed:
            if self._repeated or self.contradicted:
                self._forget(now)
            return offers
        return self._settle(disputed, offers, agreeing, names, believed, hexes, now, held)

    def is_distrusted(self, receiver: str) -> bool:
        """Whether a receiver was wrong so often that it does not count against others."""
        return self._reliability.often_wrong(receiver)

    def refused_positions(self, receiver: str) -> int:
        """How many positions of a receiver were refused since the start."""
        counts: Mapping[str, int] = self.implausible.get(receiver, {})
        return sum(counts.get(reason, 0) for reason in (JUMP, DISPUTED, RANGE))

    @property
    def is_undecided(self) -> bool:
        """Whether time alone may decide about a position that was refused."""
        return bool(self._repeated or self.contradicted or self.undecided)

    def note_fields(self, receiver: str, right: int, wrong: int) -> None:
        """Count aircraft of which other receivers say the same or were believed instead, in anything but positions."""
        reliability = self._reliability[receiver]
        reliability.fields_right += right
        reliability.fields_wrong += wrong
        if wrong:
            self._reliability.refuse(receiver, FIELDS, wrong)

    def note_right(self, receiver: str, positions: int, fields: int) -> None:
        """Count aircraft of which a stranger says the same as ours, with so many positions."""
        reliability = self._reliability[receiver]
        reliability.believed += positions
        reliability.fields_right += fields

    def is_above_horizon(self, receiver: str, lat: Any, lon: Any, altitude: Any) -> bool:
        """Whether a receiver can hear an aircraft there at that altitude; true where any of it is unknown."""
        place = self.places.get(receiver) or self.feeder_places.get(receiver, self.station)
        if place is None or lat is UNSET or not isinstance(altitude, int | float):
            return True
        return geo.point_distance_nm(*place, lat, lon) <= horizon_nm(altitude)

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        self.contradicted = {key: at + step for key, at in self.contradicted.items()}
        self._repeated.shift(step)
        self._reliability.shift(step)

    def _agrees(self, offer: Offer, believed: Positions, names: Sequence[str], now: float) -> Array:
        rows = offer.rows
        before_lat, before_lon, before_at = believed.lat[rows], believed.lon[rows], believed.at[rows]
        mlat = (offer.trust == MLAT_TRUST) | (believed.trust[rows] == MLAT_TRUST)
        elapsed_s = (offer.at - before_at) * self.pace.get(names[offer.receiver], 1.0)
        with np.errstate(invalid="ignore"):
            reach = reach_nm(elapsed_s, offer.gs, offer.on_ground, mlat)
            near = geo.distance_nm(before_lat, before_lon, offer.lat, offer.lon) <= reach
        result: Array = near | np.isnan(before_lat) | (now - before_at > FORGOTTEN_AFTER_S)
        return result

    def _settle(
        self,
        disputed: set[int],
        offers: list[Offer],
        agreeing: list[Array],
        names: Sequence[str],
        believed: Positions,
        hexes: list[str],
        now: float,
        held: Array | None,
    ) -> list[Offer]:
        claims: dict[int, list[tuple[int, int, ReportedPosition]]] = {row: [] for row in sorted(disputed)}
        for number, (offer, agrees) in enumerate(zip(offers, agreeing, strict=True)):
            indices = np.flatnonzero(np.isin(offer.rows, list(disputed)) & ~np.isnan(offer.lat))
            for index in indices.tolist():
                if now - offer.at[index] > STALE_S:
                    continue
                row = int(offer.rows[index])
                has_belief = not np.isnan(believed.lat[row]) and now - believed.at[row] <= FORGOTTEN_AFTER_S
                claim = self._claim(offer, index, names[offer.receiver], has_belief and bool(agrees[index]))
                claims[row].append((number, index, self._repeated.note(hexes[row], claim, has_belief)))
        refused: list[list[int]] = [[] for _ in offers]
        for row, of_row in claims.items():
            has_belief = not np.isnan(believed.lat[row]) and now - believed.at[row] <= FORGOTTEN_AFTER_S
            if held is not None and held[row]:
                for number, index in self._against_ours(of_row, believed, row, names, hexes[row]):
                    refused[number].append(index)
                continue
            accepted, overthrown = settle([claim for _, _, claim in of_row], has_belief)
            believed_claim = next((claim for _, _, claim in of_row if claim.receiver in accepted), None)
            if of_row and not accepted and not has_belief:
                self.undecided.add(hexes[row])
            for number, index, claim in of_row:
                if claim.receiver not in accepted:
                    refused[number].append(index)
                    self._refuse(hexes[row], claim, len(of_row) > 1, decided=bool(accepted))
                    if accepted:
                        self.contradicted[hexes[row], claim.receiver] = now
                    if len(of_row) == 1:
                        self._note_refused(hexes[row], claim)
                    elif believed_claim is not None:
                        self.disputed.append(_disputed(hexes[row], claim, believed_claim))
                else:
                    self._repeated.drop(hexes[row], claim.receiver)
                    self.contradicted.pop((hexes[row], claim.receiver), None)
            if overthrown or not has_belief:
                believed.put(row, np.nan, np.nan, -np.inf, NO_TRUST, 0)
        self._forget(now)
        return [_without(offer, indices) for offer, indices in zip(offers, refused, strict=True)]

    def _against_ours(
        self,
        claims: list[tuple[int, int, ReportedPosition]],
        believed: Positions,
        row: int,
        names: Sequence[str],
        address: str,
    ) -> list[tuple[int, int]]:
        """Refuse, of the claims of strangers, those that contradict the position of ours: their offer and its index."""
        ours = ReportedPosition(
            names[believed.receiver[row]], float(believed.lat[row]), float(believed.lon[row]), float(believed.at[row]),
            int(believed.trust[row]), math.nan, False, bool(believed.trust[row] == MLAT_TRUST),
        )  # fmt: skip
        against = [(number, index, claim) for number, index, claim in claims if not claim.agrees]
        for _, _, claim in against:
            self._refuse(address, claim, contradicted=True, decided=True)
            self.contradicted[address, claim.receiver] = claim.at
            self.disputed.append(_disputed(address, claim, ours, in_doubt=True))
        for camp in camps([claim for _, _, claim in against]):
            voices = {claim.voice for claim in camp}
            if len({voice.speaker for voice in voices - {UNKNOWN}}) > 1 or SEVERAL in voices:
                self.contradicted_ours.add(address)
        return [(number, index) for number, index, _ in against]

    def _claim(self, offer: Offer, index: int, name: str, agrees: bool) -> ReportedPosition:
        lat, lon = float(offer.lat[index]), float(offer.lon[index])
        reliability = self._reliability[name]
        return ReportedPosition(
            name,
            lat,
            lon,
            float(offer.at[index]),
            int(offer.trust[index]),
            float(offer.gs[index]),
            bool(offer.on_ground[index]),
            bool(offer.trust[index] == MLAT_TRUST),
            agrees=agrees,
            credible=reliability.in_range(lat, lon) and not reliability.often_wrong,
            pace=self.pace.get(name, 1.0),
            in_reach=reliability.coverage is not None or self.is_above_horizon(name, lat, lon, HIGHEST_FT),
            voices=int(offer.voices[index]) if offer.voices is not None else None,
            voice=offer.voice,
        )

    def _refuse(self, address: str, claim: ReportedPosition, contradicted: bool, decided: bool) -> None:
        if not self._repeated.is_refused_again(address, claim):
            return  # The same position as at the last tick.
        reliability = self._reliability[claim.receiver]
        in_range = reliability.in_range(claim.lat, claim.lon)
        reason = JUMP if not contradicted else DISPUTED if in_range else RANGE
        self._reliability.refuse(claim.receiver, reason)
        if contradicted and decided:
            reliability.refused += 1

    def _note_refused(self, address: str, claim: ReportedPosition) -> None:
        count = self._repeated.count(address, claim)
        if count is not None and claim.credible:
            self.refused.append(RefusedPosition(address, claim.lat, claim.lon, claim.at, claim.receiver, count))

    def _forget(self, now: float) -> None:
        self._repeated.forget(now - FORGOTTEN_AFTER_S)
        old = now - STALE_S
        self.contradicted = {key: at for key, at in self.contradicted.items() if at > old}


def _disputed(
    address: str, claim: ReportedPosition, believed: ReportedPosition, *, in_doubt: bool = False
) -> DisputedPosition:
    return DisputedPosition(
        address,
        claim.lat,
        claim.lon,
        claim.at,
        claim.receiver,
        believed.lat,
        believed.lon,
        believed.receiver,
        is_mlat=claim.mlat or believed.mlat,
        is_own=any(each.trust in OWN_TRUST for each in (claim, believed))
        and all(each.mlat or each.trust in OWN_TRUST for each in (claim, believed)),
        is_credible=claim.credible,
        in_doubt=in_doubt,
    )


def _without(offer: Offer, indices: list[int] | Array) -> Offer:
    if not len(indices):
        return offer
    lat = offer.lat.copy()
    lat[indices] = np.nan
    return dataclasses.replace(offer, lat=lat)
