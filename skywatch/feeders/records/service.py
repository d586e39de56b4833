"""The rules of feeders: whose they are, what others may change, and what is audited; never with their UUID."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid, not_found
from skywatch.core.storing.audit import Actor, Target, record
from skywatch.feeders.models import COARSE, Feeder, has_user
from skywatch.feeders.records.uuids import SHOWN, new_digits
from skywatch.receivers.listening.hub import hash_of
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

MAX_OWNED = 50
SETTINGS = ("name", "enabled", "trusted", "mlat", "lat", "lon", "altitude_ft", "place_privacy")
DEFAULTS: dict[str, Any] = {
    "enabled": True,
    "trusted": False,
    "mlat": False,
    "lat": None,
    "lon": None,
    "altitude_ft": None,
    "place_privacy": COARSE,
}


def manages(visibility: Visibility) -> bool:
    """Whether a caller may change every feeder."""
    return Permission.FEEDERS_MANAGE in visibility.manages


def may_know(visibility: Visibility, feeder: Feeder) -> bool:
    """Whether a caller may know everything of a feeder but its address: its owner, or who manages feeders."""
    return manages(visibility) or (feeder.owner_id is not None and feeder.owner_id == visibility.user_id)


class FeederService:
    """Feeders as one caller may see and change them; ``receivers`` are the names that the settings use already."""

    def __init__(self, session: Session, visibility: Visibility, actor: Actor, receivers: Sequence[str] = ()) -> None:
        self.session = session
        self.visibility = visibility
        self.actor = actor
        self._receivers = frozenset(map(str.casefold, receivers))

    def find(self, offset: int, limit: int, *, mine: bool = False) -> tuple[Sequence[Feeder], int]:
        """A page of feeders in the order of names, and the count of all."""
        where: sa.ColumnElement[bool] = sa.true() if not mine else sa.false()
        if mine and self.visibility.user_id is not None:
            where = Feeder.owner_id == self.visibility.user_id
        count = self.session.scalar(sa.select(sa.func.count()).select_from(Feeder).where(where)) or 0
        query = sa.select(Feeder).where(where).order_by(Feeder.name_key).offset(offset).limit(limit)
        return self.session.scalars(query).all(), count

    def get(self, feeder_id: int) -> Feeder:
        """A feeder; raises Problem (404)."""
        feeder = self.session.get(Feeder, feeder_id)
        if feeder is None:
            raise not_found("feeder")
        return feeder

    def create(self, values: Mapping[str, Any]) -> tuple[Feeder, str]:
        """Register a feeder: the record and the digits of its UUID; raises Problem (400, 401, 403, 409)."""
        user_id = self.visibility.user_id
        if user_id is None:
            raise Problem("authentication_required", "Log in to register a feeder.")
        self._check_manager_fields(values)
        settings = {name: values.get(name, default) for name, default in DEFAULTS.items()}
        settings["trusted"] = values.get("trusted", manages(self.visibility))
        owner_id = self._owner(values) if "owner" in values else user_id
        _check_place(settings)
        self._check_room(owner_id)
        digits = values.get("uuid") or new_digits()
        now = utcnow()
        feeder = Feeder(
            owner_id=owner_id,
            name=values["name"],
            name_key=values["name"].casefold(),
            uuid_hash=hash_of(digits),
            uuid_start=digits[:SHOWN],
            created_at=now,
            updated_at=now,
            **settings,
        )
        self._flush(feeder)
        self._record("feeder.created", feeder, after=_audited(feeder))
        return feeder, digits

    def change(self, feeder_id: int, values: Mapping[str, Any]) -> Feeder:
        """Change a feeder; raises Problem (400, 403, 404, 409)."""
        feeder = self._own(feeder_id)
        self._check_manager_fields(values, feeder)
        before = _audited(feeder)
        if "owner" in values:
            owner_id = self._owner(values)
            if owner_id != feeder.owner_id:
                self._check_room(owner_id)
            feeder.owner_id = owner_id
        for name in SETTINGS:
            if name in values:
                setattr(feeder, name, values[name])
        feeder.name_key = feeder.name.casefold()
        _check_place({"lat": feeder.lat, "lon": feeder.lon})
        self._save(feeder)
        self.session.refresh(feeder)
        self._record("feeder.changed", feeder, before=before, after=_audited(feeder))
        return feeder

    def rotate(self, feeder_id: int) -> tuple[Feeder, str]:
        """Give a feeder a new UUID: the record and its digits. The old one counts for nothing from then on."""
        feeder = self._own(feeder_id)
        digits = new_digits()
        feeder.uuid_hash, feeder.uuid_start, feeder.notice = hash_of(digits), digits[:SHOWN], None
        self._save(feeder)
        self._record("feeder.uuid_rotated", feeder, after={"name": feeder.name})
        return feeder, digits

    def delete(self, feeder_id: int) -> None:
        """Delete a feeder; raises Problem (403, 404)."""
        feeder = self._own(feeder_id)
        self._record("feeder.deleted", feeder, before=_audited(feeder))
        self.session.delete(feeder)

    def _own(self, feeder_id: int) -> Feeder:
        feeder = self.get(feeder_id)
        if not may_know(self.visibility, feeder):
            raise Problem(
                "permission_denied", "This feeder belongs to somebody else: changing it needs feeders.manage."
            )
        return feeder

    def _check_manager_fields(self, values: Mapping[str, Any], feeder: Feeder | None = None) -> None:
        if manages(self.visibility):
            return
        for name, now in (
            ("trusted", feeder.trusted if feeder is not None else False),
            ("owner", feeder.owner_id if feeder is not None else self.visibility.user_id),
        ):
            if name in values and values[name] != now:
                raise Problem("permission_denied", f"Setting {name} needs feeders.manage.")

    def _owner(self, values: Mapping[str, Any]) -> int | None:
        owner_id: int | None = values["owner"]
        if owner_id is not None and not has_user(self.session, owner_id):
            raise invalid("owner", "there is no such user")
        return owner_id

    def _check_room(self, owner_id: int | None) -> None:
        if owner_id is None:
            return
        owned = sa.select(sa.func.count()).select_from(Feeder).where(Feeder.owner_id == owner_id)
        if (self.session.scalar(owned) or 0) >= MAX_OWNED:
            raise Problem("conflict", f"A user can have at most {MAX_OWNED} feeders; delete one first.")

    def _save(self, feeder: Feeder) -> None:
        feeder.updated_at = utcnow()
        self._flush(feeder)

    def _flush(self, feeder: Feeder) -> None:
        """Write the row; raises Problem (409) where its name or UUID is taken, also by a change at the same time."""
        name, name_key, uuid_hash = feeder.name, feeder.name_key, feeder.uuid_hash
        if name_key in self._receivers:
            raise Problem("conflict", f"There is a receiver called {name} already.")
        with self.session.no_autoflush:
            others = (
                sa.select(Feeder.id).where(Feeder.id != feeder.id) if feeder.id is not None else sa.select(Feeder.id)
            )
            for taken, what in (
                (Feeder.uuid_hash == uuid_hash, "has this UUID"),
                (Feeder.name_key == name_key, f"is called {name}"),
            ):
                if self.session.scalar(others.where(taken)) is not None:
                    raise Problem("conflict", f"Another feeder {what} already.")
        try:
            self.session.add(feeder)
            self.session.flush()
        except sa.exc.IntegrityError:
            raise Problem("conflict", f"Another feeder is called {name} or has this UUID since a moment ago.") from None

    def _record(self, action: str, feeder: Feeder, **states: Mapping[str, Any]) -> None:
        record(self.session, self.actor, action, Target("feeder", feeder.id, feeder.name), **states)


def _audited(feeder: Feeder) -> dict[str, Any]:
    """A feeder without its place: the audit log is no place for where people live."""
    values = {name: getattr(feeder, name) for name in SETTINGS if name not in ("lat", "lon", "altitude_ft")}
    return {**values, "owner_id": feeder.owner_id, "has_place": feeder.lat is not None}


def _check_place(values: Mapping[str, Any]) -> None:
    for name, other in (("lat", "lon"), ("lon", "lat")):
        if values[name] is None and values[other] is not None:
            raise invalid(name, f"must come together with {other}")
