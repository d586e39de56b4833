"""Which rows belong to a day."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.archive.kinds import ArchivedKind

FIRST, SECOND = date(2026, 3, 1), date(2026, 3, 2)
MIDNIGHT = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.mark.parametrize("unix", [False, True])
def test_midnight_belongs_to_the_day_that_begins(unix):
    table = sa.Table("rows", sa.MetaData(), sa.Column("at", sa.BigInteger if unix else sa.DateTime(timezone=True)))
    engine = sa.create_engine("sqlite://")
    table.create(engine)
    kind = ArchivedKind(name="rows", table=table, column="at", files=None, retention="rows", unix=unix)
    with Session(engine) as session:
        session.execute(sa.insert(table), {"at": int(MIDNIGHT.timestamp()) if unix else MIDNIGHT})
        assert (kind.entries(session, FIRST), kind.entries(session, SECOND)) == (0, 1)
