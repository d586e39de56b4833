"""The table of archived days: what of each day is in the archive, and what may no longer be in the database."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from skywatch.core.database.engine import Base


class ArchivedDay(Base):
    """One kind of data of one day (UTC).

    ``verified_at``: the day's files were read back and had the hashes of the manifest. ``changes`` counts what added
    rows to the day from elsewhere (an import); ``archived_changes`` is that count when the day was archived, and
    ``stored`` how much of it there was in the database (``ArchivedKind.stored``). ``removed_at``: from then on rows of
    the day are deleted from the database; whoever reads the day reads the archive too.
    """

    __tablename__ = "archive_days"

    kind: Mapped[str] = mapped_column(sa.String(16), primary_key=True)
    day: Mapped[date] = mapped_column(sa.Date, primary_key=True)
    rows: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    stored: Mapped[int] = mapped_column(sa.BigInteger, default=0)
    changes: Mapped[int] = mapped_column(default=0)
    archived_changes: Mapped[int] = mapped_column(default=0)
    # The least and the greatest ``id`` in the archived file, where its rows have one.
    first_id: Mapped[int | None] = mapped_column(sa.BigInteger)
    last_id: Mapped[int | None] = mapped_column(sa.BigInteger)
    # Rows of the table on that day, which for chunks of points are fewer than the archived ones.
    entries: Mapped[int | None] = mapped_column(sa.BigInteger)
    verified_at: Mapped[datetime | None]
    removed_at: Mapped[datetime | None]

    @property
    def is_current(self) -> bool:
        """Whether the archive has all of the day."""
        return self.verified_at is not None and self.changes == self.archived_changes
