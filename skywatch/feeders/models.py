"""The table of feeders."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, Session, mapped_column, relationship

from skywatch.accounts.models import User
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, JSONDocument
from skywatch.receivers.listening.hub import KnownFeeder

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


def has_user(session: Session, user_id: int) -> bool:
    """Whether there is a user of this id, who can own a feeder."""
    return session.get(User, user_id) is not None


def admitted(session: Session) -> list[KnownFeeder]:
    """The feeders that are admitted: enabled, and of the managers or of a user whose account is active."""
    shows_signal = Feeder.place_privacy == EXACT
    # Multilateration needs to know where an antenna is.
    mlat = sa.and_(Feeder.mlat, *(column.is_not(None) for column in (Feeder.lat, Feeder.lon, Feeder.altitude_ft)))
    query = (
        sa.select(Feeder.id, Feeder.uuid_hash, shows_signal, Feeder.name_key, Feeder.owner_id, Feeder.trusted, mlat)
        .outerjoin(Feeder.owner)
        .where(Feeder.enabled, sa.or_(Feeder.owner_id.is_(None), User.is_active))
    )
    return [
        KnownFeeder(number, digest, bool(shows), name, owner, trusted, bool(consents))
        for number, digest, shows, name, owner, trusted, consents in session.execute(query)
    ]
