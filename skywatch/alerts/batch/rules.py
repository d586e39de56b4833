"""The rules of a run, so that they can travel to where days are tested: written from the database, read by workers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import shapely
import sqlalchemy as sa
from sqlalchemy.orm import Session, undefer

from skywatch.alerts.conditions.expansion import POLICE_LIST
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.conditions.tree import Node, references, tests_of, tree_of
from skywatch.alerts.engine.engine import RuleSet
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.program import Rights
from skywatch.alerts.engine.rule import Count, Rule
from skywatch.alerts.models import AlertRule, Geofence, Watchlist
from skywatch.alerts.tracker.owners import rights_of
from skywatch.alerts.tracker.police import PoliceAircraft
from skywatch.alerts.tracker.rule_parser import RuleParser
from skywatch.alerts.watchlists.entries import Entries
from skywatch.alerts.watchlists.service import entries_of
from skywatch.core.batch import Options
from skywatch.core.polygons.band import Band
from skywatch.core.polygons.geometry import GeometryFault, parse_geometry
from skywatch.picture.settings import PictureSettings
from skywatch.settings import Settings

# Rules that are not tested are named one by one up to here.
NAMED = 10


class StoredRights(msgspec.Struct, frozen=True):
    """The rights of a rule's owner."""

    military: bool
    details: bool
    withheld: list[str]
    exact_station: bool
    manages_all: bool

    def rights(self) -> Rights:
        """As the engine has them."""
        withheld = frozenset(self.withheld)
        return Rights(self.military, self.details, withheld, self.exact_station, self.manages_all)


class StoredRule(msgspec.Struct, frozen=True):
    """An enabled rule."""

    id: int
    revision: int
    user_id: int
    priority: str
    conditions: dict[str, Any]
    for_s: float
    cooldown_s: float
    count: dict[str, Any] | None
    rights: StoredRights


class StoredFence(msgspec.Struct, frozen=True):
    """A geofence; ``geometry`` is well-known binary."""

    id: int
    name: str
    geometry: bytes
    floor_ft: float | None
    ceiling_ft: float | None


class StoredRules(msgspec.Struct, frozen=True):
    """All rules of a run with what they refer to, and the places from which distances are."""

    rules: list[StoredRule]
    fences: list[StoredFence]
    lists: dict[int, list[str]]
    police: list[str]
    station: tuple[float, float] | None
    exact_station: tuple[float, float] | None

    def rule_set(self) -> RuleSet:
        """As the engine has them; the rules are in the order of ``rules``, whose index is their key."""
        rules = [
            Rule(
                number,
                rule.revision,
                tree_of(rule.conditions),
                rule.for_s,
                rule.cooldown_s,
                Count(rule.count["op"], rule.count["value"]) if rule.count else None,
                rule.rights.rights(),
            )
            for number, rule in enumerate(self.rules)
        ]
        fences = {
            fence.id: Fence(
                fence.id, fence.name, shapely.from_wkb(fence.geometry), Band(fence.floor_ft, fence.ceiling_ft)
            )
            for fence in self.fences
        }
        lists = {number: Entries(tuple(values)) for number, values in self.lists.items()}
        return RuleSet(tuple(rules), fences, {**lists, POLICE_LIST: Entries(tuple(self.police))})


def prepare(session: Session, settings: Settings) -> Options:
    """The rules that are enabled now, and lines about those that cannot be tested."""
    rows = list(session.scalars(sa.select(AlertRule).where(AlertRule.enabled).order_by(AlertRule.id)))
    rights = rights_of(session, settings, {row.user_id for row in rows})
    parsed = RuleParser().parse(rows)
    fences = _fences(session)
    rules, notes, used = [], list[str](), list[Node]()
    for row in rows:
        of_row = parsed[row.id, row.revision]
        node = of_row.node
        if row.user_id not in rights:
            notes.append(f"rule {row.id} is not tested: its owner is inactive or may not see alerts")
        elif node is None:
            notes.append(f"rule {row.id} is not tested: {of_row.fault}")
        elif references(node, Kind.GEOFENCE) - fences.keys():
            notes.append(f"rule {row.id} is not tested: it refers to a geofence that does not exist")
        elif any(test.field.kind is Kind.STATE or test.field.is_event for test in tests_of(node)):
            notes.append(f"rule {row.id} is not tested: it is about messages or states, which history does not have")
        else:
            rules.append(_rule(row, rights[row.user_id]))
            used.append(node)
    police = PoliceAircraft(settings.features)
    police.refresh(session)
    picture = settings.of(PictureSettings)
    stored = StoredRules(
        rules,
        [fences[number] for number in sorted(_referenced(used, Kind.GEOFENCE))],
        {
            number: entries
            for number in sorted(_referenced(used, Kind.WATCHLIST))
            if (entries := _list(session, number))
        },
        list(police.entries.values) if any(map(_tests_class, used)) else [],
        picture.station_for(exact=False),
        picture.station_for(exact=True),
    )
    if len(notes) > NAMED:
        notes[NAMED:] = [f"and {len(notes) - NAMED} more rules are not tested"]
    return Options(msgspec.msgpack.encode(stored), (f"rules: {len(rules)} enabled rules are tested.", *notes))


def _rule(row: AlertRule, rights: Rights) -> StoredRule:
    owner = StoredRights(
        rights.military, rights.details, sorted(rights.withheld), rights.exact_station, rights.manages_all
    )
    count = dict(row.count) if row.count else None
    conditions = dict(row.conditions)
    return StoredRule(
        row.id, row.revision, row.user_id, row.priority, conditions, row.for_s, float(row.cooldown_s), count, owner
    )


def _fences(session: Session) -> dict[int, StoredFence]:
    fences = {}
    for row in session.scalars(sa.select(Geofence)):
        try:
            geometry = shapely.to_wkb(parse_geometry(row.geometry))
        except GeometryFault:
            continue
        fences[row.id] = StoredFence(row.id, row.name, geometry, row.floor_ft, row.ceiling_ft)
    return fences


def _list(session: Session, number: int) -> list[str]:
    row = session.get(Watchlist, number, options=[undefer(Watchlist.entries)])
    return list(entries_of(row)) if row is not None else []


def _referenced(nodes: Iterable[Node], kind: Kind) -> set[int]:
    return {number for node in nodes for number in references(node, kind)}


def _tests_class(node: Node) -> bool:
    return any(test.field.kind is Kind.CLASS for test in tests_of(node))
