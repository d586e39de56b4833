"""Export and import of rules with the geofences and watch lists that they refer to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import colander
import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session, undefer

from skywatch.alerts.access import (
    MAX_GEOFENCES,
    MAX_RULES,
    MAX_WATCHLISTS,
    check_room,
    owner_id,
)
from skywatch.alerts.conditions import budget
from skywatch.alerts.conditions.fields import Kind
from skywatch.alerts.geofences import service as geofence_service
from skywatch.alerts.geofences.queries import own_geofences
from skywatch.alerts.geofences.schemas import NewGeofence, NewGeofenceFields
from skywatch.alerts.models import AlertRule, Geofence, Watchlist
from skywatch.alerts.revision import raise_revision
from skywatch.alerts.rules import service
from skywatch.alerts.rules.schemas import NewRule, RuleFields
from skywatch.alerts.rules.transfer_schemas import RulesImportFields
from skywatch.alerts.watchlists import service as watchlist_service
from skywatch.alerts.watchlists.schemas import NewWatchlist, NewWatchlistFields
from skywatch.alerts.watchlists.service import entries_of
from skywatch.core.clock import to_iso
from skywatch.core.polygons.geometry import positions_in
from skywatch.core.polygons.imports import check_positions
from skywatch.core.problems import Problem, invalid, invalid_fields, text_of_fault
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.http.resources.document import fault_of
from skywatch.http.resources.faults import faults_of
from skywatch.http.resources.fields import Fields
from skywatch.security.visibility import Visibility
from skywatch.sentences import sentence

VERSION = 1
# Without channels, which belong to their owner, and without publishing by MQTT, which needs a permission.
EXPORTED_OF_RULES = tuple(name for name in service.STORED if name not in ("channels", "mqtt"))
EXPORTED_OF_GEOFENCES = ("id", "name", "geometry", "floor_ft", "ceiling_ft", "elevation_ft")
# Entries of all watch lists of one import.
MAX_ENTRIES = 200_000
# Largest number of faults in an answer.
FAULTS_NAMED = 200
Faults = dict[str, str]
F = TypeVar("F", bound=Fields)


def export(session: Session, visibility: Visibility) -> dict[str, Any]:
    """The caller's own rules, geofences and watch lists; no channels."""
    user_id = visibility.user_id

    def rows(table: Any, *options: Any) -> Any:
        own_rows = sa.select(table).where(table.user_id == user_id, sa.literal(user_id is not None))
        return session.scalars(own_rows.order_by(table.id).options(*options))

    return {
        "version": VERSION,
        "rules": [_exported_rule(rule) for rule in rows(AlertRule)],
        "geofences": [
            {name: geofence[name] for name in EXPORTED_OF_GEOFENCES} for geofence in own_geofences(session, visibility)
        ],
        "watchlists": [
            {"id": w.id, "name": w.name, "entries": entries_of(w)} for w in rows(Watchlist, undefer(Watchlist.entries))
        ],
    }


def import_document(
    session: Session, visibility: Visibility, actor: Actor, document: RulesImportFields
) -> dict[str, int]:
    """Create the contents of an export, all or none; raises Problem with every fault.

    ``check_entries`` comes before.
    """
    faults: Faults = {}
    if document.version != VERSION:
        faults["version"] = sentence("alerts.transfer_version", "must be {version}", version=VERSION)
    _check_expressions(document.rules, faults)
    _refuse(faults)
    rules = _read(document.rules, "rules", NewRule(), RuleFields, faults)
    geofences = _read_numbered(document.geofences, "geofences", NewGeofence(), NewGeofenceFields, faults)
    watchlists = _read_numbered(document.watchlists, "watchlists", NewWatchlist(), NewWatchlistFields, faults)
    _refuse(faults)
    with session.begin_nested():
        ids = {
            Kind.GEOFENCE: _create(
                geofences, "geofences", lambda fields: geofence_service.add(session, visibility, fields).id, faults
            ),
            Kind.WATCHLIST: _create(
                watchlists, "watchlists", lambda fields: watchlist_service.add(session, visibility, fields).id, faults
            ),
        }
        for index, rule in enumerate(rules):
            # An id that is not part of the import must be one of the caller's own, which ``add`` checks.
            conditions = rule.conditions.renumbered(ids)
            try:
                service.add(
                    session,
                    visibility,
                    msgspec.structs.replace(rule, conditions=conditions, channels=[], mqtt=False),
                )
            except Problem as problem:
                _add_faults(problem, f"rules.{index}", faults)
        _refuse(faults)
    raise_revision(session)
    counts = {"rules": len(rules), "geofences": len(geofences), "watchlists": len(watchlists)}
    record(session, actor, "rule.imported", Target("rule"), after=counts)
    return counts


