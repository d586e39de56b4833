"""What the API shows of ACARS in the answer about one aircraft."""

from __future__ import annotations

from collections.abc import Set
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.acars.models import AcarsMessage
from skywatch.core.clock import utcnow
from skywatch.core.runtime import Runtime
from skywatch.http.resources.schema import JsonInteger, nullable_node
from skywatch.security.visibility import Visibility

SPAN = timedelta(hours=24)
MESSAGES = nullable_node(JsonInteger(), "ACARS messages of the last 24 hours; null without `acars.view`.")


def count_messages(runtime: Runtime, session: Session, addresses: Set[str], visibility: Visibility) -> dict[str, int]:
    """The number of messages of the last 24 hours of each aircraft."""
    query = sa.select(AcarsMessage.icao_hex, sa.func.count())
    rows = session.execute(
        query.where(AcarsMessage.icao_hex.in_(addresses), AcarsMessage.at >= utcnow() - SPAN).group_by(
            AcarsMessage.icao_hex
        )
    )
    return dict.fromkeys(addresses, 0) | {address: count for address, count in rows if address is not None}
