"""How many ACARS messages an aircraft has sent or received lately; features meet in the database."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import UTCDateTime
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

SPAN = timedelta(hours=24)
_messages = sa.table("acars_messages", sa.column("icao_hex", sa.String), sa.column("at", UTCDateTime))


def acars_messages(session: Session, may: Visibility, address: str) -> int | None:
    """ACARS messages of the last 24 hours that an aircraft is linked to; None for who may not see any."""
    if Permission.ACARS_VIEW not in may.permissions:
        return None
    query = sa.select(sa.func.count()).where(_messages.c.icao_hex == address.upper(), _messages.c.at >= utcnow() - SPAN)
    return session.scalar(query.select_from(_messages)) or 0
