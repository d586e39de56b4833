"""A feeder as one caller may see it: what follows from a place that is not exact is coarse for others."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from skywatch.feeders.models import COARSE, EXACT, Feeder
from skywatch.feeders.records.schemas import FeederEntry
from skywatch.feeders.records.service import manages, may_know
from skywatch.feeders.states import FeederState
from skywatch.http.resources.answer import answer
from skywatch.security.visibility import Visibility

# Degrees to which a coarse place is rounded have so many decimals: 0.1 degree is 11 km of latitude.
COARSE_DECIMALS = 1


def is_exact(visibility: Visibility, feeder: Feeder) -> bool:
    """Whether a caller may know what shows where the antenna is."""
    return feeder.place_privacy == EXACT or may_know(visibility, feeder)


def feeder_answer(feeder: Feeder, state: FeederState | None, visibility: Visibility) -> dict[str, Any]:
    """A feeder, and its state where it is connected, for a caller."""
    exact = is_exact(visibility, feeder)
    last_seen_at = _moment(state.last_seen_at) if state is not None and state.last_seen_at else feeder.last_seen_at
    connected_since = _moment(state.connected_since) if state is not None else None
    return answer(
        FeederEntry,
        feeder,
        owner={"id": feeder.owner.id, "username": feeder.owner.username} if feeder.owner is not None else None,
        **place_of(feeder, exact=exact),
        state=_state(feeder, state),
        connected_since=connected_since if exact else _hour(connected_since),
        last_seen_at=last_seen_at if exact else _hour(last_seen_at),
        address=state.address if state is not None and manages(visibility) else None,
        messages_s=state.messages_s if state is not None else 0.0,
        positions_s=state.positions_s if state is not None else 0.0,
        aircraft=state.aircraft if state is not None else 0,
        bytes_s=state.bytes_s if state is not None else 0.0,
        duplicates_share=state.duplicates_share if state is not None else 0.0,
        disputes_share=state.disputes_share if state is not None else 0.0,
        clock=state.clock if state is not None else None,
        notice=feeder.notice if may_know(visibility, feeder) else None,
    )


def place_of(feeder: Feeder, *, exact: bool) -> dict[str, Any]:
    """Where the antenna is, as exactly as a caller may know."""
    if exact:
        return {"lat": feeder.lat, "lon": feeder.lon, "altitude_ft": feeder.altitude_ft}
    is_coarse = feeder.place_privacy == COARSE and feeder.lat is not None and feeder.lon is not None
    lat, lon = (round(feeder.lat or 0.0, COARSE_DECIMALS), round(feeder.lon or 0.0, COARSE_DECIMALS))
    return {"lat": lat if is_coarse else None, "lon": lon if is_coarse else None, "altitude_ft": None}


def _state(feeder: Feeder, state: FeederState | None) -> str:
    if not feeder.enabled or (feeder.owner is not None and not feeder.owner.is_active):
        return "disabled"
    if state is None:
        return "absent"
    return "silent" if state.is_silent else "connected"


def _moment(at: float) -> datetime:
    return datetime.fromtimestamp(at, UTC)


def _hour(at: datetime | None) -> datetime | None:
    return at.replace(minute=0, second=0, microsecond=0) if at is not None else None
