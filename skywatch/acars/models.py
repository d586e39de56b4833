"""Tables: ACARS messages, and how far followed files have been read.

The words of a message are searched in a full-text index (see ``search.full_text``): SQLite has the tables
``acars_search`` and ``acars_search_blocks`` that triggers keep up to date (see the migrations), PostgreSQL an index on
what the function ``acars_search_words`` makes of ``search_text``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.airframes.military import declare_civil, is_civil
from skywatch.airframes.models import AirframeRecord, MilitaryRecord
from skywatch.core.database.engine import NEVER_REUSED, Base, BigId, JSONDocument


class AcarsMessage(Base):
    """One message. ``search_text`` is its text and decoded title as words of letters and digits."""

    __tablename__ = "acars_messages"
    __table_args__ = (
        sa.Index("ix_acars_messages_at", "at"),
        sa.Index("ix_acars_messages_icao_hex_at", "icao_hex", "at"),
        sa.Index("ix_acars_messages_registration", "registration"),
        sa.Index("ix_acars_messages_label", "label"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime]
    received_at: Mapped[datetime]
    source: Mapped[str] = mapped_column(sa.String(16))
    station: Mapped[str] = mapped_column(sa.String(64))
    frequency_mhz: Mapped[float | None]
    level_db: Mapped[float | None]
    icao_hex: Mapped[str | None] = mapped_column(sa.String(6))
    registration: Mapped[str | None] = mapped_column(sa.String(12))
    flight: Mapped[str | None] = mapped_column(sa.String(8))
    callsign: Mapped[str | None] = mapped_column(sa.String(8))
    flight_id: Mapped[int | None] = mapped_column(sa.BigInteger)
    label: Mapped[str] = mapped_column(sa.String(2))
    sublabel: Mapped[str | None] = mapped_column(sa.String(2))
    block_id: Mapped[str | None] = mapped_column(sa.String(1))
    message_number: Mapped[str | None] = mapped_column(sa.String(8))
    direction: Mapped[str | None] = mapped_column(sa.String(8))
    text: Mapped[str] = mapped_column(sa.Text)
    incomplete: Mapped[bool]
    decoded: Mapped[dict[str, Any] | None] = mapped_column(JSONDocument)
    kind: Mapped[str | None] = mapped_column(sa.String(32))
    lat: Mapped[float | None]
    lon: Mapped[float | None]
    altitude_ft: Mapped[int | None]
    heard_by: Mapped[list[dict[str, Any]]] = mapped_column(JSONDocument)
    repeats: Mapped[int]
    military: Mapped[bool]
    search_text: Mapped[str] = mapped_column(sa.Text)
    raw: Mapped[dict[str, Any]] = mapped_column(JSONDocument)


def _civil() -> Any:
    """The condition on messages of civil aircraft.

    One that is linked to no aircraft is that of the aircraft which the imported airframes have under its registration.
    """
    message, airframe, record = AcarsMessage, AirframeRecord, MilitaryRecord
    spellings = [message.registration, sa.func.replace(message.registration, "-", "")]
    by_registration = sa.exists().where(
        airframe.registration.in_(spellings), record.icao_hex == airframe.icao_hex, record.military
    )
    is_other = sa.or_(message.icao_hex.is_not(None), message.registration.is_(None), sa.not_(by_registration))
    return sa.and_(is_civil(message.icao_hex, message.military), is_other)


declare_civil(AcarsMessage, _civil())


class AcarsFile(Base):
    """How far a followed file has been read, by the name of its input."""

    __tablename__ = "acars_files"

    input: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    position: Mapped[dict[str, Any]] = mapped_column(JSONDocument)
    updated_at: Mapped[datetime]
