"""The accepted position of every aircraft, chosen at each tick among the positions of all receivers.

Everything is columns: row *i* is the aircraft of row *i* of the tick.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.state.fields import AGREED_S, CONTESTED_S
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.reports.report import STALE_S

NO_TRUST = 255


@dataclass(frozen=True)
class Offer:
    """The positions that one receiver offers: rows of the tick and, for each, position, time (unix s) and trust.

    ``lat`` is NaN where there is none; ground speed (kt, NaN where unknown) and ``on_ground`` tell how far the
    aircraft can have come. ``voice`` is the receiver's. Of a receiver that stands for several feeders,
    ``agreed`` says of each position whether they agree on it, and ``voices`` how many have.
    """

    receiver: int
    rows: Array
    lat: Array
    lon: Array
    at: Array
    trust: Array
    gs: Array
    on_ground: Array
    agreed: Array | None = None
    voice: Voice = OURS
    voices: Array | None = None


@dataclass
class Positions:
    """Columns of positions; ``lat`` is NaN and ``trust`` NO_TRUST where there is none."""

    lat: Array
    lon: Array
    at: Array
    trust: Array
    receiver: Array

    @classmethod
    def none(cls, count: int) -> Positions:
        """No position for so many aircraft."""
        return cls(
            np.full(count, np.nan),
            np.full(count, np.nan),
            np.full(count, -np.inf),
            np.full(count, NO_TRUST, "u1"),
            np.zeros(count, "u2"),
        )

    def moved(self, previous_row: Array) -> Positions:
        """The same positions in the rows of a new tick; -1 in ``previous_row`` is an aircraft without one yet."""
        moved = Positions.none(len(previous_row))
        existing = np.flatnonzero(previous_row >= 0)
        moved.set(existing, self, previous_row[existing])
        return moved

    def copy(self) -> Positions:
        """The same positions, to be changed by themselves."""
        return Positions(*(getattr(self, each.name).copy() for each in fields(self)))

    def put(self, row: int, lat: float, lon: float, at: float, trust: int, receiver: int) -> None:
        """Set the position of one row."""
        self.lat[row], self.lon[row], self.at[row] = lat, lon, at
        self.trust[row], self.receiver[row] = trust, receiver

    def set(self, rows: Array, source: Positions, source_rows: Array) -> None:
        """Take over rows of other positions."""
        self.lat[rows] = source.lat[source_rows]
        self.lon[rows] = source.lon[source_rows]
        self.at[rows] = source.at[source_rows]
        self.trust[rows] = source.trust[source_rows]
        self.receiver[rows] = source.receiver[source_rows]


def choose(offers: list[Offer], count: int, now: float, contested: Array | None = None) -> Positions:
    """The best offer for each of ``count`` rows: fresh before stale, then the most trusted, then the latest.

    What independent feeders agree on comes first while it is new: among those trusted alike, and before whatever one
    stranger says, where ``contested`` (see ``presence``) until they agree again. Equal standing is decided by the
    order of ``offers``.
    """
    best = Positions.none(count)
    best_trust = np.full(count, 2 * NO_TRUST, "i2")
    agreed = _agreed(offers, count, now, contested)
    for offer in offers:
        if offer.voice.is_alone and agreed[offer.rows].any():
            offer = replace(offer, lat=np.where(agreed[offer.rows], np.nan, offer.lat))
        rows = offer.rows
        # All stale positions stand alike, behind every fresh one.
        trust = 2 * np.where(now - offer.at > STALE_S, NO_TRUST - 1, offer.trust.astype("i2"))
        if offer.agreed is not None:
            trust -= offer.agreed & (now - offer.at <= AGREED_S)
        better = (trust < best_trust[rows]) | ((trust == best_trust[rows]) & (offer.at > best.at[rows]))
        better &= ~np.isnan(offer.lat)
        chosen = rows[better]
        best.lat[chosen] = offer.lat[better]
        best.lon[chosen] = offer.lon[better]
        best.at[chosen] = offer.at[better]
        best.trust[chosen] = offer.trust[better]
        best.receiver[chosen] = offer.receiver
        best_trust[chosen] = trust[better]
    return best


def _agreed(offers: list[Offer], count: int, now: float, contested: Array | None) -> Array:
    """?[count]: of which aircraft independent feeders agree on a position that no stranger alone replaces."""
    agreed = np.zeros(count, "?")
    valid_s = AGREED_S if contested is None else np.where(contested, CONTESTED_S, AGREED_S)
    for offer in offers:
        if offer.agreed is not None:
            age_s = np.full(count, np.inf)
            age_s[offer.rows] = np.where(offer.agreed & ~np.isnan(offer.lat), now - offer.at, np.inf)
            agreed |= age_s <= valid_s
    return agreed


def acceptable(believed: Positions, offered: Positions, now: float) -> Array:
    """Where an offered position may replace the accepted one: later, and trusted as much unless that is stale."""
    stale = now - believed.at > STALE_S
    better = (offered.trust < believed.trust) & (now - offered.at <= STALE_S)
    later = (offered.at > believed.at) & ((offered.trust <= believed.trust) | stale)
    return ~np.isnan(offered.lat) & (better | later)
