"""The queue of transcription: rows under a lease, the newest transmission first, three tries with growing pauses.

A worker that is killed leaves its lease to run out; the row is then taken again, which counts as one of the tries.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.audio import messages
from skywatch.audio.models import Recording, Transmission
from skywatch.audio.transcription.callsigns import read_callsigns
from skywatch.audio.transcription.engines.base import Segment
from skywatch.audio.transcription.guards import has_distress
from skywatch.audio.transcription.sightings import confirmed
from skywatch.audio.vocabulary import Flag, Status
from skywatch.core import events
from skywatch.core.clock import utcnow
from skywatch.picture.state.sky import Sky

MAX_TRIES = 3
# After the first and the second failure (s).
PAUSES_S = (30.0, 300.0)
INTERRUPTED = "The worker was interrupted each time."
T = Transmission


@dataclass(frozen=True)
class LeasedTransmission:
    """A transmission that this worker transcribes."""

    id: int
    lease: str
    path: str
    media_type: str


def _due(now: datetime) -> Any:
    return sa.or_(
        sa.and_(T.status == Status.QUEUED.value, T.next_at <= now),
        sa.and_(T.status == Status.PROCESSING.value, T.leased_until <= now),
    )


def is_anything_due(session: Session) -> bool:
    """Whether a transmission waits to be taken."""
    return session.scalar(sa.select(T.id).where(_due(utcnow())).limit(1)) is not None


def claim(session: Session, lease_s: float) -> LeasedTransmission | None:
    """Take the newest transmission that is due; None where none is."""
    while True:
        now = utcnow()
        query = (
            sa.select(T).where(_due(now)).order_by(T.at.desc(), T.id.desc()).limit(1).with_for_update(skip_locked=True)
        )
        row = session.scalar(query)
        if row is None:
            return None
        if row.attempts >= MAX_TRIES:
            _end(session, row, Status.FAILED, INTERRUPTED)
            session.flush()
            continue
        row.status, row.attempts = Status.PROCESSING.value, row.attempts + 1
        row.lease, row.leased_until = secrets.token_hex(16), now + timedelta(seconds=lease_s)
        recording = session.get_one(Recording, row.sha256)
        return LeasedTransmission(row.id, row.lease, recording.path, recording.media_type)


def renew(session: Session, claim: LeasedTransmission, lease_s: float) -> None:
    """Hold a lease for longer."""
    until = utcnow() + timedelta(seconds=lease_s)
    session.execute(sa.update(T).where(T.id == claim.id, T.lease == claim.lease).values(leased_until=until))


def give_back(session: Session, claim: LeasedTransmission) -> None:
    """Put a transmission back as if it had not been taken: this worker stops."""
    row = _claimed_row(session, claim)
    if row is not None:
        row.status, row.attempts, row.next_at = Status.QUEUED.value, row.attempts - 1, utcnow()
        row.lease = row.leased_until = None


def succeed(
    session: Session, claim: LeasedTransmission, segments: Sequence[Segment], sky: Sky, flights: sa.FromClause | None
) -> bool:
    """Record a transcript, whose aircraft may be in the picture; False where the lease was lost meanwhile."""
    row = _claimed_row(session, claim)
    if row is None:
        return False
    text = " ".join(segment.text for segment in segments)
    row.transcript = text
    row.segments = [{"begin_s": round(s.begin_s, 2), "end_s": round(s.end_s, 2), "text": s.text} for s in segments]
    sighting = confirmed(session, sky, flights, read_callsigns(text), row.at)
    row.icao_hex = sighting.icao_hex if sighting else None
    row.callsign = sighting.callsign if sighting else None
    row.military = sighting is not None and sighting.military
    flags = [flag for flag in row.flags if flag != Flag.POSSIBLE_DISTRESS]
    row.flags = [*flags, Flag.POSSIBLE_DISTRESS.value] if has_distress(text) else flags
    _end(session, row, Status.DONE, None)
    return True


def end_without_speech(session: Session, claim: LeasedTransmission, why: str) -> bool:
    """Record that nothing was said; False where the lease was lost meanwhile."""
    row = _claimed_row(session, claim)
    if row is None:
        return False
    row.transcript, row.segments = None, []
    row.icao_hex, row.callsign, row.military = None, None, False
    row.flags = [flag for flag in row.flags if flag != Flag.POSSIBLE_DISTRESS]
    _end(session, row, Status.NO_SPEECH, why)
    return True


def fail(session: Session, claim: LeasedTransmission, why: str, *, for_good: bool = False) -> bool:
    """Record a failed try: again after a pause, or never; False where the lease was lost meanwhile."""
    row = _claimed_row(session, claim)
    if row is None:
        return False
    if for_good or row.attempts >= MAX_TRIES:
        _end(session, row, Status.FAILED, why)
    else:
        row.status, row.reason = Status.QUEUED.value, why[:200]
        row.next_at = utcnow() + timedelta(seconds=PAUSES_S[row.attempts - 1])
        row.lease = row.leased_until = None
    return True


def _claimed_row(session: Session, claim: LeasedTransmission) -> Transmission | None:
    return session.scalar(sa.select(T).where(T.id == claim.id, T.lease == claim.lease).with_for_update())


def _end(session: Session, row: Transmission, status: Status, why: str | None) -> None:
    row.status, row.reason = status.value, why[:200] if why else None
    row.lease = row.leased_until = row.next_at = None
    recording = session.get_one(Recording, row.sha256)
    session.flush()
    events.publish(session, messages.message(session, messages.TRANSCRIPT, row, recording))
