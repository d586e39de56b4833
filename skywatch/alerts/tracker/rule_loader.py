"""Loads the rules in force, with their references and stored matches, whenever something changed."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session, undefer

from skywatch.alerts.conditions.expansion import POLICE_LIST
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import Node, references, tests_of
from skywatch.alerts.engine.engine import RuleSet
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.program import Rights
from skywatch.alerts.engine.rule import Count, Rule, RuleKey, Stored
from skywatch.alerts.models import AlertMatch, AlertRule, AlertSubscription, Geofence, Watchlist
from skywatch.alerts.revision import current
from skywatch.alerts.rules.faults import RuleFault
from skywatch.alerts.tracker.owners import rights_of
from skywatch.alerts.tracker.police import PoliceAircraft
from skywatch.alerts.tracker.rule_parser import Parsed, RevisionKey, RuleParser
from skywatch.alerts.watchlists.entries import Entries
from skywatch.core.clock import utcnow
from skywatch.core.polygons.band import Band
from skywatch.core.polygons.geometry import GeometryFault, parse_geometry
from skywatch.notify.user_rights import people
from skywatch.sentences import sentence
from skywatch.settings import Settings

# The longest cooldown: older announcements have no effect.
REMEMBERED = timedelta(days=1)


@dataclass(frozen=True, eq=False, slots=True)
class _Use:
    """A rule and a user whom it notifies; the times are the rule's, which are asked for every second."""

    rule: AlertRule
    user_id: int
    starts_at: datetime | None
    expires_at: datetime | None
    tests_police: bool

    def is_in_force(self, now: datetime) -> bool:
        """Whether the rule has started and not expired."""
        return (self.starts_at is None or self.starts_at <= now) and (self.expires_at is None or self.expires_at > now)


