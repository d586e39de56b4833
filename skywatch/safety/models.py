"""Tables: safety events, thresholds that an administrator changed, and what was learnt by place."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.airframes.military import declare_civil, names_military
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, Jsonb, JSONDocument

# A document that may be missing: then it is NULL, not the JSON value null.
OptionalDocument = sa.JSON(none_as_null=True).with_variant(Jsonb(none_as_null=True), "postgresql")


class SafetyEvent(Base):
    """One occurrence. ``key`` identifies it within its type; an active one is unique by type and key.

    ``suppressed_by`` is empty for events that were raised. ``hexes`` are all aircraft in it; ``military``: one of them
    was military when the row was written, ``simulated``: one of them was a simulator's.
    """

    __tablename__ = "safety_events"
    __table_args__ = (
        sa.Index("ix_safety_events_began_at_id", "began_at", "id"),
        sa.Index("ix_safety_events_icao_hex", "icao_hex"),
        sa.Index("ix_safety_events_ended_at", "ended_at"),
        sa.UniqueConstraint("active_key", name="uq_safety_events_active_key"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    type: Mapped[str] = mapped_column(sa.String(32))
    severity: Mapped[str] = mapped_column(sa.String(16))
    key: Mapped[str] = mapped_column(sa.String(160))
    # ``type:key`` while it is active, null once it has ended: two trackers cannot begin the same event twice.
    active_key: Mapped[str | None] = mapped_column(sa.String(200))
    icao_hex: Mapped[str | None] = mapped_column(sa.String(7))
    icao_hex_2: Mapped[str | None] = mapped_column(sa.String(7))
    hexes: Mapped[list[str]] = mapped_column(JSONDocument)
    callsigns: Mapped[list[str]] = mapped_column(JSONDocument)
    message: Mapped[str] = mapped_column(sa.String(300))
    # The codes and the parameters of the texts, by member; rows of an older version have none.
    words: Mapped[dict[str, Any] | None]
    began_at: Mapped[datetime]
    last_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    numbers: Mapped[dict[str, Any]] = mapped_column(JSONDocument)
    lat: Mapped[float | None]
    lon: Mapped[float | None]
    altitude_ft: Mapped[int | None]
    closest: Mapped[dict[str, Any] | None] = mapped_column(OptionalDocument)
    suppressed_by: Mapped[list[str]] = mapped_column(JSONDocument)
    # ``suppressed_by`` is not empty: filters need a column.
    held_back: Mapped[bool]
    military: Mapped[bool]
    # Which of them sums are made of: ``skywatch.picture.counted``.
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    acknowledged: Mapped[bool]
    acknowledged_by: Mapped[str | None] = mapped_column(sa.String(254))
    acknowledged_at: Mapped[datetime | None]


declare_civil(SafetyEvent, sa.not_(names_military(SafetyEvent.hexes, SafetyEvent.military)))


class SafetyThreshold(Base):
    """A threshold that differs from its default."""

    __tablename__ = "safety_thresholds"

    name: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    value: Mapped[float]
    updated_at: Mapped[datetime]


class SafetyPlace(Base):
    """The data of one cell: visits by altitude bin, and where aircraft land and take off.

    ``simulated``: of simulated aircraft; cells are of these or of real aircraft, never of both.
    """

    __tablename__ = "safety_places"

    y: Mapped[int] = mapped_column(sa.Integer, primary_key=True, autoincrement=False)
    x: Mapped[int] = mapped_column(sa.Integer, primary_key=True, autoincrement=False)
    levels: Mapped[dict[str, Any]] = mapped_column(JSONDocument)
    runway_lat: Mapped[float | None]
    runway_lon: Mapped[float | None]
    runway_visits: Mapped[int]
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    updated_at: Mapped[datetime]


class SafetyRegion(Base):
    """A region of disturbed navigation signals as it was at a moment: its cells and the counts behind them.

    One row for each change of a region, so that the map can be drawn at any moment. ``aircraft`` are the addresses of
    the bad ones.
    """

    __tablename__ = "safety_regions"
    __table_args__ = (sa.Index("ix_safety_regions_from_at", "from_at"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    region: Mapped[str] = mapped_column(sa.String(64))
    from_at: Mapped[datetime]
    until_at: Mapped[datetime]
    cell_deg: Mapped[float]
    cells: Mapped[list[str]] = mapped_column(JSONDocument)
    aircraft: Mapped[list[str]] = mapped_column(JSONDocument, default=list, server_default="[]")
    bad: Mapped[int]
    good: Mapped[int]
    military: Mapped[bool]
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())


declare_civil(SafetyRegion, sa.not_(names_military(SafetyRegion.aircraft, SafetyRegion.military)))
