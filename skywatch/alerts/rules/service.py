"""The service of rules: ownership, changes with their effect on active alerts, and followers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.access import (
    MAXIMUM_CONDITIONS,
    MAXIMUM_RULES,
    check_room,
    check_sum,
    first_within,
    json_length,
    own,
    owner_id,
    sees_all,
)
from skywatch.alerts.conditions.tree import ConditionsFault
from skywatch.alerts.history.ending import end_matches
from skywatch.alerts.models import AlertMatch, AlertRule, AlertSubscription, User
from skywatch.alerts.rules.checks import check_rights, faults_of, with_duration
from skywatch.alerts.rules.revision import raise_revision
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.core.storing.audit import Actor, Target, record
from skywatch.notify.channels.queries import foreign_channels
from skywatch.security.visibility import Visibility

# A page ends where its conditions have so many characters.
LARGEST_PAGE = 4_000_000
# Changes of these members restart a rule.
RESTARTING = ("conditions", "count")
STORED = (
    "name", "description", "enabled", "priority", "conditions", "for_s", "cooldown_s", "count", "starts_at",
    "expires_at", "quiet_hours", "channels", "visibility", "message", "mqtt",
)  # fmt: skip
UNAUDITED = frozenset({"description", "conditions", "message"})


class RuleService:
    """Rules as one caller may see and change them."""

    def __init__(self, session: Session, visibility: Visibility, actor: Actor) -> None:
        self.session = session
        self.visibility = visibility
        self.actor = actor

    def page(self, query: Mapping[str, Any]) -> tuple[Sequence[AlertRule], int]:
        """Own and shared rules (all with ``alerts.manage_all``), by id, and the count of all.

        A page ends before its limit where the conditions are large.
        """
        rules = sa.select(AlertRule).where(self._visible())
        if query.get("enabled") is not None:
            rules = rules.where(AlertRule.enabled.is_(query["enabled"]))
        if query.get("shared") is not None:
            is_own = AlertRule.user_id == self.visibility.user_id
            rules = rules.where(sa.and_(AlertRule.visibility == "shared", ~is_own) if query["shared"] else is_own)
        count = self.session.scalar(sa.select(sa.func.count()).select_from(rules.subquery())) or 0
        cut = rules.order_by(AlertRule.id).offset(query["offset"]).limit(query["limit"])
        ids = first_within(
            self.session, cut.with_only_columns(AlertRule.id), json_length(AlertRule.conditions), LARGEST_PAGE
        )
        whole = sa.select(AlertRule).where(AlertRule.id.in_(ids)).order_by(AlertRule.id)
        return self.session.scalars(whole).all(), count

    def get(self, rule_id: int) -> AlertRule:
        """A rule that the caller may see; raises Problem (404) otherwise."""
        rule = self.session.scalar(sa.select(AlertRule).where(AlertRule.id == rule_id, self._visible()))
        if rule is None:
            raise not_found("rule")
        return rule

    def changeable(self, rule_id: int) -> AlertRule:
        """A rule that the caller may change; raises Problem (404; 403 for a shared rule of another user)."""
        rule = self.get(rule_id)
        if not self.may_change(rule):
            raise Problem("permission_denied", "The rule belongs to somebody else; you can follow it.")
        return rule

    def may_change(self, rule: AlertRule) -> bool:
        """Whether the rule is the caller's, or the caller may change everybody's."""
        return rule.user_id == self.visibility.user_id or sees_all(self.visibility)

    def create(self, values: Mapping[str, Any]) -> AlertRule:
        """Create a rule of the caller; raises Problem (400, 401, 403, 409)."""
        user_id = owner_id(self.visibility)
        check_room(self.session, AlertRule, user_id, MAXIMUM_RULES, "rules")
        rule = self.add(with_duration(values), user_id)
        raise_revision(self.session)
        self._record("rule.created", rule, after=_audited(rule))
        return rule

    def add(self, values: Mapping[str, Any], user_id: int) -> AlertRule:
        """Add a rule with all members, after checking its references; raises Problem (400, 403)."""
        self._check(values, user_id)
        self._check_size(values, user_id)
        now = utcnow()
        rule = AlertRule(user_id=user_id, created_at=now, updated_at=now, **{name: values[name] for name in STORED})
        self.session.add(rule)
        self.session.flush()
        return rule

    def change(self, rule_id: int, values: Mapping[str, Any]) -> AlertRule:
        """Change a rule; changed conditions restart it, and their first matches are not announced.

        A rule whose conditions are refused since a new version can only be switched off, or get other conditions.
        """
        rule = self.changeable(rule_id)
        before, present = {name: getattr(rule, name) for name in STORED}, _audited(rule)
        if "conditions" in values and "for_s" not in values:
            # The change may turn an event into a state, or the other way round.
            values = {**values, "for_s": None if _was_default(before) else before["for_s"]}
        after = with_duration({**before, **values})
        self._check(after, rule.user_id, after if _starts_publishing(before, after) else {**after, "mqtt": False})
        if before["conditions"] != after["conditions"]:
            self._check_size(after, rule.user_id, rule.id)
        for name in STORED:
            if before[name] != after[name]:
                setattr(rule, name, after[name])
        begins = any(before[name] != after[name] for name in RESTARTING)
        if begins or after["enabled"] != before["enabled"]:
            rule.revision += 1
            end_matches(self.session, AlertMatch.rule_id == rule.id, forget=begins)
        if before["visibility"] == "shared" and after["visibility"] == "private":
            self.session.execute(sa.delete(AlertSubscription).where(AlertSubscription.rule_id == rule.id))
            of_others = AlertMatch.user_id != rule.user_id
            end_matches(self.session, AlertMatch.rule_id == rule.id, of_others, forget=True)
        rule.updated_at = utcnow()
        raise_revision(self.session)
        flags = {"conditions_changed": True} if before["conditions"] != after["conditions"] else {}
        self._record("rule.changed", rule, before=present, after=_audited(rule) | flags)
        return rule

    def delete(self, rule_id: int) -> None:
        """Delete a rule; its alerts remain without it."""
        rule = self.changeable(rule_id)
        end_matches(self.session, AlertMatch.rule_id == rule.id, forget=True)
        self.session.delete(rule)
        raise_revision(self.session)
        self._record("rule.deleted", rule, before=_audited(rule))

    def follow(self, rule_id: int, channels: Sequence[int]) -> AlertSubscription:
        """Follow a shared rule of another user, or change the channels; raises Problem (400, 401, 404, 409)."""
        user_id = owner_id(self.visibility)
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
        """Stop following a rule; raises Problem (404) if the caller does not follow it."""
        following = (
            self.session.get(AlertSubscription, (rule_id, self.visibility.user_id)) if self.visibility.user_id else None
        )
        if following is None:
            raise not_found("subscription")
        self.session.delete(following)
        of_user = AlertMatch.user_id == following.user_id
        end_matches(self.session, AlertMatch.rule_id == rule_id, of_user, forget=True)
        raise_revision(self.session)

    def followed(self, rules: Sequence[AlertRule]) -> dict[int, list[Any]]:
        """The caller's channels for those of these rules that the caller follows, by rule id."""
        rows = self.session.scalars(
            sa.select(AlertSubscription).where(
                AlertSubscription.user_id == self.visibility.user_id,
                AlertSubscription.rule_id.in_([r.id for r in rules]),
            )
        )
        return {row.rule_id: row.channels for row in rows}

    def usernames(self, rules: Sequence[AlertRule]) -> dict[int, str]:
        """The names of the rules' owners, by user id."""
        ids = {rule.user_id for rule in rules}
        return {
            row.id: row.username
            for row in self.session.execute(sa.select(User.id, User.username).where(User.id.in_(ids)))
        }

    def _record(self, action: str, rule: AlertRule, **states: Mapping[str, Any]) -> None:
        record(self.session, self.actor, action, Target("rule", rule.id, rule.name), **states)

    def _visible(self) -> sa.ColumnElement[bool]:
        return sa.or_(own(AlertRule, self.visibility), AlertRule.visibility == "shared")

    def _check_size(self, values: Mapping[str, Any], user_id: int, replaced: int = 0) -> None:
        """Raise Problem (409) if the user's conditions would be too large with these in place of one rule's."""
        others = sa.and_(AlertRule.user_id == user_id, AlertRule.id != replaced)
        noun, more = "characters of conditions in rules", len(json.dumps(values["conditions"]))
        check_sum(self.session, json_length(AlertRule.conditions), others, MAXIMUM_CONDITIONS, noun, more)

    def _check(self, values: Mapping[str, Any], user_id: int, restricted: Mapping[str, Any] | None = None) -> None:
        try:
            faults = faults_of(self.session, values, user_id)
            if faults:
                raise invalid_fields(faults)
            check_rights(restricted or values, self.visibility)
        except ConditionsFault as fault:
            raise invalid_fields(fault.faults) from None


def _audited(rule: AlertRule) -> dict[str, Any]:
    """A rule without its conditions and texts, which may be long."""
    return {name: getattr(rule, name) for name in ("user_id", *STORED) if name not in UNAUDITED}


def _was_default(before: Mapping[str, Any]) -> bool:
    try:
        return bool(with_duration({**before, "for_s": None})["for_s"] == before["for_s"])
    except ConditionsFault:
        return False


def _starts_publishing(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    return bool(after["mqtt"] and not before["mqtt"])
