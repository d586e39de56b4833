"""Tables that belong to no feature: audit log, events, batches of background writers, fencing tokens, settings,
properties of the schema."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.database.engine import NEVER_REUSED, Base, BigId


class AuditEntry(Base):
    """One security-relevant happening. It names users by number and name, and outlives them."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        # Each filter with the time: the newest that match, within a span, are read in the order of one index.
        sa.Index("ix_audit_entries_at", "at"),
        *(
            sa.Index(f"ix_audit_entries_{column}_at", column, "at")
            for column in ("action", "actor_id", "actor_name", "address", "target_id", "target_type")
        ),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime]
    action: Mapped[str] = mapped_column(sa.String(64))
    actor_id: Mapped[int | None] = mapped_column(BigId)
    actor_name: Mapped[str] = mapped_column(sa.String(254))
    method: Mapped[str] = mapped_column(sa.String(16))
    address: Mapped[str | None] = mapped_column(sa.String(64))
    request_id: Mapped[str | None] = mapped_column(sa.String(128))
    target_type: Mapped[str | None] = mapped_column(sa.String(32))
    target_id: Mapped[str | None] = mapped_column(sa.String(64))
    target_name: Mapped[str | None] = mapped_column(sa.String(254))
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]


class StoredEvent(Base):
    """A message for subscribers, written in the transaction of the change that it is about (``core.events``).

    ``message`` is the whole message as the bus carries it, all its forms and its audience included; ``topic`` and
    ``event`` are repeated for queries. Identifiers are never used twice, so that a reader can go by them.
    """

    __tablename__ = "events"
    __table_args__ = (sa.Index("ix_events_at", "at"), NEVER_REUSED)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime]
    topic: Mapped[str] = mapped_column(sa.String(64))
    event: Mapped[str] = mapped_column(sa.String(64))
    message: Mapped[bytes]


class WriterBatch(Base):
    """The number of the last batch of each background writer, written with the batch (``core.storage.writer``).

    It shows whether a commit whose answer was lost has taken place.
    """

    __tablename__ = "writer_batches"

    writer: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    batch: Mapped[int] = mapped_column(sa.BigInteger)
    at: Mapped[datetime]


class FencingToken(Base):
    """Which process may write under a name: the one that stored its token last (``core.database.fencing``)."""

    __tablename__ = "fencing_tokens"

    name: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    token: Mapped[str] = mapped_column(sa.String(64))
    taken_at: Mapped[datetime]


class StoredSetting(Base):
    """A setting that an administrator made in the console, as text (``core.stored_settings``).

    ``value`` is sealed where it may hold credentials.
    """

    __tablename__ = "stored_settings"

    name: Mapped[str] = mapped_column(sa.String(100), primary_key=True)
    value: Mapped[str] = mapped_column(sa.Text)
    sealed: Mapped[bool] = mapped_column(sa.Boolean)
    updated_at: Mapped[datetime]
    updated_by: Mapped[str] = mapped_column(sa.String(254))


class SchemaProperty(Base):
    """What the schema says of itself (``core.database.migrations``)."""

    __tablename__ = "schema_properties"

    name: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    value: Mapped[str] = mapped_column(sa.String(64))
