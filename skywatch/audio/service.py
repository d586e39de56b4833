"""Transmissions as a caller may see them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, contains_eager

from skywatch.airframes.military import civil_rows, military_aircraft
from skywatch.audio.messages import LINK_NEEDS, may_see_link, transmission_answer
from skywatch.audio.models import Transmission
from skywatch.audio.recordings.removal import remove_unused
from skywatch.audio.recordings.store import RecordingStore
from skywatch.audio.vocabulary import Flag, Status
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, not_found
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.http.lists.cursor import Key
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

FREQUENCY_TOLERANCE_HZ = 500
T = Transmission


def find(
    session: Session, visibility: Visibility, query: Mapping[str, Any]
) -> tuple[Sequence[Transmission], int, Key | None]:
    """A page of transmissions, the newest first; how many there are, and the key of the last if more follow."""
    where = _filters(visibility, query)
    count = session.scalar(sa.select(sa.func.count()).select_from(T).where(*where)) or 0
    page = _with_recordings().where(*where).order_by(T.at.desc(), T.id.desc()).limit(query["limit"] + 1)
    if query["cursor"] is not None:
        at, number = query["cursor"]
        page = page.where(sa.or_(T.at < at, sa.and_(T.at == at, T.id < number)))
    else:
        page = page.offset(query["offset"])
    rows = session.scalars(page).all()
    following = rows[query["limit"] - 1] if len(rows) > query["limit"] else None
    return rows[: query["limit"]], count, None if following is None else (following.at, following.id)


def get(session: Session, number: int) -> Transmission:
    """One transmission; raises Problem (404)."""
    row: Transmission | None = session.scalar(_with_recordings().where(T.id == number))
    if row is None:
        raise not_found(sentence("thing.transmission", "transmission"))
    return row


def answers_for(
    session: Session, visibility: Visibility, rows: Sequence[Transmission], *, waveform: bool
) -> list[dict[str, Any]]:
    """Transmissions as a caller may see them."""
    military = military_aircraft(session)
    return [
        transmission_answer(row, row.recording, linked=may_see_link(row, visibility, military), waveform=waveform)
        for row in rows
    ]


def delete(session: Session, actor: Actor, store: RecordingStore, number: int) -> None:
    """Remove a transmission, and its recording with the last that uses it; raises Problem (404)."""
    row = get(session, number)
    sha256 = row.sha256
    before = {"channel": row.channel, "at": row.at, "duration_s": row.duration_s, "sha256": sha256}
    record(session, actor, "transmission.deleted", Target("transmission", number, row.channel), before=before)
    session.execute(sa.delete(T).where(T.id == number))
    remove_unused(session, store, [sha256])


def request_transcript(session: Session, number: int) -> Transmission:
    """Queue a transmission again; raises Problem (404, 409 while it is at work)."""
    get(session, number)
    now = utcnow()
    values = {"status": Status.QUEUED.value, "reason": None, "attempts": 0, "next_at": now, "lease": None}
    idle = T.status.not_in((Status.QUEUED.value, Status.PROCESSING.value))
    changed: Any = session.execute(sa.update(T).where(T.id == number, idle).values(**values))
    if not changed.rowcount:
        raise Problem("conflict", sentence("audio.transcribing", "The transmission is being transcribed already."))
    session.expire_all()
    return get(session, number)


def channels(session: Session) -> list[dict[str, Any]]:
    """All channels by name."""
    query = sa.select(
        T.channel,
        sa.func.min(T.frequency_hz),
        sa.func.max(T.frequency_hz),
        sa.func.count(),
        sa.func.sum(T.duration_s),
        sa.func.max(T.at),
    )
    return [
        {
            "channel": channel,
            "frequency_mhz": low / 1e6 if low is not None and low == high else None,
            "transmissions": count,
            "duration_s": round(duration, 3),
            "last_at": last_at,
        }
        for channel, low, high, count, duration, last_at in session.execute(
            query.group_by(T.channel).order_by(T.channel)
        )
    ]


def stats(session: Session, query: Mapping[str, Any]) -> dict[str, Any]:
    """Figures of a span."""
    where = _span(query)
    totals = sa.select(
        sa.func.count(),
        sa.func.coalesce(sa.func.sum(T.duration_s), 0.0),
        sa.func.coalesce(sa.func.sum(T.bytes), 0),
        sa.func.min(T.at),
        sa.func.max(T.at),
        sa.func.count(T.channel.distinct()),
    ).where(*where)
    count, duration, size, oldest, newest, channels = session.execute(totals).one()
    states = dict(session.execute(sa.select(T.status, sa.func.count()).where(*where).group_by(T.status)).all())
    marked = sa.cast(T.flags, sa.Text).contains(Flag.POSSIBLE_DISTRESS.value)
    return {
        "transmissions": count,
        "duration_s": round(duration, 3),
        "bytes": int(size),
        "oldest_at": oldest,
        "newest_at": newest,
        "by_status": {status.value: states.get(status.value, 0) for status in Status},
        "channels": channels,
        "possible_distress": session.scalar(sa.select(sa.func.count()).select_from(T).where(*where, marked)) or 0,
    }


def playlist(session: Session, query: Mapping[str, Any]) -> tuple[Sequence[Transmission], int]:
    """Transmissions of a channel (or all), the oldest first, and how many there are."""
    where = _span(query)
    if query["channel"] is not None:
        where.append(T.channel == query["channel"])
    count = session.scalar(sa.select(sa.func.count()).select_from(T).where(*where)) or 0
    page = _with_recordings().where(*where).order_by(T.at, T.id)
    return session.scalars(page.offset(query["offset"]).limit(query["limit"])).all(), count


def _filters(visibility: Visibility, query: Mapping[str, Any]) -> list[Any]:
    where = _span(query)
    if query["channel"] is not None:
        where.append(T.channel == query["channel"])
    if query["status"] is not None:
        where.append(T.status == query["status"])
    if query["min_duration_s"] is not None:
        where.append(T.duration_s >= query["min_duration_s"])
    if query["frequency_mhz"] is not None:
        hertz = round(query["frequency_mhz"] * 1e6)
        where.append(T.frequency_hz.between(hertz - FREQUENCY_TOLERANCE_HZ, hertz + FREQUENCY_TOLERANCE_HZ))
    if query["q"] is not None:
        where.append(T.transcript.icontains(query["q"], autoescape=True))
    for name in ("icao_hex", "callsign"):
        if query[name] is not None:
            where += [getattr(T, name) == query[name].upper(), *_visible_links(visibility)]
    return where


def _visible_links(visibility: Visibility) -> list[Any]:
    """A filter must not show by its answer what the caller may not see."""
    if not visibility.permissions >= LINK_NEEDS:
        return [sa.false()]
    return [] if visibility.military else [civil_rows(T)]


def _with_recordings() -> sa.Select[Any]:
    return sa.select(T).join(T.recording).options(contains_eager(T.recording))


def _span(query: Mapping[str, Any]) -> list[Any]:
    where: list[Any] = []
    if query["from"] is not None:
        where.append(T.at >= query["from"])
    if query["to"] is not None:
        where.append(T.at < query["to"])
    return where
