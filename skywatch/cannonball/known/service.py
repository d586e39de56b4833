"""The entries of the list of known aircraft: reading, editing, verifying and counting detections.

Fields edited by hand are recorded (``edited_fields``), so that later imports do not change them. Every change leaves an
audit entry and is announced after the commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session
from sqlalchemy.orm.attributes import flag_modified

from skywatch.airframes.military import military_aircraft
from skywatch.cannonball.identification.agencies import classify, is_us_address
from skywatch.cannonball.known.changes import announce_change
from skywatch.cannonball.known.revision import lock_list, next_revision
from skywatch.cannonball.known.schemas import KnownAircraftChangeFields, KnownEntry, NewKnownAircraftFields
from skywatch.cannonball.models import KnownAircraft, KnownRemoval, derived_columns
from skywatch.cannonball.vocabulary import AgencyType, Source
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import SessionFactory, writing
from skywatch.core.problems import Problem, not_found
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.core.storage.versions import check_version
from skywatch.http.resources.answer import answer
from skywatch.http.resources.fields import UNSET
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

WRITABLE = (
    "registration",
    "aircraft_type",
    "aircraft_model",
    "agency_name",
    "agency_type",
    "agency_state",
    "agency_city",
    "source",
    "source_url",
    "verified",
    "notes",
)
REPAIRED_AT_ONCE = 1000


def get(session: Session, visibility: Visibility, known_id: int) -> KnownAircraft:
    """An entry by its id; raises Problem (404)."""
    entry = session.get(KnownAircraft, known_id)
    if entry is None or not _is_visible(session, visibility, entry):
        raise not_found(sentence("thing.known_aircraft", "known aircraft"))
    return entry


def create(session: Session, actor: Actor, fields: NewKnownAircraftFields) -> KnownAircraft:
    """Create an entry by hand; raises Problem (409) if the address is on the list."""
    icao_hex = fields.icao_hex.upper()
    lock_list(session)
    if session.scalar(sa.select(KnownAircraft.id).where(KnownAircraft.icao_hex == icao_hex)) is not None:
        raise Problem(
            "conflict",
            sentence("known.already_listed", "{icao_hex} is already on the list of known aircraft.", icao_hex=icao_hex),
        )
    written = {name: value for name, value in fields.given().items() if name in WRITABLE}
    derived = derive(icao_hex, fields.agency_name or "")
    now = utcnow()
    entry = KnownAircraft(
        **{**defaults(), **derived, **written},
        icao_hex=icao_hex,
        verified_at=now if fields.verified is True else None,
        created_at=now,
        updated_at=now,
        edited_fields=sorted(written),
        revision=next_revision(session),
    )
    session.add(entry)
    session.flush()
    _record(session, actor, "known_aircraft.created", entry, after=state_of(entry))
    return entry


def change(
    session: Session,
    visibility: Visibility,
    actor: Actor,
    known_id: int,
    fields: KnownAircraftChangeFields,
    version: str | None = None,
) -> KnownAircraft:
    """Edit some fields by hand; raises Problem (404; 409 if the entry is no longer as in ``version``)."""
    entry, before = _open(session, visibility, known_id, version)
    values = fields.given()
    if not values:
        return entry
    for name, value in values.items():
        setattr(entry, name, value)
    if fields.verified is not UNSET:
        _mark_verified(entry, fields.verified)
    entry.edited_fields = sorted({*entry.edited_fields, *values})
    _save(session, actor, entry, before)
    return entry


def verify(
    session: Session, visibility: Visibility, actor: Actor, known_id: int, verified: bool, version: str | None = None
) -> KnownAircraft:
    """Set or clear the verification of an entry; verifying twice keeps the first time. Raises as ``change``."""
    entry, before = _open(session, visibility, known_id, version)
    if entry.verified != verified or "verified" not in entry.edited_fields:
        _mark_verified(entry, verified)
        entry.edited_fields = sorted({*entry.edited_fields, "verified"})
        _save(session, actor, entry, before)
    return entry


def remove(session: Session, visibility: Visibility, actor: Actor, known_id: int, version: str | None = None) -> None:
    """Remove an entry from the list; raises as ``change``."""
    entry, before = _open(session, visibility, known_id, version)
    session.add(KnownRemoval(icao_hex=entry.icao_hex, revision=next_revision(session)))
    session.delete(entry)
    _record(session, actor, "known_aircraft.deleted", entry, before=before)


def _open(
    session: Session, visibility: Visibility, known_id: int, version: str | None
) -> tuple[KnownAircraft, dict[str, Any]]:
    """Lock the list; the entry as it is then, and its state before the change."""
    lock_list(session)
    session.expire_all()
    entry = get(session, visibility, known_id)
    before = state_of(entry)
    if version is not None:
        check_version(session, Target("known_aircraft", known_id), version, before)
    return entry, before


def _is_visible(session: Session, visibility: Visibility, entry: KnownAircraft) -> bool:
    if visibility.military:
        return True
    return entry.agency_type != AgencyType.MILITARY and entry.icao_hex not in military_aircraft(session)


def _mark_verified(entry: KnownAircraft, verified: bool) -> None:
    entry.verified = verified
    if not verified:
        entry.verified_at = None
    elif entry.verified_at is None:
        entry.verified_at = utcnow()


def _save(session: Session, actor: Actor, entry: KnownAircraft, before: Mapping[str, Any]) -> None:
    entry.updated_at = utcnow()
    entry.revision = next_revision(session)
    _record(session, actor, "known_aircraft.changed", entry, before=before, after=state_of(entry))


def _record(session: Session, actor: Actor, action: str, entry: KnownAircraft, **states: Mapping[str, Any]) -> None:
    target = Target("known_aircraft", entry.id, entry.icao_hex)
    record(session, actor, action, target, **states)
    announce_change(session)


def state_of(entry: KnownAircraft) -> dict[str, Any]:
    """The fields of an entry that can be edited: what a form opens with, and what the audit log compares."""
    return {name: getattr(entry, name) for name in WRITABLE}


def defaults() -> dict[str, Any]:
    """The default values of an entry."""
    empty = dict.fromkeys(WRITABLE, "")
    return {**empty, "agency_type": AgencyType.UNKNOWN.value, "source": Source.MANUAL.value, "verified": False}


def derive(icao_hex: str, agency_name: str) -> dict[str, str]:
    """Agency type and state as the rules derive them from the agency's name."""
    agency = classify(agency_name, us_registered=is_us_address(icao_hex))
    return {"agency_type": agency.agency_type.value, "agency_state": agency.state}


