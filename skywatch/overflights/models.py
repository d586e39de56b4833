"""Tables: an index of low tracks by tile, and reports with their editions."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.accounts.models import User
from skywatch.alerts.models import Geofence
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, JSONDocument


class Tile(Base):
    """The low parts of all tracks in a tile, of the hours from ``block_at`` (unix s) on, encoded; see ``tiles``."""

    __tablename__ = "overflight_tiles"

    tile: Mapped[int] = mapped_column(sa.Integer, primary_key=True, autoincrement=False)
    block_at: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    data: Mapped[bytes] = mapped_column(sa.LargeBinary)

    __table_args__ = (sa.Index("ix_overflight_tiles_block_at", "block_at"),)


class IndexState(Base):
    """How far tracks are in the index: the last chunk, the newest slice (unix s), and up to which height."""

    __tablename__ = "overflight_index"

    id: Mapped[int] = mapped_column(sa.Integer, primary_key=True, autoincrement=False)
    chunk_id: Mapped[int] = mapped_column(sa.BigInteger)
    slice_at: Mapped[int] = mapped_column(sa.BigInteger)
    ceiling_ft: Mapped[int] = mapped_column(sa.Integer, server_default="12000")


class Report(Base):
    """A report of a user about a geofence; ``done_until`` is the end of the last period that was dealt with."""

    __tablename__ = "overflight_reports"
    __table_args__ = (
        sa.Index("ix_overflight_reports_user_id", "user_id"),
        sa.Index("ix_overflight_reports_geofence_id", "geofence_id"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"))
    geofence_id: Mapped[int] = mapped_column(sa.ForeignKey(Geofence.id, ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(sa.String(120))
    below_ft: Mapped[int]
    over: Mapped[str] = mapped_column(sa.String(8))
    every: Mapped[str] = mapped_column(sa.String(8))
    channels: Mapped[list[int]] = mapped_column(JSONDocument, default=list)
    done_until: Mapped[datetime]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class Edition(Base):
    """An edition of a report; ``document`` has its flights, as compressed JSON, ``count`` and ``night`` are of all."""

    __tablename__ = "overflight_editions"
    __table_args__ = (
        sa.UniqueConstraint("report_id", "end_at"),
        sa.Index("ix_overflight_editions_made_at", "made_at"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    report_id: Mapped[int] = mapped_column(sa.ForeignKey(Report.id, ondelete="CASCADE"))
    begin_at: Mapped[datetime]
    end_at: Mapped[datetime]
    made_at: Mapped[datetime]
    count: Mapped[int]
    night: Mapped[int]
    document: Mapped[bytes] = mapped_column(sa.LargeBinary)
