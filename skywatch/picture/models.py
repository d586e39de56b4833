"""The saved state of the picture, so that it survives a restart, and since when real aircraft are heard."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.database.engine import Base


class PictureState(Base):
    """A compressed blob and when it was saved: one row a part, overwritten in place."""

    __tablename__ = "picture_state"

    name: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    saved_at: Mapped[datetime]
    data: Mapped[bytes] = mapped_column(sa.LargeBinary)


class RealSky(Base):
    """At most one row: since when a receiver that is not simulated is heard (``picture.counted``)."""

    __tablename__ = "real_sky"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    since: Mapped[datetime]