def known_answer(entry: KnownAircraft) -> dict[str, Any]:
    """An entry as the API answers it."""
    return answer(KnownEntry, entry)


def repair_derived(sessions: SessionFactory, since: int) -> None:
    """Derive again what is wrong in entries that were changed after revision ``since``.

    A process of the release before writes entries without the mark and the text that are derived from the others.
    """
    names = ("id", "icao_hex", "registration", "agency_name", "military", "search_text")
    query = sa.select(*(getattr(KnownAircraft, name) for name in names)).where(KnownAircraft.revision > since)
    with sessions() as db:
        rows = db.execute(query.execution_options(yield_per=10_000))
        wrong = [row.id for row in rows if derived_columns(*row[1:4]) != dict(zip(names[4:], row[4:], strict=True))]
    for start in range(0, len(wrong), REPAIRED_AT_ONCE):
        with writing(sessions) as db:
            lock_list(db)
            ids = wrong[start : start + REPAIRED_AT_ONCE]
            for entry in db.scalars(sa.select(KnownAircraft).where(KnownAircraft.id.in_(ids))):
                # Both are derived when it is written.
                flag_modified(entry, "search_text")


def count_detections(session: Session, detections: Sequence[tuple[int, datetime, datetime]]) -> None:
    """Count detections (id, time of entering the picture, now), once per flight.

    If the last detection is not before the aircraft entered the picture, the flight is counted already, as after a
    restart.
    """
    rows = [{"known_id": known_id, "since": since, "at": at} for known_id, since, at in detections]
    if not rows:
        return
    is_new_flight = sa.or_(KnownAircraft.last_detected.is_(None), KnownAircraft.last_detected < sa.bindparam("since"))
    statement = (
        sa.update(KnownAircraft)
        .where(KnownAircraft.id == sa.bindparam("known_id"), is_new_flight)
        .values(times_detected=KnownAircraft.times_detected + 1, last_detected=sa.bindparam("at"))
    )
    session.connection().execute(statement, rows)
