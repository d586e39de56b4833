"""The MQTT publications of the installation: rules with ``mqtt``, their states and their alerts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.engine.rule import NOBODY
from skywatch.alerts.history.answers import alert_answer, document
from skywatch.alerts.models import Alert, AlertMatch, AlertRule
from skywatch.core.clock import utcnow
from skywatch.notify.hooks import RuleAlert, RuleState
from skywatch.picture.counted import counted
from skywatch.security.visibility import EVERYTHING

_published = sa.and_(AlertRule.enabled, AlertRule.mqtt)
# Only alerts of the rule's owner: followers have alerts of their own.
_of_owner = sa.and_(Alert.rule_id == AlertRule.id, Alert.user_id == AlertRule.user_id)


class PublishedRules:
    """See ``skywatch.notify.hooks.RuleSource``."""

    def rules(self, session: Session) -> Sequence[RuleState]:
        """The enabled rules to publish. What only one feeder has heard switches nothing on."""
        matching = sa.and_(
            AlertMatch.rule_id == AlertRule.id,
            AlertMatch.user_id == AlertRule.user_id,
            AlertMatch.matching,
            AlertMatch.in_doubt.is_(False),
        )
        rows = session.execute(
            sa.select(AlertRule.id, AlertRule.name, sa.func.count(AlertMatch.rule_id), sa.func.max(AlertMatch.icao_hex))
            .outerjoin(AlertMatch, matching)
            .where(_published)
            .group_by(AlertRule.id, AlertRule.name)
            .order_by(AlertRule.id)
        )
        return [
            RuleState(rule_id, name, number > 0, self._count(session, rule_id) if subject == NOBODY else number)
            for rule_id, name, number, subject in rows
        ]

    def last_alert_id(self, session: Session) -> int:
        """The id of the newest alert, 0 if there is none."""
        return session.scalar(sa.select(sa.func.max(Alert.id))) or 0

    def events_after(self, session: Session, alert_id: int, limit: int) -> Sequence[RuleAlert]:
        """Alerts of published rules with higher ids, oldest first."""
        alerts = session.scalars(
            sa.select(Alert)
            .join(AlertRule, _of_owner)
            .where(_published, Alert.id > alert_id)
            .order_by(Alert.id)
            .limit(limit)
        )
        return [
            RuleAlert(alert.id, alert.rule_id, document(alert_answer(alert, [], EVERYTHING.permissions)))
            for alert in alerts
            if alert.rule_id is not None
        ]

    def statistics(self, session: Session) -> dict[str, Any]:
        """The number of enabled rules, of alerts in 24 hours and of unacknowledged alerts."""
        alerts = sa.select(sa.func.count()).select_from(Alert).where(counted(session, Alert.simulated))
        return {
            "rules": session.scalar(sa.select(sa.func.count()).select_from(AlertRule).where(AlertRule.enabled)) or 0,
            "alerts_24h": session.scalar(alerts.where(Alert.triggered_at > utcnow() - timedelta(days=1))) or 0,
            "unacknowledged": session.scalar(alerts.where(Alert.acknowledged.is_(False))) or 0,
        }

    def _count(self, session: Session, rule_id: int) -> int:
        """The number of aircraft in the last alert of a rule with a count."""
        last = (
            sa.select(Alert.count).join(AlertRule, _of_owner).where(AlertRule.id == rule_id, Alert.count.is_not(None))
        )
        return session.scalar(last.order_by(Alert.id.desc()).limit(1)) or 0
