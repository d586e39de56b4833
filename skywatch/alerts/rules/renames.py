"""Rules on the state of a thing follow its name: a new name of the thing goes to the rules that name it."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.fields import all_fields
from skywatch.alerts.models import AlertRule
from skywatch.alerts.revision import raise_revision
from skywatch.alerts.rules.service import audited, record_change
from skywatch.core.clock import utcnow
from skywatch.core.storage.audit import Actor


def follow_name(session: Session, actor: Actor, kind: str, before: str, after: str) -> None:
    """See ``skywatch.core.hooks.AfterRename``. What a rule has announced stays announced."""
    rules = _rules_on(session, kind, before)
    for rule in rules:
        present = audited(rule)
        rule.conditions = {**rule.conditions, "value": after}
        if rule.adopted_revision == rule.revision:
            rule.adopted_revision += 1
        rule.revision += 1
        rule.updated_at = utcnow()
        after_change = {**audited(rule), "conditions_changed": True, f"{kind}_name": after}
        record_change(
            session, actor, "rule.changed", rule, before={**present, f"{kind}_name": before}, after=after_change
        )
    if rules:
        raise_revision(session)


def _rules_on(session: Session, kind: str, name: str) -> list[AlertRule]:
    """The rules on a state of the thing of this name; such a test is alone in its rule."""
    fields = [field.name for field in all_fields().values() if field.state is not None and field.state.kind == kind]
    mentions = (
        sa.or_(*(sa.cast(AlertRule.conditions, sa.Text).contains(field) for field in fields)) if fields else sa.false()
    )
    rules = session.scalars(sa.select(AlertRule).where(mentions).order_by(AlertRule.id).with_for_update())
    return [
        rule
        for rule in rules
        if rule.conditions.get("field") in fields and _key(rule.conditions["value"]) == _key(name)
    ]


def _key(name: str) -> str:
    return name.strip().casefold()
