"""The table of the system feature: how the health of its parts changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.database.engine import Base, BigId


class HealthChange(Base):
    """One change of one part; ``before`` is empty for the first state after a start of the tracker."""

    __tablename__ = "health_changes"
    __table_args__ = (sa.Index("ix_health_changes_at", "at"),)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    at: Mapped[datetime]
    part: Mapped[str] = mapped_column(sa.String(64))
    before: Mapped[str] = mapped_column(sa.String(16))
    after: Mapped[str] = mapped_column(sa.String(16))
    reason: Mapped[str] = mapped_column(sa.String(500))
    # The codes and the parameters of the texts, by member; rows of an older version have none.
    words: Mapped[dict[str, Any] | None]
