"""Export and import of rules with the geofences and watch lists that they refer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import colander
import sqlalchemy as sa
from sqlalchemy.orm import Session, undefer

from skywatch.alerts.access import (
    MAXIMUM_GEOFENCES,
    MAXIMUM_RULES,
    MAXIMUM_WATCHLISTS,
    check_room,
    owner_id,
)
from skywatch.alerts.conditions import budget
from skywatch.alerts.conditions.tree import parsed
from skywatch.alerts.geofences import service as geofence_service
from skywatch.alerts.geofences.listing import own_geofences
from skywatch.alerts.geofences.schemas import NewGeofence, NewGeofenceFields
from skywatch.alerts.models import AlertRule, Geofence, Watchlist
from skywatch.alerts.rules.checks import with_duration
from skywatch.alerts.rules.revision import raise_revision
from skywatch.alerts.rules.schemas import NewRule
from skywatch.alerts.rules.service import RuleService
from skywatch.alerts.rules.shape import exported
from skywatch.alerts.watchlists import service as watchlist_service
from skywatch.alerts.watchlists.schemas import NewWatchlist, NewWatchlistFields
from skywatch.alerts.watchlists.service import entries_of
from skywatch.core.areas.geometry import positions_in
from skywatch.core.areas.importing import check_positions
from skywatch.core.clock import to_iso
from skywatch.core.problems import Problem, invalid, invalid_fields
from skywatch.core.storing.audit import Actor, Target, record
from skywatch.security.visibility import Visibility

VERSION = 1
EXPORTED_OF_GEOFENCES = ("id", "name", "geometry", "floor_ft", "ceiling_ft")
# Entries of all watch lists of one import.
MAXIMUM_ENTRIES = 200_000
# Largest number of faults in an answer.
FAULTS_NAMED = 200
Faults = dict[str, str]


def export(session: Session, visibility: Visibility) -> dict[str, Any]:
    """The caller's own rules, geofences and watch lists; no channels."""
    user_id = visibility.user_id

    def rows(table: Any, *options: Any) -> Any:
        own_rows = sa.select(table).where(table.user_id == user_id, sa.literal(user_id is not None))
        return session.scalars(own_rows.order_by(table.id).options(*options))

    rules = []
    for rule in rows(AlertRule):
        entry = dict(exported(rule))
        for name in ("starts_at", "expires_at"):
            entry[name] = to_iso(entry[name]) if entry[name] is not None else None
        rules.append(entry)
    return {
        "version": VERSION,
        "rules": rules,
        "geofences": [
            {name: record[name] for name in EXPORTED_OF_GEOFENCES} for record in own_geofences(session, visibility)
        ],
        "watchlists": [
            {"id": w.id, "name": w.name, "entries": entries_of(w)} for w in rows(Watchlist, undefer(Watchlist.entries))
        ],
    }


def import_document(session: Session, visibility: Visibility, actor: Actor, document: Any) -> dict[str, int]:
    """Create the contents of an export, all or none; raises Problem with every fault."""
    user_id = owner_id(visibility)
    faults: Faults = {}
    parts = _parts(document, faults)
    _count(session, user_id, parts)
    _check_expressions(parts["rules"], faults)
    _refuse(faults)
    rules = _read(parts["rules"], "rules", NewRule, faults, with_id=False)
    geofences = _read(parts["geofences"], "geofences", NewGeofence, faults, with_id=True)
    watchlists = _read(parts["watchlists"], "watchlists", NewWatchlist, faults, with_id=True)
    _refuse(faults)
    with session.begin_nested():
        ids = {
            "geofence": _create(geofences, "geofences", partial(_add_geofence, session, visibility), faults),
            "watchlist": _create(watchlists, "watchlists", partial(_add_watchlist, session, visibility), faults),
        }
        service = RuleService(session, visibility, actor)
        for index, values in enumerate(rules):
            values["conditions"] = parsed(_renumbered(values["conditions"], ids))
            try:
                service.add(with_duration(values), user_id)
            except Problem as problem:
                _add_faults(problem, f"rules.{index}", faults)
        _refuse(faults)
    raise_revision(session)
    counts = {"rules": len(rules), "geofences": len(geofences), "watchlists": len(watchlists)}
    record(session, actor, "rule.imported", Target("rule"), after=counts)
    return counts


