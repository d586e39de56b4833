"""What is worth a look: the aircraft of the sky that are in trouble, watched, new or rare, and why."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import WatchedAircraft
from skywatch.firsts.ground import fields
from skywatch.firsts.models import CountedDay
from skywatch.firsts.schemas import REASONS
from skywatch.firsts.service import airframes_of_types, days_for
from skywatch.picture.counted import counted_rows, counts_simulated
from skywatch.picture.state.doubt import with_sure_alarms
from skywatch.picture.state.own_antenna import altitudes_ft
from skywatch.picture.state.sky import Sky
from skywatch.picture.state.visits import SEEN_BEFORE_DAYS
from skywatch.security.visibility import Visibility

Mask = npt.NDArray[np.bool_]
NOT_SEEN_DAYS = 30.0
# A type is rare of which so few aircraft were seen, once so many flights were.
RARE_AIRFRAMES, RARE_AFTER_FLIGHTS = 3, 200


def worth_a_look(session: Session, sky: Sky, visibility: Visibility, features: FeatureSet) -> list[dict[str, Any]]:
    """The aircraft that are worth a look, the best first."""
    visible = counted_rows(sky, simulated=counts_simulated(session))
    if not visibility.military:
        visible = visible & ~sky.column("military")
    masks = _masks(session, sky, visible, visibility, features)
    reasons = np.array([masks[name] & visible for name in REASONS])
    rows = np.flatnonzero(reasons.any(axis=0))
    # By the best reason, then by how many there are, then who was not seen for the longest time.
    best, count = reasons[:, rows].argmax(axis=0), reasons[:, rows].sum(axis=0)
    days = sky.column(SEEN_BEFORE_DAYS)[rows]
    order = np.lexsort((rows, -np.nan_to_num(days, posinf=0.0), -count, best))
    return [_entry(sky, int(row), reasons[:, row]) for row in rows[order]]


def _entry(sky: Sky, row: int, reasons: Mask) -> dict[str, Any]:
    callsign, kind = (sky.column(name)[row].decode("ascii", "replace").strip() or None for name in ("flight", "type"))
    days = float(sky.column(SEEN_BEFORE_DAYS)[row])
    return {
        "icao_hex": sky.hexes[row].upper(),
        "callsign": callsign,
        "type": kind,
        "reasons": [name for name, holds in zip(REASONS, reasons.tolist(), strict=True) if holds],
        "days": round(days, 1) if np.isfinite(days) else None,
    }


def _masks(session: Session, sky: Sky, visible: Mask, visibility: Visibility, features: FeatureSet) -> dict[str, Mask]:
    days = sky.column(SEEN_BEFORE_DAYS)
    new, rare = _types(session, sky, visible, visibility)
    with np.errstate(invalid="ignore"):
        return {
            "emergency": with_sure_alarms(sky).column("emergency"),
            "watch": _watched(session, sky, visible, visibility, features),
            "first_type": new & ~np.isnan(days),
            "first_airframe": np.isposinf(days),
            "military": sky.column("military"),
            "rare_type": rare,
            "not_seen_days": (days >= NOT_SEEN_DAYS) & np.isfinite(days),
            "low": _low(sky),
        }


def _types(session: Session, sky: Sky, visible: Mask, visibility: Visibility) -> tuple[Mask, Mask]:
    """Which aircraft are of a type that no flight before had, and of one that is rare."""
    types = sky.column("type")
    names = {name.decode("ascii", "replace") for name in np.unique(types[visible]).tolist()} - {""}
    seen = airframes_of_types(session, visibility, has_ended=True)
    flights = session.scalar(days_for(session, visibility).with_only_columns(sa.func.sum(CountedDay.flights))) or 0
    rare = {name for name in names if flights >= RARE_AFTER_FLIGHTS and 0 < seen.get(name, 0) <= RARE_AIRFRAMES}
    return _is_one_of(types, names - seen.keys()), _is_one_of(types, rare)


def _is_one_of(types: Any, names: set[str]) -> Mask:
    result: Mask = np.isin(types, [name.encode() for name in sorted(names)])
    return result


def _watched(session: Session, sky: Sky, visible: Mask, visibility: Visibility, features: FeatureSet) -> Mask:
    """Those that lists of the caller name."""
    watched = np.zeros(len(sky), "?")
    hook = features.only(WatchedAircraft)
    if hook is None or visibility.user_id is None:
        return watched
    rows = np.flatnonzero(visible)
    callsigns, registrations = (
        [text.decode("ascii", "replace").strip().upper() for text in sky.column(name)[rows].tolist()]
        for name in ("flight", "registration")
    )
    if not visibility.details:
        registrations = [""] * len(rows)
    addresses = [sky.hexes[row].upper() for row in rows.tolist()]
    names = dict(zip(addresses, zip(registrations, callsigns, strict=True), strict=True))
    found = hook.read(session, visibility.user_id, names)
    watched[rows] = [address in found for address in addresses]
    return watched


def _low(sky: Sky) -> Mask:
    """Those that fly low, worked out once for all who ask of this sky."""
    low: Mask | None = sky.scratch.get("low")
    if low is None:
        altitude = np.where(sky.column("on_ground"), np.nan, altitudes_ft(sky))
        low = sky.scratch["low"] = fields().low(sky.column("lat"), sky.column("lon"), altitude)
    return low
