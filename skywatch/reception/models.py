"""The tables of the quality of reception: a packed row for each receiver and hour, and the connections of each."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.database.engine import Base, BigId
from skywatch.feeders.models import Feeder


class ReceiverQuality(Base):
    """One hour of one receiver, which begins at ``at``; the formats are ``measurement.codec``'s.

    ``receiver`` is its name in the picture; rows of a feeder go with its record. ``detail`` holds the minutes and is
    emptied after a day. ``simulated``: an hour of a simulator.
    """

    __tablename__ = "receiver_quality"
    __table_args__ = (
        sa.Index("ix_receiver_quality_at", "at"),
        sa.Index("ix_receiver_quality_feeder_id", "feeder_id"),
    )

    receiver: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    at: Mapped[datetime] = mapped_column(primary_key=True)
    feeder_id: Mapped[int | None] = mapped_column(BigId, sa.ForeignKey(Feeder.id, ondelete="CASCADE"))
    summary: Mapped[bytes]
    detail: Mapped[bytes | None]
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())


class ReceiverConnection(Base):
    """A connection of a receiver of the settings or of a feeder.

    ``until`` is when it ended; while it ``is_open``, when it was last seen open, which is written every minute.
    """

    __tablename__ = "receiver_connections"
    __table_args__ = (
        sa.Index("ix_receiver_connections_until", "until"),
        sa.Index("ix_receiver_connections_feeder_id", "feeder_id"),
    )

    receiver: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    since: Mapped[datetime] = mapped_column(primary_key=True)
    until: Mapped[datetime]
    is_open: Mapped[bool]
    feeder_id: Mapped[int | None] = mapped_column(BigId, sa.ForeignKey(Feeder.id, ondelete="CASCADE"))
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
