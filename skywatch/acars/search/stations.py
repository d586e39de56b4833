"""The condition that a station received a message: the first one, or another one of ``heard_by``."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.models import AcarsMessage


def heard(session: Session, name: str) -> Any:
    """Selects what a station received; upper and lower case are the same."""
    name = name.lower()
    # The list is looked into only where the first station is another one.
    return sa.or_(sa.func.lower(AcarsMessage.station) == name, _is_listed(session, name))


def _is_listed(session: Session, name: str) -> Any:
    if session.get_bind().dialect.name == "sqlite":
        receptions = sa.func.json_each(AcarsMessage.heard_by).table_valued(sa.column("value", sa.Text))
        station: Any = sa.func.json_extract(receptions.c.value, "$.station")
    else:
        receptions = sa.func.jsonb_array_elements(AcarsMessage.heard_by).table_valued(sa.column("value", sa.Text))
        station = receptions.c.value.op("->>")("station")
    return sa.exists(sa.select(1).select_from(receptions).where(sa.func.lower(station) == name))
