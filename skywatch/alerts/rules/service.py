"""The rules of rules: whose they are, what a change means for what they have announced, and who follows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.access import MAXIMUM_RULES, check_room, own, owner_id, sees_all
from skywatch.alerts.history.ending import end_matches
from skywatch.alerts.models import AlertMatch, AlertRule, AlertSubscription, User
from skywatch.alerts.revision import raise_revision
from skywatch.alerts.rules.checks import check_rights, faults_of, settled
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.notify.channels import foreign_channels
from skywatch.security.visibility import Visibility

# Changes of these begin a rule anew.
ASKED = ("conditions", "count")
STORED = (
    "name", "description", "enabled", "priority", "conditions", "for_s", "cooldown_s", "count", "starts_at",
    "expires_at", "quiet_hours", "channels", "visibility", "message", "mqtt",
)  # fmt: skip


class RuleService:
    """Rules as one caller may see and change them."""

    def __init__(self, session: Session, may: Visibility) -> None:
        self.session = session
        self.may = may

    def page(self, query: Mapping[str, Any]) -> tuple[Sequence[AlertRule], int]:
        """Own and shared rules (all with ``alerts.manage_all``), by id."""
        rules = sa.select(AlertRule).where(self._visible())
        if query.get("enabled") is not None:
            rules = rules.where(AlertRule.enabled.is_(query["enabled"]))
        if query.get("shared") is not None:
            is_own = AlertRule.user_id == self.may.user_id
            rules = rules.where(sa.and_(AlertRule.visibility == "shared", ~is_own) if query["shared"] else is_own)
        count = self.session.scalar(sa.select(sa.func.count()).select_from(rules.subquery())) or 0
        cut = rules.order_by(AlertRule.id).offset(query["offset"]).limit(query["limit"])
        return self.session.scalars(cut).all(), count

    def get(self, rule_id: int) -> AlertRule:
        """A rule that the caller may see; 404 otherwise."""
        rule = self.session.scalar(sa.select(AlertRule).where(AlertRule.id == rule_id, self._visible()))
        if rule is None:
            raise not_found("rule")
        return rule

    def changeable(self, rule_id: int) -> AlertRule:
        """A rule that the caller may change; 403 for a shared one of others."""
        rule = self.get(rule_id)
        if rule.user_id != self.may.user_id and not sees_all(self.may):
            raise Problem("permission_denied", "The rule belongs to somebody else; you can follow it.")
        return rule

    def create(self, values: Mapping[str, Any]) -> AlertRule:
        """A new rule of the caller."""
        user_id = owner_id(self.may)
        check_room(self.session, AlertRule, user_id, MAXIMUM_RULES, "rules")
        rule = self.add(settled(values), user_id)
        raise_revision(self.session)
        return rule

    def add(self, values: Mapping[str, Any], user_id: int) -> AlertRule:
        """A new rule whose members are complete; checked against what it refers to."""
        self._check(values, user_id)
        now = utcnow()
        rule = AlertRule(user_id=user_id, created_at=now, updated_at=now, **{name: values[name] for name in STORED})
        self.session.add(rule)
        self.session.flush()
        return rule

    def change(self, rule_id: int, values: Mapping[str, Any]) -> AlertRule:
        """Change a rule; changed conditions begin anew, silently for what matches then."""
        rule = self.changeable(rule_id)
        before = {name: getattr(rule, name) for name in STORED}
        if "conditions" in values and "for_s" not in values:
            # What was an event may be one no longer, and the other way round.
            values = {**values, "for_s": None if _was_default(before) else before["for_s"]}
        after = settled({**before, **values})
        self._check(after, rule.user_id, after if _asks_more(before, after) else {**after, "mqtt": False})
        for name in STORED:
            if before[name] != after[name]:
                setattr(rule, name, after[name])
        begins = any(before[name] != after[name] for name in ASKED)
        if begins or after["enabled"] != before["enabled"]:
            rule.revision += 1
            end_matches(self.session, AlertMatch.rule_id == rule.id, forget=begins)
        if before["visibility"] == "shared" and after["visibility"] == "private":
            self.session.execute(sa.delete(AlertSubscription).where(AlertSubscription.rule_id == rule.id))
            of_others = AlertMatch.user_id != rule.user_id
            end_matches(self.session, AlertMatch.rule_id == rule.id, of_others, forget=True)
        rule.updated_at = utcnow()
        raise_revision(self.session)
        return rule

    def delete(self, rule_id: int) -> None:
        """Remove a rule; its alerts stay, without it."""
        rule = self.changeable(rule_id)
        end_matches(self.session, AlertMatch.rule_id == rule.id, forget=True)
        self.session.delete(rule)
        raise_revision(self.session)

    def follow(self, rule_id: int, channels: Sequence[int]) -> AlertSubscription:
        """Follow a shared rule of somebody else, or change the channels."""
        user_id = owner_id(self.may)
        rule = self.get(rule_id)
        if rule.user_id == user_id:
            raise Problem("conflict", "The rule is your own; give it channels instead.")
        if rule.visibility != "shared":
            raise Problem("conflict", "The rule is not shared.")
        foreign = foreign_channels(self.session, user_id, channels)
        if foreign:
            raise invalid_fields({"channels": f"there is no channel {', '.join(map(str, foreign))} of yours"})
        following = self.session.get(AlertSubscription, (rule_id, user_id))
        if following is None:
            following = AlertSubscription(rule_id=rule_id, user_id=user_id, created_at=utcnow())
            self.session.add(following)
        following.channels = list(channels)
        raise_revision(self.session)
        return following

    def unfollow(self, rule_id: int) -> None:
        """Follow a rule no longer; 404 where the caller does not."""
        following = self.session.get(AlertSubscription, (rule_id, self.may.user_id)) if self.may.user_id else None
        if following is None:
            raise not_found("subscription")
        self.session.delete(following)
        of_user = AlertMatch.user_id == following.user_id
        end_matches(self.session, AlertMatch.rule_id == rule_id, of_user, forget=True)
        raise_revision(self.session)

    def followed(self, rules: Sequence[AlertRule]) -> dict[int, list[Any]]:
        """Which of these rules the caller follows, with the caller's channels."""
        rows = self.session.scalars(
            sa.select(AlertSubscription).where(
                AlertSubscription.user_id == self.may.user_id, AlertSubscription.rule_id.in_([r.id for r in rules])
            )
        )
        return {row.rule_id: row.channels for row in rows}

    def usernames(self, rules: Sequence[AlertRule]) -> dict[int, str]:
        """Names of the rules' owners."""
        ids = {rule.user_id for rule in rules}
        return {
            row.id: row.username
            for row in self.session.execute(sa.select(User.id, User.username).where(User.id.in_(ids)))
        }

    def _visible(self) -> sa.ColumnElement[bool]:
        return sa.or_(own(AlertRule, self.may), AlertRule.visibility == "shared")

    def _check(self, values: Mapping[str, Any], user_id: int, asked: Mapping[str, Any] | None = None) -> None:
        faults = faults_of(self.session, values, user_id)
        if faults:
            raise invalid_fields(faults)
        check_rights(asked or values, self.may)


def _was_default(before: Mapping[str, Any]) -> bool:
    return bool(settled({**before, "for_s": None})["for_s"] == before["for_s"])


def _asks_more(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return bool(after["mqtt"] and not before["mqtt"])
