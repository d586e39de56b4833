"""``PositionValidator``: takes the positions that cannot be right out of what the receivers offer, and counts them.

Nearly always everything agrees and a tick costs one comparison of columns; only aircraft about which there is a
contradiction are looked at one by one.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import UNSET

from skywatch.core import geo
from skywatch.picture.positions.accepted import NO_TRUST, Array, Offer, Positions
from skywatch.picture.positions.plausibility import (
    CONFIRMATIONS,
    FORGOTTEN_AFTER_S,
    HIGHEST_FT,
    Claim,
    coverage,
    horizon_nm,
    reach_nm,
    settle,
)
from skywatch.picture.receiving.fields import MLAT_TRUST, OWN_TRUST, STALE_S
from skywatch.picture.receiving.reliability import ReceiverReliability, RepeatedClaim
from skywatch.picture.state.sky import DisputedPosition, RefusedPosition

# Recent: what was counted loses half its weight in so many ticks.
HALF_LIFE_TICKS = 120
COVERAGE_EVERY_TICKS = 10
# Where nothing is believed of an aircraft, a receiver whose positions jumped counts less for so long (s).
ERRATIC_S = 30.0

JUMP, DISPUTED, RANGE = "position_jump", "position_disputed", "position_range"
FIELDS = "contradicted"


class PositionValidator:
    """Judges the offers of one tick after the other; ``implausible`` counts refusals by receiver and reason.

    ``pace`` gives, for a receiver that plays a recording faster than life, how many times faster; ``station`` is where
    receivers stand whose coverage is not known yet (degrees).
    """

    def __init__(self, pace: Mapping[str, float], station: tuple[float, float] | None = None) -> None:
        self.implausible: dict[str, Counter[str]] = {}
        # What was refused at the last tick although nobody else contradicted it.
        self.refused: list[RefusedPosition] = []
        # What was refused at the last tick because another receiver contradicted it.
        self.disputed: list[DisputedPosition] = []
        # Aircraft of which several positions are offered and none is believed, at the last tick.
        self.undecided: set[str] = set()
        # Address and receiver of positions that others contradicted with success, and when it was last so.
        self.contradicted: dict[tuple[str, str], float] = {}
        self.station = station
        self._pace = pace
        self._reliability: dict[str, ReceiverReliability] = {}
        self._repeated: dict[tuple[str, str], RepeatedClaim] = {}
        self._ticks = 0

    def review(
        self, offers: list[Offer], names: Sequence[str], believed: Positions, hexes: list[str], now: float
    ) -> list[Offer]:
        """The offers without the positions that are not believed.

        Where a belief is overthrown, its row of ``believed`` is emptied. ``names`` are the receivers by index.
        """
        self.refused, self.disputed = [], []
        self.undecided = set()
        self._learn(believed, names)
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
            reliability = self._reliability.setdefault(names[offer.receiver], ReceiverReliability())
            reliability.believed += int(np.count_nonzero(has & agrees & (now - offer.at <= 1.0)))
        fresh = np.isnan(believed.lat) | (now - believed.at > FORGOTTEN_AFTER_S)
        disputed.update(np.flatnonzero((offered > 1) & fresh).tolist())
        if not disputed:
            if self._repeated or self.contradicted:
                self._forget(now)
            return offers
        return self._settle(disputed, offers, agreeing, names, believed, hexes, now)

    def is_distrusted(self, receiver: str) -> bool:
        """Whether a receiver was wrong so often that it does not count against others."""
        reliability = self._reliability.get(receiver)
        return reliability is not None and reliability.often_wrong

    def note_fields(self, receiver: str, right: int, wrong: int) -> None:
        """Count aircraft of which other receivers say the same or were believed instead, in anything but positions."""
        reliability = self._reliability.setdefault(receiver, ReceiverReliability())
        reliability.fields_right += right
        reliability.fields_wrong += wrong
        if wrong:
            self.implausible.setdefault(receiver, Counter())[FIELDS] += wrong

    def is_above_horizon(self, lat: Any, lon: Any, altitude: Any) -> bool:
        """Whether the station can hear an aircraft there at that altitude; true where any of it is unknown."""
        if self.station is None or lat is UNSET or not isinstance(altitude, int | float):
            return True
        return bool(geo.distance_nm(*self.station, lat, lon) <= horizon_nm(altitude))

    def shift(self, step: float) -> None:
        """Move all times by ``step`` seconds: the clock has been set."""
        self.contradicted = {key: at + step for key, at in self.contradicted.items()}
        for repeated in self._repeated.values():
            repeated.erratic_at += step
            repeated.claim = dataclasses.replace(repeated.claim, at=repeated.claim.at + step)
            repeated.refused_at += step

    def _agrees(self, offer: Offer, believed: Positions, names: Sequence[str], now: float) -> Array:
        rows = offer.rows
        before_lat, before_lon, before_at = believed.lat[rows], believed.lon[rows], believed.at[rows]
        mlat = (offer.trust == MLAT_TRUST) | (believed.trust[rows] == MLAT_TRUST)
        elapsed_s = (offer.at - before_at) * self._pace.get(names[offer.receiver], 1.0)
        with np.errstate(invalid="ignore"):
            reach = reach_nm(elapsed_s, offer.gs, offer.on_ground, mlat)
            near = geo.distance_nm(before_lat, before_lon, offer.lat, offer.lon) <= reach
        return near | np.isnan(before_lat) | (now - before_at > FORGOTTEN_AFTER_S)

    def _settle(
        self,
        disputed: set[int],
        offers: list[Offer],
        agreeing: list[Array],
        names: Sequence[str],
        believed: Positions,
        hexes: list[str],
        now: float,
    ) -> list[Offer]:
        claims: dict[int, list[tuple[int, int, Claim]]] = {row: [] for row in sorted(disputed)}
        for number, (offer, agrees) in enumerate(zip(offers, agreeing, strict=True)):
            places = np.flatnonzero(np.isin(offer.rows, list(disputed)) & ~np.isnan(offer.lat))
            for place in places.tolist():
                if now - offer.at[place] > STALE_S:
                    continue
                row = int(offer.rows[place])
                has_belief = not np.isnan(believed.lat[row]) and now - believed.at[row] <= FORGOTTEN_AFTER_S
                claim = self._claim(offer, place, names[offer.receiver], has_belief and bool(agrees[place]))
                claims[row].append((number, place, self._note_repeated(hexes[row], claim, has_belief)))
        refused: list[list[int]] = [[] for _ in offers]
        for row, of_row in claims.items():
            has_belief = not np.isnan(believed.lat[row]) and now - believed.at[row] <= FORGOTTEN_AFTER_S
            accepted, overthrown = settle([claim for _, _, claim in of_row], has_belief)
            believed_claim = next((claim for _, _, claim in of_row if claim.receiver in accepted), None)
            if of_row and not accepted and not has_belief:
                self.undecided.add(hexes[row])
            for number, place, claim in of_row:
                if claim.receiver not in accepted:
                    refused[number].append(place)
                    self._refuse(hexes[row], claim, len(of_row) > 1, decided=bool(accepted))
                    if accepted:
                        self.contradicted[hexes[row], claim.receiver] = now
                    if len(of_row) == 1:
                        self._note_refused(hexes[row], claim)
                    elif believed_claim is not None:
                        self.disputed.append(_disputed(hexes[row], claim, believed_claim))
                else:
                    self._repeated.pop((hexes[row], claim.receiver), None)
                    self.contradicted.pop((hexes[row], claim.receiver), None)
            if overthrown or not has_belief:
                believed.put(row, np.nan, np.nan, -np.inf, NO_TRUST, 0)
        self._forget(now)
        return [_without(offer, places) for offer, places in zip(offers, refused, strict=True)]

    def _claim(self, offer: Offer, place: int, name: str, agrees: bool) -> Claim:
        lat, lon = float(offer.lat[place]), float(offer.lon[place])
        reliability = self._reliability[name]
        return Claim(
            name,
            lat,
            lon,
            float(offer.at[place]),
            int(offer.trust[place]),
            float(offer.gs[place]),
            bool(offer.on_ground[place]),
            bool(offer.trust[place] == MLAT_TRUST),
            agrees=agrees,
            credible=reliability.in_range(lat, lon) and not reliability.often_wrong,
            pace=self._pace.get(name, 1.0),
            in_reach=reliability.coverage is not None or self.is_above_horizon(lat, lon, HIGHEST_FT),
        )

    def _note_repeated(self, address: str, claim: Claim, has_belief: bool) -> Claim:
        key = address, claim.receiver
        if claim.agrees:
            return claim
        before = self._repeated.get(key)
        if before is None:
            self._repeated[key] = RepeatedClaim(claim)
            return claim
        if not before.claim.near(claim):
            self._repeated[key] = RepeatedClaim(claim, refused_at=before.refused_at, erratic_at=claim.at)
            return claim if has_belief else dataclasses.replace(claim, credible=False)
        if not has_belief and claim.at - before.erratic_at <= ERRATIC_S:
            claim = dataclasses.replace(claim, credible=False)
        if claim.at > before.claim.at:
            before.claim = claim
            before.count += 1
        return dataclasses.replace(claim, confirmed=before.count >= CONFIRMATIONS)

    def _refuse(self, address: str, claim: Claim, contradicted: bool, decided: bool) -> None:
        repeated = self._repeated.get((address, claim.receiver))
        if repeated is not None:
            if repeated.refused_at >= claim.at:
                return  # The same position as at the last tick.
            repeated.refused_at = claim.at
        reliability = self._reliability[claim.receiver]
        in_range = reliability.in_range(claim.lat, claim.lon)
        reason = JUMP if not contradicted else DISPUTED if in_range else RANGE
        self.implausible.setdefault(claim.receiver, Counter())[reason] += 1
        if contradicted and decided:
            reliability.refused += 1

    def _note_refused(self, address: str, claim: Claim) -> None:
        repeated = self._repeated.get((address, claim.receiver))
        if repeated is not None and claim.credible:
            self.refused.append(
                RefusedPosition(address, claim.lat, claim.lon, claim.at, claim.receiver, repeated.count)
            )

    def _learn(self, believed: Positions, names: Sequence[str]) -> None:
        self._ticks += 1
        factor = 0.5 ** (1 / HALF_LIFE_TICKS)
        for reliability in self._reliability.values():
            reliability.believed *= factor
            reliability.refused *= factor
            reliability.fields_right *= factor
            reliability.fields_wrong *= factor
        if self._ticks % COVERAGE_EVERY_TICKS:
            return
        for index, name in enumerate(names):
            rows = np.flatnonzero((believed.receiver == index) & ~np.isnan(believed.lat))
            area = coverage(believed.lat[rows], believed.lon[rows])
            if area is not None:
                self._reliability.setdefault(name, ReceiverReliability()).coverage = area

    def _forget(self, now: float) -> None:
        old = now - FORGOTTEN_AFTER_S
        for key in [key for key, repeated in self._repeated.items() if repeated.claim.at < old]:
            del self._repeated[key]
        old = now - STALE_S
        self.contradicted = {key: at for key, at in self.contradicted.items() if at > old}


def _disputed(address: str, claim: Claim, believed: Claim) -> DisputedPosition:
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
    )


def _without(offer: Offer, places: list[int] | Array) -> Offer:
    if not len(places):
        return offer
    lat = offer.lat.copy()
    lat[places] = np.nan
    return dataclasses.replace(offer, lat=lat)
