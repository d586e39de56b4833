"""The table of feeders."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from skywatch.accounts.models import User
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, JSONDocument
from skywatch.receivers.feeder_streams.feeder import KnownFeeder

EXACT, COARSE, HIDDEN = "exact", "10km", "none"


class Feeder(Base):
    """A receiver that connects to us. ``name_key`` is the form in which names are compared.

    ``uuid_hash`` is the SHA-256 of its UUID's 32 digits, ``uuid_start`` their first eight; the UUID is not stored.
    Without ``owner_id`` it is the managers'.
    """

    __tablename__ = "feeders"
    __table_args__ = (sa.Index("ix_feeders_owner_id", "owner_id"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    owner_id: Mapped[int | None] = mapped_column(sa.ForeignKey(User.id, ondelete="SET NULL"))
    name: Mapped[str] = mapped_column(sa.String(64))
    name_key: Mapped[str] = mapped_column(sa.String(64), unique=True)
    uuid_hash: Mapped[str] = mapped_column(sa.String(64), unique=True)
    uuid_start: Mapped[str] = mapped_column(sa.String(8))
    enabled: Mapped[bool] = mapped_column(default=True)
    trusted: Mapped[bool] = mapped_column(default=False)
    mlat: Mapped[bool] = mapped_column(default=False)
    lat: Mapped[float | None]
    lon: Mapped[float | None]
    altitude_ft: Mapped[int | None]
    place_privacy: Mapped[str] = mapped_column(sa.String(8), default=COARSE)
    notice: Mapped[dict[str, Any] | None] = mapped_column(JSONDocument)
    last_seen_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    owner: Mapped[User | None] = relationship(lazy="joined")


# Whether a feeder may connect, in a query that joins its owner.
IS_ADMITTED = sa.and_(Feeder.enabled, sa.or_(Feeder.owner_id.is_(None), User.is_active))


def has_user(session: Session, user_id: int) -> bool:
    """Whether there is a user of this id, who can own a feeder."""
    return session.get(User, user_id) is not None


def known(session: Session, keys: Collection[str] | None = None) -> list[KnownFeeder]:
    """The feeders that have a record: all, or those whose UUID's hash or whose name (``name_key``) is among ``keys``.

    Shut out are those that are disabled, and those of users whose account is not active.
    """
    shows_signal = Feeder.place_privacy == EXACT
    # Multilateration needs to know where an antenna is.
    mlat = sa.and_(Feeder.mlat, *(column.is_not(None) for column in (Feeder.lat, Feeder.lon, Feeder.altitude_ft)))
    query = sa.select(
        Feeder.id,
        Feeder.uuid_hash,
        shows_signal,
        Feeder.name_key,
        Feeder.owner_id,
        Feeder.trusted,
        mlat,
        IS_ADMITTED,
        Feeder.lat,
        Feeder.lon,
    ).outerjoin(Feeder.owner)
    if keys is not None:
        query = query.where(sa.or_(Feeder.uuid_hash.in_(keys), Feeder.name_key.in_(keys)))
    return [
        KnownFeeder(
            number,
            digest,
            bool(shows),
            name,
            owner,
            trusted,
            bool(consents and is_admitted),
            not bool(is_admitted),
            None if lat is None or lon is None else (lat, lon),
        )
        for number, digest, shows, name, owner, trusted, consents, is_admitted, lat, lon in session.execute(query)
    ]
