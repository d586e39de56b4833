"""The aircraft of users' active alerts, which maps mark."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.engine.rule import NOBODY
from skywatch.alerts.models import AlertMatch, AlertRule, AlertSubscription


def marked_aircraft(session: Session) -> dict[int, set[str]]:
    """For each user the addresses of aircraft with an active alert."""
    follows = sa.exists().where(
        AlertSubscription.rule_id == AlertMatch.rule_id, AlertSubscription.user_id == AlertMatch.user_id
    )
    is_theirs = sa.or_(
        AlertRule.user_id == AlertMatch.user_id,
        # Matches of a user who no longer follows a shared rule do not count.
        sa.and_(AlertRule.visibility == "shared", follows),
    )
    # One text for each user: an object for each address takes longer than the query.
    marked = sa.func.aggregate_strings(sa.func.lower(AlertMatch.icao_hex), ",")
    rows = session.execute(
        sa.select(AlertMatch.user_id, marked)
        .join(AlertRule, AlertRule.id == AlertMatch.rule_id)
        .where(AlertMatch.matching, AlertMatch.alert_id.is_not(None), AlertRule.enabled, is_theirs)
        .where(AlertMatch.icao_hex != NOBODY)
        .group_by(AlertMatch.user_id)
    )
    return {user_id: set(addresses.split(",")) for user_id, addresses in rows}
