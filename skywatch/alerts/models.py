"""The tables of alerts: rules, geofences, watch lists, subscriptions, present matches and announced alerts.

Rules, geofences, watch lists and subscriptions belong to a user and are deleted with the account; alerts remain until
their retention ends.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

# The other modules of the package take it from here: only tables may name another feature's.
from skywatch.accounts.models import User as User
from skywatch.airframes.military import declare_civil, is_civil, names_military
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, JSONDocument


class AlertRule(Base):
    """A rule of a user.

    ``revision`` increases when its conditions change. ``adopted_revision`` is the last one that the engine has started
    to test: if it is lower, the first matches of the new conditions count as announced.
    """

    __tablename__ = "alert_rules"
    __table_args__ = (sa.Index("ix_alert_rules_user_id", "user_id"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(sa.String(120))
    description: Mapped[str] = mapped_column(sa.Text, default="")
    enabled: Mapped[bool] = mapped_column(default=True)
    priority: Mapped[str] = mapped_column(sa.String(8))
    conditions: Mapped[dict[str, Any]]
    for_s: Mapped[float]
    cooldown_s: Mapped[int]
    count: Mapped[dict[str, Any] | None]
    starts_at: Mapped[datetime | None]
    expires_at: Mapped[datetime | None]
    quiet_hours: Mapped[list[Any]] = mapped_column(JSONDocument, default=list)
    channels: Mapped[list[Any]] = mapped_column(JSONDocument, default=list)
    visibility: Mapped[str] = mapped_column(sa.String(8))
    message: Mapped[str] = mapped_column(sa.Text, default="")
    mqtt: Mapped[bool] = mapped_column(default=False)
    revision: Mapped[int] = mapped_column(default=1)
    adopted_revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class AlertSubscription(Base):
    """A user who follows a shared rule of somebody else, with channels of their own."""

    __tablename__ = "alert_subscriptions"
    __table_args__ = (sa.Index("ix_alert_subscriptions_user_id", "user_id"),)

    rule_id: Mapped[int] = mapped_column(sa.ForeignKey(AlertRule.id, ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    channels: Mapped[list[Any]] = mapped_column(JSONDocument, default=list)
    created_at: Mapped[datetime]


class Geofence(Base):
    """Polygons with an altitude band; ``geometry`` is the GeoJSON of the request."""

    __tablename__ = "alert_geofences"
    __table_args__ = (sa.Index("ix_alert_geofences_user_id", "user_id"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(sa.String(120))
    geometry: Mapped[dict[str, Any]]
    floor_ft: Mapped[float | None]
    ceiling_ft: Mapped[float | None]
    elevation_ft: Mapped[float | None]
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class Watchlist(Base):
    """Addresses, registrations and callsigns; ``entries`` has one per line."""

    __tablename__ = "alert_watchlists"
    __table_args__ = (sa.Index("ix_alert_watchlists_user_id", "user_id"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(sa.String(120))
    entries: Mapped[str] = mapped_column(sa.Text, default="", deferred=True)
    entry_count: Mapped[int] = mapped_column(default=0)
    revision: Mapped[int] = mapped_column(default=1)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]


class AlertRevision(Base):
    """One row whose revision increases with every change of a rule, geofence, watch list or subscription."""

    __tablename__ = "alert_revision"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(sa.BigInteger)


class AlertMatch(Base):
    """The match of a rule and an aircraft (or, with an empty address, of its count), for one of its users.

    Its primary key prevents duplicate alerts: an alert is written only if this row could be inserted, or changed from
    not matching after its cooldown. ``in_doubt``: nobody vouched for the last alert, whose cooldown is for such
    alerts alone.
    """

    __tablename__ = "alert_matches"
    __table_args__ = (sa.Index("ix_alert_matches_updated_at", "updated_at"),)

    rule_id: Mapped[int] = mapped_column(sa.ForeignKey(AlertRule.id, ondelete="CASCADE"), primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"), primary_key=True)
    icao_hex: Mapped[str] = mapped_column(sa.String(7), primary_key=True)
    matching: Mapped[bool]
    fired_at: Mapped[datetime | None]
    alert_id: Mapped[int | None] = mapped_column(BigId)
    in_doubt: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    updated_at: Mapped[datetime]


class Alert(Base):
    """An alert of a rule for a user, with the aircraft at that moment.

    ``size_bytes`` is what it adds to the size of its user's alerts. ``of_strangers``: only strangers heard the
    aircraft, or nobody vouched for the alert.
    """

    __tablename__ = "alerts"
    __table_args__ = (
        sa.Index("ix_alerts_triggered_at", "triggered_at"),
        sa.Index("ix_alerts_user_id_triggered_at", "user_id", "triggered_at"),
        sa.Index("ix_alerts_rule_id_triggered_at", "rule_id", "triggered_at"),
        sa.Index("ix_alerts_icao_hex_triggered_at", "icao_hex", "triggered_at"),
        # What a user has, and the oldest acknowledged ones, are read from it alone.
        sa.Index(
            "ix_alerts_user_id_acknowledged", "user_id", "acknowledged", "triggered_at", "size_bytes", "of_strangers"
        ),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int | None] = mapped_column(sa.ForeignKey(User.id, ondelete="SET NULL"))
    rule_id: Mapped[int | None] = mapped_column(sa.ForeignKey(AlertRule.id, ondelete="SET NULL"))
    rule_name: Mapped[str] = mapped_column(sa.String(120))
    priority: Mapped[str] = mapped_column(sa.String(8))
    icao_hex: Mapped[str | None] = mapped_column(sa.String(7))
    callsign: Mapped[str | None] = mapped_column(sa.String(8))
    registration: Mapped[str | None] = mapped_column(sa.String(12))
    message: Mapped[str] = mapped_column(sa.Text)
    # The codes and the parameters of the texts, by member; rows of an older version have none.
    words: Mapped[dict[str, Any] | None]
    aircraft: Mapped[dict[str, Any]]
    matched: Mapped[list[Any]] = mapped_column(JSONDocument)
    geofence: Mapped[str | None] = mapped_column(sa.String(120))
    count: Mapped[int | None]
    military: Mapped[bool]
    triggered_at: Mapped[datetime]
    cleared_at: Mapped[datetime | None]
    acknowledged: Mapped[bool] = mapped_column(default=False)
    acknowledged_by: Mapped[str | None] = mapped_column(sa.String(254))
    acknowledged_at: Mapped[datetime | None]
    size_bytes: Mapped[int] = mapped_column(default=0, server_default="0")
    of_strangers: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    # Of a simulated aircraft, or one of those counted is.
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())


# An alert about a number of aircraft names some of them.
declare_civil(
    Alert,
    sa.and_(
        is_civil(Alert.icao_hex, sa.and_(Alert.military, Alert.icao_hex.is_not(None))),
        sa.or_(Alert.icao_hex.is_not(None), sa.not_(names_military(Alert.matched, Alert.military, member="icao_hex"))),
    ),
)
