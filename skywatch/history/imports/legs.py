"""Divides the positions of aircraft into flights, by the rules of the live recorder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from skywatch.history.imports.imported_points import MILITARY, NEW_LEG, ON_GROUND, TEXTS, Rows, is_mlat, text_of
from skywatch.history.recorder.recorder import MAX_FLIGHT_S, TURNAROUND_S
from skywatch.history.recorder.thinner import SAME_POSITION_S
from skywatch.history.storage.points import address_text
from skywatch.picture.positions.past_plausibility import implausible
from skywatch.picture.positions.validator import JUMP

EMERGENCIES = (b"7500", b"7600", b"7700")


@dataclass
class ImportedFlight:
    """One flight: its positions in order of time, and what is known of it."""

    address: str
    rows: Rows
    military: bool
    emergency: bool
    callsign: str | None
    squawk: str | None
    category: str | None
    registration: str | None
    aircraft_type: str | None
    operator: str | None = None

    @property
    def begin(self) -> float:
        """First position (unix seconds)."""
        return float(self.rows["at"][0])

    @property
    def end(self) -> float:
        """Last position (unix seconds)."""
        return float(self.rows["at"][-1])


def flights_of(rows: Rows, flight_gap_s: float, skipped: Counter[str]) -> Iterator[ImportedFlight]:
    """The flights of positions in any order. Of two of one aircraft at the same time the first one counts.

    What contradicts the positions around it is left out and counted, as in the live picture.
    """
    rows = rows[np.lexsort((rows["at"], rows["code"]))]
    if not len(rows):
        return
    is_other = np.append(True, rows["code"][1:] != rows["code"][:-1])
    waited = np.append(np.inf, np.diff(rows["at"]))
    is_kept = is_other | (waited >= SAME_POSITION_S)
    # A leg may begin with a position that is there twice.
    new_leg = (rows["flags"] & NEW_LEG) > 0
    rows, is_other, new_leg = rows[is_kept], is_other[is_kept], new_leg[is_kept]
    waited = np.append(np.inf, np.diff(rows["at"]))
    begins = np.flatnonzero(is_other | new_leg | (waited > flight_gap_s))
    for begin, end in zip(begins.tolist(), [*begins[1:].tolist(), len(rows)], strict=True):
        leg = _plausible(rows[begin:end], skipped)
        cuts = [0, *_cuts(leg), len(leg)]
        for first, last in pairwise(cuts):
            yield _flight(leg[first:last])


def _plausible(leg: Rows, skipped: Counter[str]) -> Rows:
    on_ground = (leg["flags"] & ON_GROUND) > 0
    gs = leg["gs"].astype("f8")
    dropped = implausible(leg["at"], leg["lat"], leg["lon"], gs, on_ground, is_mlat(leg))
    skipped[JUMP] += int(dropped.sum())
    return leg[~dropped]


def _cuts(leg: Rows) -> list[int]:
    """Where flights begin within a leg: a take-off after a time on the ground, another callsign there, or a day."""
    at, ground = leg["at"], (leg["flags"] & ON_GROUND) > 0
    if at[-1] - at[0] <= MAX_FLIGHT_S and (ground.all() or not ground.any()):
        return []
    cuts: list[int] = []
    begun, has_flown, ground_since, callsign = at[0], False, np.nan, b""
    for index in range(len(leg)):
        if not ground[index]:
            parked = has_flown and at[index] - ground_since >= TURNAROUND_S
            ground_since = np.nan
        elif np.isnan(ground_since):
            parked, ground_since = False, at[index]
        else:
            parked = False
        name = leg["callsign"][index]
        renamed = bool(ground[index] and has_flown and name and callsign and name != callsign)
        if parked or renamed or at[index] - begun > MAX_FLIGHT_S:
            cuts.append(index)
            begun, has_flown = at[index], False
        callsign = name or callsign
        has_flown = has_flown or not ground[index]
    return cuts


def _flight(rows: Rows) -> ImportedFlight:
    texts = {}
    for name in TEXTS:
        values = rows[name][rows[name] != b""]
        texts[name] = text_of(bytes(values[-1])) if len(values) else None
    flags = int(np.bitwise_or.reduce(rows["flags"]))
    return ImportedFlight(
        address=address_text(int(rows["code"][0])),
        rows=rows,
        military=flags & MILITARY > 0,
        emergency=bool(np.isin(rows["squawk"], EMERGENCIES).any()),
        callsign=texts["callsign"],
        squawk=texts["squawk"],
        category=texts["category"],
        registration=texts["registration"],
        aircraft_type=texts["type"],
    )
