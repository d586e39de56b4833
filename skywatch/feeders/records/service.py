"""The rules of feeders: whose they are, what others may change, and what is audited; never with their UUID."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid, not_found
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.feeders.models import Feeder, has_user
from skywatch.feeders.names import FEEDER
from skywatch.feeders.records.schemas import FeederChangeFields, NewFeederFields
from skywatch.feeders.records.uuids import SHOWN, new_digits
from skywatch.http.resources.fields import UNSET
from skywatch.receivers.feeder_streams.feeder import hash_of
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

MAX_OWNED = 50
SETTINGS = ("name", "enabled", "trusted", "mlat", "lat", "lon", "altitude_ft", "place_privacy")


def manages(visibility: Visibility) -> bool:
    """Whether a caller may change every feeder."""
    return Permission.FEEDERS_MANAGE in visibility.manages


def may_know(visibility: Visibility, feeder: Feeder) -> bool:
    """Whether a caller may know everything of a feeder but its address: its owner, or who manages feeders."""
    return manages(visibility) or (feeder.owner_id is not None and feeder.owner_id == visibility.user_id)


def find(
    session: Session, visibility: Visibility, offset: int, limit: int, *, mine: bool = False
) -> tuple[Sequence[Feeder], int]:
    """A page of feeders in the order of names, and the count of all."""
    where: sa.ColumnElement[bool] = sa.true() if not mine else sa.false()
    if mine and visibility.user_id is not None:
        where = Feeder.owner_id == visibility.user_id
    count = session.scalar(sa.select(sa.func.count()).select_from(Feeder).where(where)) or 0
    query = sa.select(Feeder).where(where).order_by(Feeder.name_key).offset(offset).limit(limit)
    return session.scalars(query).all(), count


def get(session: Session, feeder_id: int) -> Feeder:
    """A feeder; raises Problem (404)."""
    feeder = session.get(Feeder, feeder_id)
    if feeder is None:
        raise not_found(sentence("thing.feeder", "feeder"))
    return feeder


def create(
    session: Session, visibility: Visibility, actor: Actor, receivers: Collection[str], fields: NewFeederFields
) -> tuple[Feeder, str]:
    """Register a feeder: the record and the digits of its UUID; raises Problem (400, 401, 403, 409).

    ``receivers`` are the names of the receivers of the settings, which no feeder may have.
    """
    if visibility.user_id is None:
        raise Problem("authentication_required", sentence("feeders.login_to_register", "Log in to register a feeder."))
    _check_manager_fields(visibility, fields, is_trusted=False, owner_id=visibility.user_id)
    owner_id = _owner_id(session, fields, visibility.user_id)
    digits = fields.uuid or new_digits()
    now = utcnow()
    feeder = Feeder(
        owner_id=owner_id,
        name_key=fields.name.casefold(),
        uuid_hash=hash_of(digits),
        uuid_start=digits[:SHOWN],
        created_at=now,
        updated_at=now,
        **({"trusted": manages(visibility)} | _settings(fields)),
    )
    _check_place(feeder)
    _check_room(session, owner_id)
    _flush(session, feeder, receivers)
    _record(session, actor, "feeder.created", feeder, after=_audited(feeder))
    return feeder, digits


def change(
    session: Session,
    visibility: Visibility,
    actor: Actor,
    receivers: Collection[str],
    feeder_id: int,
    fields: FeederChangeFields,
    renamed: Callable[[str, str], None],
) -> Feeder:
    """Change a feeder; raises Problem (400, 403, 404, 409).

    ``renamed`` is called with the names before and after where others may refer to it by another name.
    """
    feeder = _own(session, visibility, feeder_id)
    _check_manager_fields(visibility, fields, is_trusted=feeder.trusted, owner_id=feeder.owner_id)
    before, name_before = _audited(feeder), feeder.name
    owner_id = _owner_id(session, fields, feeder.owner_id)
    if owner_id != feeder.owner_id:
        _check_room(session, owner_id)
    feeder.owner_id = owner_id
    for name, value in _settings(fields).items():
        setattr(feeder, name, value)
    feeder.name_key = feeder.name.casefold()
    _check_place(feeder)
    _save(session, feeder, receivers)
    session.refresh(feeder)
    _record(session, actor, "feeder.changed", feeder, before=before, after=_audited(feeder))
    if feeder.name != name_before:
        renamed(name_before, feeder.name)
    return feeder


def rotate(
    session: Session, visibility: Visibility, actor: Actor, receivers: Collection[str], feeder_id: int
) -> tuple[Feeder, str]:
    """Give a feeder a new UUID: the record and its digits. The old one counts for nothing from then on."""
    feeder = _own(session, visibility, feeder_id)
    digits = new_digits()
    feeder.uuid_hash, feeder.uuid_start, feeder.notice = hash_of(digits), digits[:SHOWN], None
    _save(session, feeder, receivers)
    _record(session, actor, "feeder.uuid_rotated", feeder, after={"name": feeder.name})
    return feeder, digits


def delete(session: Session, visibility: Visibility, actor: Actor, feeder_id: int) -> None:
    """Delete a feeder; raises Problem (403, 404)."""
    feeder = _own(session, visibility, feeder_id)
    _record(session, actor, "feeder.deleted", feeder, before=_audited(feeder))
    session.delete(feeder)


def _own(session: Session, visibility: Visibility, feeder_id: int) -> Feeder:
    feeder = get(session, feeder_id)
    if not may_know(visibility, feeder):
        raise Problem(
            "permission_denied",
            sentence("feeders.of_other", "This feeder belongs to somebody else: changing it needs feeders.manage."),
        )
    return feeder


def _check_manager_fields(
    visibility: Visibility, fields: FeederChangeFields, *, is_trusted: bool, owner_id: int | None
) -> None:
    """Raises Problem (403) where others than managers change what is set with ``feeders.manage`` alone."""
    if manages(visibility):
        return
    for name, value, present in (("trusted", fields.trusted, is_trusted), ("owner", fields.owner, owner_id)):
        if value is not UNSET and value != present:
            raise Problem(
                "permission_denied",
                sentence("feeders.field_needs_manage", "Setting {name} needs feeders.manage.", name=name),
            )


def _owner_id(session: Session, fields: FeederChangeFields, present: int | None) -> int | None:
    """The id of the owner that a body names, else the present one; raises Problem (400)."""
    if fields.owner is UNSET:
        return present
    if fields.owner is not None and not has_user(session, fields.owner):
        raise invalid("owner", sentence("feeders.no_user", "there is no such user"))
    return fields.owner


def _settings(fields: FeederChangeFields) -> dict[str, Any]:
    return {name: value for name, value in fields.given().items() if name in SETTINGS}


def _check_room(session: Session, owner_id: int | None) -> None:
    if owner_id is None:
        return
    owned = sa.select(sa.func.count()).select_from(Feeder).where(Feeder.owner_id == owner_id)
    if (session.scalar(owned) or 0) >= MAX_OWNED:
        raise Problem(
            "conflict",
            sentence("feeders.quota", "A user can have at most {most} feeders; delete one first.", most=MAX_OWNED),
        )


def _save(session: Session, feeder: Feeder, receivers: Collection[str]) -> None:
    feeder.updated_at = utcnow()
    _flush(session, feeder, receivers)


def _flush(session: Session, feeder: Feeder, receivers: Collection[str]) -> None:
    """Write the row; raises Problem (409) where its name or UUID is taken, also by a change at the same time."""
    name, name_key, uuid_hash = feeder.name, feeder.name_key, feeder.uuid_hash
    if name_key in map(str.casefold, receivers):
        raise Problem(
            "conflict", sentence("feeders.receiver_name_taken", "There is a receiver called {name} already.", name=name)
        )
    with session.no_autoflush:
        others = sa.select(Feeder.id).where(Feeder.id != feeder.id) if feeder.id is not None else sa.select(Feeder.id)
        for taken, detail in (
            (Feeder.uuid_hash == uuid_hash, sentence("feeders.uuid_taken", "Another feeder has this UUID already.")),
            (
                Feeder.name_key == name_key,
                sentence("feeders.name_taken", "Another feeder is called {name} already.", name=name),
            ),
        ):
            if session.scalar(others.where(taken)) is not None:
                raise Problem("conflict", detail)
    try:
        session.add(feeder)
        session.flush()
    except sa.exc.IntegrityError:
        raise Problem(
            "conflict",
            sentence(
                "feeders.taken_meanwhile",
                "Another feeder is called {name} or has this UUID since a moment ago.",
                name=name,
            ),
        ) from None


def _record(session: Session, actor: Actor, action: str, feeder: Feeder, **states: Mapping[str, Any]) -> None:
    record(session, actor, action, Target(FEEDER, feeder.id, feeder.name), **states)


def _audited(feeder: Feeder) -> dict[str, Any]:
    """A feeder; the audit log names its place without the coordinates."""
    values = {name: getattr(feeder, name) for name in SETTINGS}
    return {**values, "owner_id": feeder.owner_id, "has_place": feeder.lat is not None}


def _check_place(feeder: Feeder) -> None:
    for name, value, other, partner in (
        ("lat", feeder.lat, "lon", feeder.lon),
        ("lon", feeder.lon, "lat", feeder.lat),
    ):
        if value is None and partner is not None:
            raise invalid(name, sentence("feeders.together", "must come together with {other}", other=other))
