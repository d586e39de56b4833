"""The rules of alert rules: ownership, changes with their effect on active alerts, and followers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.access import (
    MAX_CONDITIONS,
    MAX_RULES,
    check_room,
    check_sum,
    first_within,
    json_length,
    own,
    owner_id,
    sees_all,
)
from skywatch.alerts.conditions.tree import Conditions, ConditionsFault
from skywatch.alerts.history.closure import end_matches
from skywatch.alerts.models import AlertMatch, AlertRule, AlertSubscription, User
from skywatch.alerts.revision import raise_revision
from skywatch.alerts.rules.checks import check_rights, faults_of, with_duration
from skywatch.alerts.rules.schemas import RuleChangeFields, RuleFields
from skywatch.core.clock import utcnow
from skywatch.core.problems import Problem, invalid_fields, not_found
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.http.resources.fields import UNSET
from skywatch.notify.channels.queries import foreign_channels
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

# A page ends where its conditions have so many characters.
MAX_PAGE = 4_000_000
# Changes of these members restart a rule.
RESTARTING = frozenset({"conditions", "count"})
STORED = RuleFields.__struct_fields__
UNAUDITED = frozenset({"description", "conditions", "message"})


def page(session: Session, visibility: Visibility, query: Mapping[str, Any]) -> tuple[Sequence[AlertRule], int]:
    """Own and shared rules (all with ``alerts.manage_all``), by id, and the count of all.

    A page ends before its limit where the conditions are large.
    """
    rules = sa.select(AlertRule).where(_visible(visibility))
    if query.get("enabled") is not None:
        rules = rules.where(AlertRule.enabled.is_(query["enabled"]))
    if query.get("shared") is not None:
        is_own = AlertRule.user_id == visibility.user_id
        rules = rules.where(sa.and_(AlertRule.visibility == "shared", ~is_own) if query["shared"] else is_own)
    count = session.scalar(sa.select(sa.func.count()).select_from(rules.subquery())) or 0
    cut = rules.order_by(AlertRule.id).offset(query["offset"]).limit(query["limit"])
    ids = first_within(session, cut.with_only_columns(AlertRule.id), json_length(AlertRule.conditions), MAX_PAGE)
    whole = sa.select(AlertRule).where(AlertRule.id.in_(ids)).order_by(AlertRule.id)
    return session.scalars(whole).all(), count


def get(session: Session, visibility: Visibility, rule_id: int) -> AlertRule:
    """A rule that the caller may see; raises Problem (404) otherwise."""
    rule = session.scalar(sa.select(AlertRule).where(AlertRule.id == rule_id, _visible(visibility)))
    if rule is None:
        raise not_found(sentence("thing.rule", "rule"))
    return rule


def may_change(visibility: Visibility, rule: AlertRule) -> bool:
    """Whether the rule is the caller's, or the caller may change everybody's."""
    return rule.user_id == visibility.user_id or sees_all(visibility)


def fields_of(rule: AlertRule) -> RuleFields:
    """The members of a stored rule."""
    members = {name: getattr(rule, name) for name in STORED}
    return RuleFields(**{**members, "conditions": Conditions.of(rule.conditions)})


def create(session: Session, visibility: Visibility, actor: Actor, fields: RuleFields) -> AlertRule:
    """Create a rule of the caller; raises Problem (400, 401, 403, 409)."""
    check_room(session, AlertRule, owner_id(visibility), MAX_RULES, sentence("thing.rules", "rules"))
    rule = add(session, visibility, fields)
    raise_revision(session)
    record_change(session, actor, "rule.created", rule, after=audited(rule))
    return rule


def add(session: Session, visibility: Visibility, fields: RuleFields) -> AlertRule:
    """``create`` as part of a larger change, which counts and records itself; raises Problem (400, 401, 403, 409)."""
    user_id = owner_id(visibility)
    complete = with_duration(fields)
    _check(session, visibility, complete, user_id)
    _check_size(session, complete, user_id)
    now = utcnow()
    rule = AlertRule(user_id=user_id, created_at=now, updated_at=now, **complete.stored())
    session.add(rule)
    session.flush()
    return rule


def change(session: Session, visibility: Visibility, actor: Actor, rule_id: int, fields: RuleChangeFields) -> AlertRule:
    """Change a rule; changed conditions restart it, and their first matches are not announced.

    A rule whose conditions are refused since a new version can only be switched off, or get other conditions.
    """
    rule = _changeable(session, visibility, rule_id)
    before, present = fields_of(rule), audited(rule)
    after = _after(before, fields)
    starts_publishing = after.mqtt and not before.mqtt
    restricted = after if starts_publishing else msgspec.structs.replace(after, mqtt=False)
    _check(session, visibility, after, rule.user_id, restricted)
    changed = {name: value for name, value in after.given().items() if value != getattr(before, name)}
    if "conditions" in changed:
        _check_size(session, after, rule.user_id, rule.id)
    for name, value in after.stored().items():
        if name in changed:
            setattr(rule, name, value)
    restarts = not RESTARTING.isdisjoint(changed)
    if restarts or "enabled" in changed:
        rule.revision += 1
        end_matches(session, AlertMatch.rule_id == rule.id, forget=restarts)
    if before.visibility == "shared" and after.visibility == "private":
        _remove_followers(session, rule)
    rule.updated_at = utcnow()
    raise_revision(session)
    flags = {"conditions_changed": True} if "conditions" in changed else {}
    record_change(session, actor, "rule.changed", rule, before=present, after=audited(rule) | flags)
    return rule


def delete(session: Session, visibility: Visibility, actor: Actor, rule_id: int) -> None:
    """Delete a rule; its alerts remain without it."""
    rule = _changeable(session, visibility, rule_id)
    end_matches(session, AlertMatch.rule_id == rule.id, forget=True)
    session.delete(rule)
    raise_revision(session)
    record_change(session, actor, "rule.deleted", rule, before=audited(rule))


def follow(session: Session, visibility: Visibility, rule_id: int, channels: Sequence[int]) -> AlertSubscription:
    """Follow a shared rule of another user, or change the channels; raises Problem (400, 401, 404, 409)."""
    user_id = owner_id(visibility)
    rule = get(session, visibility, rule_id)
    if rule.user_id == user_id:
        raise Problem("conflict", sentence("alerts.rule_is_yours", "The rule is your own; give it channels instead."))
    if rule.visibility != "shared":
        raise Problem("conflict", sentence("alerts.rule_not_shared", "The rule is not shared."))
    foreign = foreign_channels(session, user_id, channels)
    if foreign:
        raise invalid_fields(
            {
                "channels": sentence(
                    "alerts.not_your_channels",
                    "there is no channel {names} of yours",
                    names=", ".join(map(str, foreign)),
                )
            }
        )
    following = session.get(AlertSubscription, (rule_id, user_id))
    if following is None:
        following = AlertSubscription(rule_id=rule_id, user_id=user_id, created_at=utcnow())
        session.add(following)
    following.channels = list(channels)
    raise_revision(session)
    return following


def unfollow(session: Session, visibility: Visibility, rule_id: int) -> None:
    """Stop following a rule; raises Problem (404) if the caller does not follow it."""
    following = session.get(AlertSubscription, (rule_id, visibility.user_id)) if visibility.user_id else None
    if following is None:
        raise not_found(sentence("thing.subscription", "subscription"))
    session.delete(following)
    of_user = AlertMatch.user_id == following.user_id
    end_matches(session, AlertMatch.rule_id == rule_id, of_user, forget=True)
    raise_revision(session)


def followed_channels(session: Session, visibility: Visibility, rules: Sequence[AlertRule]) -> dict[int, list[Any]]:
    """The caller's channels for those of these rules that the caller follows, by rule id."""
    rows = session.scalars(
        sa.select(AlertSubscription).where(
            AlertSubscription.user_id == visibility.user_id,
            AlertSubscription.rule_id.in_([rule.id for rule in rules]),
        )
    )
    return {row.rule_id: row.channels for row in rows}


