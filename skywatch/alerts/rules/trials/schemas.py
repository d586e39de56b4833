"""The schemas of the dry run."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import colander
import msgspec

from skywatch.alerts.history.schemas import ObjectList
from skywatch.alerts.rules.schemas import NewRule, RuleFields
from skywatch.http.resources.document import fault_of
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import (
    ICAO_ADDRESS,
    JsonBoolean,
    JsonInteger,
    JsonNumber,
    JsonObject,
    JsonSequence,
    JsonString,
    Nullable,
    Schema,
    Timestamp,
)
from skywatch.notify.vocabulary import PRIORITIES

MAX_AIRCRAFT = 5_000
# Largest number of faults in an answer.
FAULTS_NAMED = 50
# Expressions take time for each character.
MAX_TEXT = 500
_NUMBERS = ("lat", "lon", "alt_geom", "gs", "track", "baro_rate", "geom_rate", "seen", "seen_pos", "rssi")
_LIMITS = {"lat": 90.0, "lon": 180.0}


class AircraftObjects(colander.SchemaType):
    """Live aircraft in the form of the REST API; null for none."""

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """Each needs ``hex``; numbers must be numbers."""
        if cstruct is colander.null or cstruct is None:
            return cstruct
        if not isinstance(cstruct, list):
            raise colander.Invalid(node, "must be a list of live aircraft")
        if len(cstruct) > MAX_AIRCRAFT:
            raise colander.Invalid(node, f"must hold at most {MAX_AIRCRAFT} aircraft")
        faults = [(index, fault) for index, entry in enumerate(cstruct) if (fault := _fault(entry)) is not None]
        addresses = [str(entry.get("hex")).lower() for entry in cstruct if isinstance(entry, dict)]
        if not faults and len(set(addresses)) < len(addresses):
            raise colander.Invalid(node, "must not hold an address twice")
        if faults:
            error = colander.Invalid(node)
            for index, fault in faults[:FAULTS_NAMED]:
                error.add(colander.Invalid(colander.SchemaNode(colander.String(), name=str(index)), fault))
            raise error
        return cstruct

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """A list of objects, or null."""
        return {"anyOf": [{"type": "array", "items": {"type": "object"}}, {"type": "null"}]}


def _fault(entry: Any) -> str | None:
    if not isinstance(entry, dict):
        return "must be an object"
    if not isinstance(entry.get("hex"), str) or not ICAO_ADDRESS.fullmatch(entry["hex"]):
        return "hex must be an ICAO address of six hexadecimal digits"
    unfit = fault_of(entry)
    if unfit is not None:
        return unfit
    for name, value in entry.items():
        if isinstance(value, str) and len(value) > MAX_TEXT:
            return f"{name[:60]} must have at most {MAX_TEXT} characters"
    for name in _NUMBERS:
        value = entry.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9):
            return f"{name} must be a number"
        if value is not None and abs(value) > _LIMITS.get(name, 1e9):
            return f"{name} is out of range"
    if (entry.get("lat") is None) != (entry.get("lon") is None):
        return "lat and lon come together"
    return None


class RuleOrNone(colander.SchemaType):
    """A rule as it would be created, or null."""

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """The rule as ``RuleFields``; a name is not needed."""
        if cstruct is colander.null or cstruct is None:
            return cstruct
        if isinstance(cstruct, dict):
            cstruct = {"name": "Dry run", **cstruct}
        schema = NewRule()
        schema.name = node.name
        return RuleFields.of(schema.deserialize(cstruct))

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """An object, or null."""
        return {"anyOf": [{"type": "object"}, {"type": "null"}]}


class TrialOfRuleFields(Fields):
    """The data of a dry run; the live picture by default."""

    aircraft: list[dict[str, Any]] | None = None
    begin: datetime | None = msgspec.field(default=None, name="from")
    end: datetime | None = msgspec.field(default=None, name="to")


class TrialRequestFields(TrialOfRuleFields):
    """A dry run: a rule or the id of one."""

    rule: RuleFields | None = None
    rule_id: int | None = None


class TrialOfRule(Schema):
    """The data of a dry run; the live picture by default."""

    struct = TrialOfRuleFields

    aircraft = colander.SchemaNode(AircraftObjects(), missing=None, description="Aircraft in the form of the REST API.")
    from_ = colander.SchemaNode(
        Nullable(Timestamp()), name="from", missing=None, description="Begin of a time span of history."
    )
    to = colander.SchemaNode(Nullable(Timestamp()), missing=None, description="End of the time span; now by default.")


class TrialRequest(TrialOfRule):
    """A dry run: a rule or the id of one."""

    struct = TrialRequestFields

    rule = colander.SchemaNode(RuleOrNone(), missing=None, description="A rule as it would be created.")
    rule_id = colander.SchemaNode(Nullable(JsonInteger()), missing=None, description="A stored rule.")


class TrialAlert(Schema):
    """An alert of a dry run."""

    rule_name = colander.SchemaNode(JsonString())
    priority = colander.SchemaNode(JsonString(), validator=colander.OneOf(PRIORITIES))
    icao_hex = colander.SchemaNode(Nullable(JsonString()))
    callsign = colander.SchemaNode(Nullable(JsonString()))
    registration = colander.SchemaNode(Nullable(JsonString()))
    message = colander.SchemaNode(JsonString())
    aircraft = colander.SchemaNode(JsonObject())
    matched = ObjectList()
    geofence = colander.SchemaNode(Nullable(JsonString()))
    count = colander.SchemaNode(Nullable(JsonInteger()))
    triggered_at = colander.SchemaNode(Timestamp())
    cleared_at = colander.SchemaNode(Nullable(Timestamp()))


class TrialAlerts(JsonSequence):
    alert = TrialAlert()


class TrialResult(Schema):
    """The alerts of a dry run."""

    alerts = TrialAlerts(description="The first 500.")
    count = colander.SchemaNode(JsonInteger(), description="Number of all alerts.")
    per_hour = colander.SchemaNode(Nullable(JsonNumber()), description="Over history: alerts an hour.")
    truncated = colander.SchemaNode(
        JsonBoolean(), description="True if alerts are omitted or part of the time span was not tested."
    )