def _count(session: Session, user_id: int, parts: Mapping[str, list[Any]]) -> None:
    """Raise Problem (400, 409) where there is too much of anything; nothing is looked at before it is counted."""
    for table, limit, noun, name in (
        (AlertRule, MAXIMUM_RULES, "rules", "rules"),
        (Geofence, MAXIMUM_GEOFENCES, "geofences", "geofences"),
        (Watchlist, MAXIMUM_WATCHLISTS, "watch lists", "watchlists"),
    ):
        check_room(session, table, user_id, limit, noun, len(parts[name]))
    check_positions(sum(positions_in(entry.get("geometry")) for entry in _objects(parts["geofences"])))
    lists = [entry.get("entries") for entry in _objects(parts["watchlists"])]
    entries = sum(len(entries) for entries in lists if isinstance(entries, list))
    if entries > MAXIMUM_ENTRIES:
        raise invalid("watchlists", f"an import can have at most {MAXIMUM_ENTRIES} entries, not {entries}")


def _objects(entries: list[Any]) -> list[dict[str, Any]]:
    return [entry for entry in entries if isinstance(entry, dict)]


def _check_expressions(entries: list[Any], faults: Faults) -> None:
    """Refuse more regular expressions than a user may have, before the first one is compiled."""
    documents = (entry.get("conditions") for entry in entries if isinstance(entry, dict))
    size = budget.bytes_of({text for document in documents for text in budget.texts_of(document)})
    if size > budget.USER_BYTES:
        faults["rules"] = f"hold regular expressions of {size} bytes in all; at most {budget.USER_BYTES} are allowed"


def _parts(document: Any, faults: Faults) -> dict[str, list[Any]]:
    parts: dict[str, list[Any]] = {"rules": [], "geofences": [], "watchlists": []}
    if not isinstance(document, dict):
        raise invalid_fields({"": "must be an object with version, rules, geofences and watchlists"})
    for key, value in document.items():
        if key == "version":
            if value != VERSION:
                faults["version"] = f"must be {VERSION}"
        elif key not in parts:
            faults[str(key)[:60]] = "is not a known field"
        elif not isinstance(value, list):
            faults[key] = "must be a list"
        else:
            parts[key] = value
    if "version" not in document:
        faults["version"] = "is required"
    return parts


def _read(
    entries: list[Any], name: str, schema: Callable[[], Any], faults: Faults, *, with_id: bool
) -> list[dict[str, Any]]:
    """The validated entries; ``id`` is the id by which the rules of the same export refer to an entry."""
    read: list[dict[str, Any]] = []
    seen: set[int] = set()
    node = schema()
    for index, entry in enumerate(entries):
        where = f"{name}.{index}"
        number = None
        if with_id and isinstance(entry, dict):
            entry = dict(entry)
            number = entry.pop("id", None)
            if isinstance(number, bool) or not isinstance(number, int) or number in seen:
                faults[f"{where}.id"] = "must be a number of its own"
                continue
            seen.add(number)
        try:
            values = node.deserialize(entry)
        except colander.Invalid as error:
            for path, detail in error.asdict().items():
                faults[f"{where}.{path}" if path else where] = str(detail)
            continue
        read.append({**values, "id": number} if with_id else {**values, "channels": [], "mqtt": False})
    return read


def _create(entries: list[dict[str, Any]], name: str, create: Callable[..., Any], faults: Faults) -> dict[int, int]:
    """Create entries; returns old id -> new id."""
    ids = {}
    for index, values in enumerate(entries):
        try:
            ids[values["id"]] = create({key: value for key, value in values.items() if key != "id"}).id
        except Problem as problem:
            _add_faults(problem, f"{name}.{index}", faults)
    return ids


def _add_geofence(session: Session, visibility: Visibility, values: Mapping[str, Any]) -> Geofence:
    return geofence_service.add(session, visibility, NewGeofenceFields.of(values))


def _add_watchlist(session: Session, visibility: Visibility, values: Mapping[str, Any]) -> Watchlist:
    return watchlist_service.add(session, visibility, NewWatchlistFields.of(values))


def _add_faults(problem: Problem, where: str, faults: Faults) -> None:
    if problem.kind.code != "validation_failed" or not problem.errors:
        raise problem
    for error in problem.errors:
        faults[f"{where}.{error['name']}"] = error["detail"]


def _renumbered(node: Mapping[str, Any], ids: Mapping[str, Mapping[int, int]]) -> dict[str, Any]:
    """Conditions with the new ids of geofences and watch lists."""
    if "not" in node:
        return {"not": _renumbered(node["not"], ids)}
    for branch in ("all", "any"):
        if branch in node:
            return {branch: [_renumbered(part, ids) for part in node[branch]]}
    new = ids.get(str(node["field"]), {})
    # An id that is not part of the import must be one of the caller's own, which ``add`` checks.
    return {**node, "value": new[node["value"]]} if new and node["value"] in new else dict(node)


def _refuse(faults: Faults) -> None:
    if faults:
        raise invalid_fields(dict(list(faults.items())[:FAULTS_NAMED]))
