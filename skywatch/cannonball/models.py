"""The tables of the Cannonball area: known aircraft, sessions, flight patterns and alerts.

A session or an alert belongs to one user; a pattern belongs to an aircraft and is linked to the sessions in which
it was flown. A user's position is stored only in ``user_lat`` and ``user_lon`` of an alert.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.accounts.models import User
from skywatch.airframes.military import declare_civil, in_block, is_civil, is_military_address
from skywatch.cannonball.vocabulary import AgencyType
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, JSONDocument
from skywatch.core.text.accents import fold

# Whom sessions and alerts belong to.
OWNER_ID = User.id
# Folding can lengthen a text; PostgreSQL refuses more than 2,704 bytes in an index.
SEARCH_TEXT_LENGTH = 500


class KnownAircraft(Base):
    """An aircraft known to fly for law enforcement (or another agency).

    ``edited_fields`` are the fields edited by hand, which imports do not change. ``search_text`` is what the search
    compares, and ``military`` whether the address lies in a military block; statements that bypass the ORM set them
    with ``derived_columns``. ``revision`` is the list's revision (see KnownRevision) at this row's last change.
    """

    __tablename__ = "cannonball_known_aircraft"
    __table_args__ = (
        # Searches, filters and counts are answered by this index alone: without it, SQLite looks up every row of the
        # table, which takes ten times as long.
        sa.Index(
            "ix_cannonball_known_aircraft_search",
            "icao_hex",
            "search_text",
            "agency_type",
            "agency_state",
            "source",
            "verified",
            "military",
        ),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    icao_hex: Mapped[str] = mapped_column(sa.String(6), unique=True)
    registration: Mapped[str] = mapped_column(sa.String(12), default="")
    aircraft_type: Mapped[str] = mapped_column(sa.String(8), default="")
    aircraft_model: Mapped[str] = mapped_column(sa.String(120), default="")
    agency_name: Mapped[str] = mapped_column(sa.String(160), default="")
    agency_type: Mapped[str] = mapped_column(sa.String(10), default="unknown")
    agency_state: Mapped[str] = mapped_column(sa.String(2), default="")
    agency_city: Mapped[str] = mapped_column(sa.String(80), default="")
    source: Mapped[str] = mapped_column(sa.String(10), default="manual")
    source_url: Mapped[str] = mapped_column(sa.String(500), default="")
    verified: Mapped[bool] = mapped_column(default=False)
    verified_at: Mapped[datetime | None]
    times_detected: Mapped[int] = mapped_column(default=0)
    last_detected: Mapped[datetime | None]
    notes: Mapped[str] = mapped_column(sa.Text, default="")
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    edited_fields: Mapped[list[str]] = mapped_column(default=list)
    revision: Mapped[int] = mapped_column(sa.BigInteger, default=0, index=True)
    military: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    search_text: Mapped[str] = mapped_column(sa.String(SEARCH_TEXT_LENGTH), default="", server_default="")


def derived_columns(icao_hex: str, registration: str, agency_name: str) -> dict[str, Any]:
    """Return ``military`` and ``search_text`` of an entry."""
    # A line break prevents matches across the texts.
    text = "\n".join(map(fold, (icao_hex, registration, agency_name)))
    return {"military": is_military_address(icao_hex), "search_text": text[:SEARCH_TEXT_LENGTH]}


@sa.event.listens_for(KnownAircraft, "before_insert")
@sa.event.listens_for(KnownAircraft, "before_update")
def _derive(mapper: object, connection: sa.Connection, entry: KnownAircraft) -> None:
    derived = derived_columns(entry.icao_hex, entry.registration or "", entry.agency_name or "")
    for name, value in derived.items():
        setattr(entry, name, value)


class KnownRevision(Base):
    """One row: the revision of the list of known aircraft, one higher with every transaction that changes it."""

    __tablename__ = "cannonball_known_revision"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    revision: Mapped[int] = mapped_column(sa.BigInteger)


class KnownRemoval(Base):
    """An entry removed from the list at a revision; processes of the version before read it."""

    __tablename__ = "cannonball_known_removals"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    icao_hex: Mapped[str] = mapped_column(sa.String(6))
    revision: Mapped[int] = mapped_column(sa.BigInteger, index=True)


class CannonballSession(Base):
    """One aircraft of interest near one user, from its arrival to its departure."""

    __tablename__ = "cannonball_sessions"
    __table_args__ = (
        sa.Index("ix_cannonball_sessions_user_id_is_active", "user_id", "is_active"),
        sa.Index("ix_cannonball_sessions_user_id_started_at", "user_id", "started_at"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"))
    icao_hex: Mapped[str] = mapped_column(sa.String(7), index=True)
    callsign: Mapped[str] = mapped_column(sa.String(8), default="")
    military: Mapped[bool] = mapped_column(default=False)
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    identification: Mapped[str] = mapped_column(sa.String(10))
    known_aircraft_id: Mapped[int | None] = mapped_column(
        # Named explicitly: the name of the naming convention is too long for PostgreSQL.
        sa.ForeignKey(
            "cannonball_known_aircraft.id", ondelete="SET NULL", name="fk_cannonball_sessions_known_aircraft_id"
        ),
        index=True,
    )
    agency_name: Mapped[str] = mapped_column(sa.String(160), default="")
    is_active: Mapped[bool] = mapped_column(default=True, index=True)
    threat_level: Mapped[str] = mapped_column(sa.String(8))
    peak_threat_level: Mapped[str] = mapped_column(sa.String(8))
    urgency_score: Mapped[float]
    peak_urgency_score: Mapped[float]
    distance_nm: Mapped[float]
    closest_nm: Mapped[float]
    bearing: Mapped[float]
    closing_speed_kts: Mapped[float]
    started_at: Mapped[datetime] = mapped_column(index=True)
    last_seen: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    end_reason: Mapped[str | None] = mapped_column(sa.String(24))
    pattern_count: Mapped[int] = mapped_column(default=0)
    alert_count: Mapped[int] = mapped_column(default=0)


class FlightPattern(Base):
    """A flight pattern detected in an aircraft's trail; ``key`` is the flight and the pattern's number in it."""

    __tablename__ = "cannonball_patterns"
    __table_args__ = NEVER_REUSED

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    key: Mapped[str] = mapped_column(sa.String(80), unique=True)
    icao_hex: Mapped[str] = mapped_column(sa.String(7), index=True)
    callsign: Mapped[str] = mapped_column(sa.String(8), default="")
    military: Mapped[bool] = mapped_column(default=False)
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    pattern_type: Mapped[str] = mapped_column(sa.String(20))
    is_surveillance: Mapped[bool]
    confidence: Mapped[str] = mapped_column(sa.String(8))
    confidence_score: Mapped[float]
    center_lat: Mapped[float]
    center_lon: Mapped[float]
    radius_nm: Mapped[float]
    started_at: Mapped[datetime] = mapped_column(index=True)
    ended_at: Mapped[datetime | None] = mapped_column(index=True)
    duration_s: Mapped[float]
    details: Mapped[dict[str, Any]] = mapped_column(default=dict)


# A process of the release before leaves the mark and the text out: its entries are marked when they are read.
_is_marked = sa.or_(KnownAircraft.military, sa.and_(KnownAircraft.search_text == "", in_block(KnownAircraft.icao_hex)))
declare_civil(
    KnownAircraft,
    sa.and_(KnownAircraft.agency_type != AgencyType.MILITARY.value, is_civil(KnownAircraft.icao_hex, _is_marked)),
)


def _civil(address: Any, was_marked: Any) -> Any:
    """The condition on rows about aircraft that are neither military nor those of a military agency."""
    known = KnownAircraft
    of_agency = sa.exists().where(known.icao_hex == address, known.agency_type == AgencyType.MILITARY.value)
    return sa.and_(is_civil(address, was_marked), sa.not_(of_agency))


for _about in (CannonballSession, FlightPattern):
    declare_civil(_about, _civil(_about.icao_hex, _about.military))


class SessionPattern(Base):
    """Links a pattern to a session in which it was flown."""

    __tablename__ = "cannonball_session_patterns"

    session_id: Mapped[int] = mapped_column(
        sa.ForeignKey("cannonball_sessions.id", ondelete="CASCADE"), primary_key=True
    )
    pattern_id: Mapped[int] = mapped_column(
        sa.ForeignKey("cannonball_patterns.id", ondelete="CASCADE"), primary_key=True, index=True
    )


class CannonballAlert(Base):
    """An alert of a session, with the numbers of that moment.

    ``in_doubt``: nobody vouched for the aircraft's place; its pause is for such alerts alone.
    """

    __tablename__ = "cannonball_alerts"
    __table_args__ = (sa.Index("ix_cannonball_alerts_user_id_created_at", "user_id", "created_at"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    user_id: Mapped[int] = mapped_column(sa.ForeignKey(User.id, ondelete="CASCADE"))
    session_id: Mapped[int] = mapped_column(sa.ForeignKey("cannonball_sessions.id", ondelete="CASCADE"), index=True)
    pattern_id: Mapped[int | None] = mapped_column(
        sa.ForeignKey("cannonball_patterns.id", ondelete="SET NULL"), index=True
    )
    session_icao: Mapped[str] = mapped_column(sa.String(7))
    session_callsign: Mapped[str] = mapped_column(sa.String(8), default="")
    military: Mapped[bool] = mapped_column(default=False)
    simulated: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    alert_type: Mapped[str] = mapped_column(sa.String(20))
    priority: Mapped[str] = mapped_column(sa.String(8))
    in_doubt: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    title: Mapped[str] = mapped_column(sa.String(200))
    message: Mapped[str] = mapped_column(sa.Text)
    # The codes and the parameters of the texts, by member; rows of an older version have none.
    words: Mapped[dict[str, Any] | None]
    aircraft_lat: Mapped[float]
    aircraft_lon: Mapped[float]
    aircraft_altitude: Mapped[int | None]
    user_lat: Mapped[float]
    user_lon: Mapped[float]
    distance_nm: Mapped[float]
    bearing: Mapped[float]
    notified: Mapped[bool] = mapped_column(default=False)
    # The first delivery of each kind: ``{kind, at}``.
    delivered_by: Mapped[list[dict[str, Any]]] = mapped_column(JSONDocument, default=list, server_default="[]")
    announced: Mapped[bool] = mapped_column(default=False)
    acknowledged: Mapped[bool] = mapped_column(default=False)
    acknowledged_at: Mapped[datetime | None]
    created_at: Mapped[datetime] = mapped_column(index=True)


declare_civil(CannonballAlert, _civil(CannonballAlert.session_icao, CannonballAlert.military))