def _exported_rule(rule: AlertRule) -> dict[str, Any]:
    entry = {name: getattr(rule, name) for name in EXPORTED_OF_RULES}
    for name in ("starts_at", "expires_at"):
        entry[name] = to_iso(entry[name]) if entry[name] is not None else None
    return entry


def check_entries(session: Session, visibility: Visibility, document: RulesImportFields) -> None:
    """Count what is imported before any of it is looked at; raises Problem (400, 409) where a limit is exceeded."""
    user_id = owner_id(visibility)
    for table, limit, noun, entries in (
        (AlertRule, MAX_RULES, sentence("thing.rules", "rules"), document.rules),
        (Geofence, MAX_GEOFENCES, sentence("thing.geofences", "geofences"), document.geofences),
        (Watchlist, MAX_WATCHLISTS, sentence("thing.watch_lists", "watch lists"), document.watchlists),
    ):
        check_room(session, table, user_id, limit, noun, len(entries))
    faults: Faults = {}
    for name in ("rules", "geofences", "watchlists"):
        for index, entry in enumerate(getattr(document, name)):
            fault = fault_of(entry) if isinstance(entry, dict) else sentence("field.object", "must be an object")
            if fault is not None:
                faults[f"{name}.{index}"] = fault
    _refuse(faults)
    check_positions(sum(positions_in(entry.get("geometry")) for entry in document.geofences))
    lists = [entry.get("entries") for entry in document.watchlists]
    count = sum(len(entries) for entries in lists if isinstance(entries, list))
    if count > MAX_ENTRIES:
        raise invalid(
            "watchlists",
            sentence(
                "alerts.import_entries",
                "an import can have at most {most} entries, not {count}",
                most=MAX_ENTRIES,
                count=count,
            ),
        )


def _check_expressions(entries: list[dict[str, Any]], faults: Faults) -> None:
    """Refuse more regular expressions than a user may have, before the first one is compiled."""
    size = budget.bytes_of({text for entry in entries for text in budget.texts_of(entry.get("conditions"))})
    if size > budget.USER_BYTES:
        faults["rules"] = sentence(
            "alerts.import_expressions",
            "hold regular expressions of {size} bytes in all; at most {most} are allowed",
            size=size,
            most=budget.USER_BYTES,
        )


def _read(
    entries: list[dict[str, Any]], name: str, schema: colander.SchemaNode, struct: type[F], faults: Faults
) -> list[F]:
    """The valid ones of these entries."""
    read = [_fields_of(entry, f"{name}.{index}", schema, struct, faults) for index, entry in enumerate(entries)]
    return [fields for fields in read if fields is not None]


def _read_numbered(
    entries: list[dict[str, Any]], name: str, schema: colander.SchemaNode, struct: type[F], faults: Faults
) -> dict[int, F]:
    """The valid ones of these entries, by the id by which the rules of the same export refer to them."""
    read: dict[int, F] = {}
    seen: set[int] = set()
    for index, entry in enumerate(entries):
        members = dict(entry)
        number = members.pop("id", None)
        if isinstance(number, bool) or not isinstance(number, int) or number in seen:
            faults[f"{name}.{index}.id"] = sentence("alerts.own_number", "must be a number of its own")
            continue
        seen.add(number)
        fields = _fields_of(members, f"{name}.{index}", schema, struct, faults)
        if fields is not None:
            read[number] = fields
    return read


def _fields_of(
    entry: dict[str, Any], where: str, schema: colander.SchemaNode, struct: type[F], faults: Faults
) -> F | None:
    """An entry as the struct of its schema; None where it has faults."""
    try:
        return struct.of(schema.deserialize(entry))
    except colander.Invalid as error:
        for path, detail in faults_of(error).items():
            faults[f"{where}.{path}" if path else where] = detail
        return None


def _create(entries: Mapping[int, F], name: str, create: Callable[[F], int], faults: Faults) -> dict[int, int]:
    """Create entries with a function that returns the new id; returns old id -> new id."""
    ids = {}
    for index, (number, fields) in enumerate(entries.items()):
        try:
            ids[number] = create(fields)
        except Problem as problem:
            _add_faults(problem, f"{name}.{index}", faults)
    return ids


def _add_faults(problem: Problem, where: str, faults: Faults) -> None:
    if problem.kind.code != "validation_failed" or not problem.errors:
        raise problem
    for error in problem.errors:
        faults[f"{where}.{error['name']}"] = text_of_fault(error)


def _refuse(faults: Faults) -> None:
    if faults:
        raise invalid_fields(dict(list(faults.items())[:FAULTS_NAMED]))
