"""The saved state of the picture, so that it survives a restart: one row a part, overwritten in place."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.database.engine import Base


class PictureState(Base):
    """A compressed blob and when it was saved."""

    __tablename__ = "picture_state"

    name: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    saved_at: Mapped[datetime]
    data: Mapped[bytes] = mapped_column(sa.LargeBinary)