class RuleLoader:
    """Loads a new ``RuleSet`` when rules or rights have changed, or a rule starts or expires. Used by one thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._revision = -1
        self._rules: list[AlertRule] = []
        self._parser = RuleParser()
        self._parsed: Mapping[RevisionKey, Parsed] = {}
        """Parsed conditions by rule id and revision."""
        self._police_rules: frozenset[int] = frozenset()
        self._uses: list[_Use] = []
        self._fences: dict[tuple[int, int], Fence] = {}
        self._lists: dict[tuple[int, int], Entries] = {}
        self._police = PoliceAircraft(settings.features)
        self._last: frozenset[Any] | None = None
        self._last_in_force: tuple[list[_Use], dict[int, Rights]] = [], {}
        self.faults: dict[int, RuleFault] = {}
        """Why enabled rules are not in force, by id: beyond a budget, of another version, or without their geofence."""

    def load(self, session: Session) -> RuleSet | None:
        """The rules in force, None if they have not changed."""
        revision = current(session)
        if revision != self._revision:
            self._read(session)
        rights = rights_of(session, self._settings, (use.user_id for use in self._uses))
        now = utcnow()
        in_force = [use for use in self._uses if use.user_id in rights and use.is_in_force(now)]
        police_changed = any(use.tests_police for use in in_force) and self._police.refresh(session)
        rights = {use.user_id: rights[use.user_id] for use in in_force}
        if revision == self._revision and (in_force, rights) == self._last_in_force and not police_changed:
            return None
        keys = frozenset(((use.rule.id, use.user_id), use.rule.revision, rights[use.user_id]) for use in in_force)
        rule_set = self._rule_set(session, in_force, rights, keys)
        self._revision, self._last, self._last_in_force = revision, keys, (in_force, rights)
        return rule_set

    def _read(self, session: Session) -> None:
        self._rules = list(session.scalars(sa.select(AlertRule).where(AlertRule.enabled).order_by(AlertRule.id)))
        self._parsed = self._parser.parse(self._rules)
        self._police_rules = frozenset(
            number for (number, _), parsed in self._parsed.items() if _tests_police(parsed.node)
        )
        by_id = {rule.id: rule for rule in self._rules}
        self._uses = [self._use(rule, rule.user_id) for rule in self._rules]
        for row in session.scalars(sa.select(AlertSubscription)):
            if row.rule_id in by_id and by_id[row.rule_id].visibility == "shared":
                self._uses.append(self._use(by_id[row.rule_id], row.user_id))
        fences = {}
        for fence in session.scalars(sa.select(Geofence)):
            key = (fence.id, fence.revision)
            fences[key] = self._fences.get(key) or _fence(fence)
        self._fences = {key: fence for key, fence in fences.items() if fence is not None}
        previous_lists, self._lists = self._lists, {}
        for row_id, list_revision in session.execute(sa.select(Watchlist.id, Watchlist.revision)).all():
            self._lists[(row_id, list_revision)] = previous_lists.get((row_id, list_revision)) or _entries(
                session, row_id
            )

    def _use(self, rule: AlertRule, user_id: int) -> _Use:
        return _Use(rule, user_id, rule.starts_at, rule.expires_at, rule.id in self._police_rules)

    def _rule_set(self, session: Session, uses: list[_Use], rights: dict[int, Rights], keys: frozenset[Any]) -> RuleSet:
        fences = {number: fence for (number, _), fence in self._fences.items()}
        lists = {number: entries for (number, _), entries in self._lists.items()}
        persons = people(session, self._settings, (use.user_id for use in uses))
        rules = []
        self.faults = {}
        for use in uses:
            row = use.rule
            parsed = self._parsed[row.id, row.revision]
            if parsed.node is None:
                self.faults[row.id] = RuleFault.of(row.revision, parsed.fault)
            elif references(parsed.node, Kind.GEOFENCE) - fences.keys():
                self.faults[row.id] = RuleFault.of(
                    row.revision, sentence("alerts.geofence_gone", "refers to a geofence that does not exist")
                )
            else:
                rules.append(_rule(use, parsed.node, rights[use.user_id], persons[use.user_id]))
        fresh = [rule for rule in rules if rule.key not in (self._last or ())]
        stored = _stored(session, {rule.id for rule in fresh})
        return RuleSet(tuple(rules), fences, {**lists, POLICE_LIST: self._police.entries}, stored)


def _rule(use: _Use, node: Node, rights: Rights, person: str) -> Rule:
    row = use.rule
    return Rule(
        (row.id, use.user_id),
        row.revision,
        node,
        row.for_s,
        float(row.cooldown_s),
        Count(row.count["op"], row.count["value"]) if row.count else None,
        rights,
        silent=row.adopted_revision < row.revision,
        person=person,
        priority=row.priority,
    )


def stopped(session: Session, in_force: Set[RuleKey]) -> list[tuple[int, int]]:
    """(rule id, user id) of active stored matches whose rule is not in force for that user."""
    rows = session.execute(sa.select(AlertMatch.rule_id, AlertMatch.user_id).where(AlertMatch.matching).distinct())
    return [(rule_id, user_id) for rule_id, user_id in rows if (rule_id, user_id) not in in_force]


def _tests_police(node: Node | None) -> bool:
    return node is not None and any(
        test.field.kind is Kind.CLASS and (test.value == "police" or (test.op == "in" and "police" in test.value))
        for test in tests_of(node)
    )


def _fence(row: Geofence) -> Fence | None:
    try:
        geometry = parse_geometry(row.geometry)
    except GeometryFault:
        return None
    return Fence(row.id, row.name, geometry, Band(row.floor_ft, row.ceiling_ft), row.revision)


def _entries(session: Session, row_id: int) -> Entries:
    row = session.get(Watchlist, row_id, options=[undefer(Watchlist.entries)])
    return Entries(tuple(row.entries.split("\n"))) if row is not None and row.entries else Entries()


def _stored(session: Session, keys: set[Any]) -> dict[Any, dict[str, Stored]]:
    """The stored matches of these rules, by rule and address."""
    matches: dict[Any, dict[str, Stored]] = {}
    if not keys:
        return matches
    relevant = sa.or_(AlertMatch.matching, AlertMatch.fired_at > utcnow() - REMEMBERED)
    columns = (
        AlertMatch.rule_id, AlertMatch.user_id, AlertMatch.icao_hex, AlertMatch.matching, AlertMatch.fired_at,
        AlertMatch.in_doubt,
    )  # fmt: skip
    for rule_id, user_id, address, matching, fired_at, in_doubt in session.execute(sa.select(*columns).where(relevant)):
        if (rule_id, user_id) in keys:
            at = fired_at.timestamp() if fired_at is not None else None
            matches.setdefault((rule_id, user_id), {})[address] = Stored(matching, at, in_doubt)
    return matches
