"""Tables that belong to no feature: the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.db import Base, BigId


class AuditEntry(Base):
    """One security-relevant happening. It names users by number and name, and outlives them."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        sa.Index("ix_audit_entries_at", "at"),
        sa.Index("ix_audit_entries_actor_id", "actor_id"),
        sa.Index("ix_audit_entries_action", "action"),
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