def usernames(session: Session, rules: Sequence[AlertRule]) -> dict[int, str]:
    """The names of the rules' owners, by user id."""
    ids = {rule.user_id for rule in rules}
    rows = session.execute(sa.select(User.id, User.username).where(User.id.in_(ids)))
    return {row.id: row.username for row in rows}


def _visible(visibility: Visibility) -> sa.ColumnElement[bool]:
    return sa.or_(own(AlertRule, visibility), AlertRule.visibility == "shared")


def _changeable(session: Session, visibility: Visibility, rule_id: int) -> AlertRule:
    """A rule that the caller may change; raises Problem (404; 403 for a shared rule of another user)."""
    rule = get(session, visibility, rule_id)
    if not may_change(visibility, rule):
        raise Problem(
            "permission_denied",
            sentence("alerts.rule_of_other", "The rule belongs to somebody else; you can follow it."),
        )
    return rule


def _after(before: RuleFields, fields: RuleChangeFields) -> RuleFields:
    """A rule after a change."""
    changes = fields.given()
    if fields.conditions is not UNSET and fields.for_s is UNSET:
        # The change may turn an event into a state, or the other way round.
        changes["for_s"] = None if _was_default(before) else before.for_s
    return with_duration(msgspec.structs.replace(before, **changes))


def _was_default(before: RuleFields) -> bool:
    try:
        return with_duration(msgspec.structs.replace(before, for_s=None)).for_s == before.for_s
    except ConditionsFault:
        return False


def _remove_followers(session: Session, rule: AlertRule) -> None:
    session.execute(sa.delete(AlertSubscription).where(AlertSubscription.rule_id == rule.id))
    of_others = AlertMatch.user_id != rule.user_id
    end_matches(session, AlertMatch.rule_id == rule.id, of_others, forget=True)


def _check_size(session: Session, fields: RuleFields, user_id: int, replaced: int = 0) -> None:
    """Raise Problem (409) if the user's conditions would be too large with these in place of one rule's."""
    others = sa.and_(AlertRule.user_id == user_id, AlertRule.id != replaced)
    noun = sentence("thing.condition_characters", "characters of conditions in rules")
    more = len(json.dumps(fields.conditions.document))
    check_sum(session, json_length(AlertRule.conditions), others, MAX_CONDITIONS, noun, more)


def _check(
    session: Session, visibility: Visibility, fields: RuleFields, user_id: int, restricted: RuleFields | None = None
) -> None:
    """Raise Problem (400, 403) for faults of a rule, and for what its author, or ``restricted``, may not use."""
    try:
        faults = faults_of(session, fields, user_id)
        if faults:
            raise invalid_fields(faults)
        check_rights(restricted or fields, visibility)
    except ConditionsFault as fault:
        raise invalid_fields(fault.faults) from None


def record_change(session: Session, actor: Actor, action: str, rule: AlertRule, **states: Mapping[str, Any]) -> None:
    """Record a change of a rule in the audit log, with its states ``before`` and ``after``."""
    record(session, actor, action, Target("rule", rule.id, rule.name), **states)


def audited(rule: AlertRule) -> dict[str, Any]:
    """A rule without its conditions and texts, which may be long."""
    return {name: getattr(rule, name) for name in ("user_id", *STORED) if name not in UNAUDITED}
