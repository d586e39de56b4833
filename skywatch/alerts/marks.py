"""The aircraft of users' active alerts, which maps mark."""

from __future__ import annotations

from collections import defaultdict

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
    rows = session.execute(
        sa.select(AlertMatch.user_id, AlertMatch.icao_hex)
        .join(AlertRule, AlertRule.id == AlertMatch.rule_id)
        .where(AlertMatch.matching, AlertMatch.alert_id.is_not(None), AlertRule.enabled, is_theirs)
        .where(AlertMatch.icao_hex != NOBODY)
    )
    addresses_by_user: dict[int, set[str]] = defaultdict(set)
    for user_id, address in rows:
        addresses_by_user[user_id].add(address.lower())
    return dict(addresses_by_user)
