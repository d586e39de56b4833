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
    JsonInteger,
    JsonNumber,
    JsonObject,
    JsonSequence,
    JsonString,
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    code_node,
    integer_node,
    node,
    nullable_node,
    params_node,
    string_node,
    timestamp_node,
)
from skywatch.notify.vocabulary import PRIORITIES
from skywatch.sentences import sentence

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
            raise colander.Invalid(node, sentence("alerts.trial_aircraft_list", "must be a list of live aircraft"))
        if len(cstruct) > MAX_AIRCRAFT:
            raise colander.Invalid(
                node, sentence("alerts.trial_too_many", "must hold at most {most} aircraft", most=MAX_AIRCRAFT)
            )
        faults = [(index, fault) for index, entry in enumerate(cstruct) if (fault := _fault(entry)) is not None]
        addresses = [str(entry.get("hex")).lower() for entry in cstruct if isinstance(entry, dict)]
        if not faults and len(set(addresses)) < len(addresses):
            raise colander.Invalid(node, sentence("alerts.trial_address_twice", "must not hold an address twice"))
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
        return sentence("field.object", "must be an object")
    if not isinstance(entry.get("hex"), str) or not ICAO_ADDRESS.fullmatch(entry["hex"]):
        return sentence("alerts.trial_hex", "hex must be an ICAO address of six hexadecimal digits")
    unfit = fault_of(entry)
    if unfit is not None:
        return unfit
    for name, value in entry.items():
        if isinstance(value, str) and len(value) > MAX_TEXT:
            return sentence(
                "alerts.member_long", "{name} must have at most {most} characters", name=name[:60], most=MAX_TEXT
            )
    for name in _NUMBERS:
        value = entry.get(name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9):
            return sentence("member.number", "{name} must be a number", name=name)
        if value is not None and abs(value) > _LIMITS.get(name, 1e9):
            return sentence("member.out_of_range", "{name} is out of range", name=name)
    if (entry.get("lat") is None) != (entry.get("lon") is None):
        return sentence("alerts.trial_lat_lon", "lat and lon come together")
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

    aircraft = node(AircraftObjects(), "Aircraft in the form of the REST API.", missing=None)
    from_ = nullable_node(Timestamp(), "Begin of a time span of history.", name="from", missing=None)
    to = nullable_node(Timestamp(), "End of the time span; now by default.", missing=None)


class TrialRequest(TrialOfRule):
    """A dry run: a rule or the id of one."""

    struct = TrialRequestFields

    rule = node(RuleOrNone(), "A rule as it would be created.", missing=None)
    rule_id = nullable_node(JsonInteger(), "A stored rule.", missing=None)


class TrialAlert(Schema):
    """An alert of a dry run."""

    rule_name = string_node()
    priority = choice_node(PRIORITIES)
    icao_hex = nullable_node(JsonString())
    callsign = nullable_node(JsonString())
    registration = nullable_node(JsonString())
    message = string_node()
    message_code = code_node()
    message_params = params_node()
    aircraft = node(JsonObject())
    matched = ObjectList()
    geofence = nullable_node(JsonString())
    count = nullable_node(JsonInteger())
    triggered_at = timestamp_node()
    cleared_at = nullable_node(Timestamp())


class TrialAlerts(JsonSequence):
    alert = TrialAlert()


class TrialResult(Schema):
    """The alerts of a dry run."""

    alerts = TrialAlerts(description="The first 500.")
    count = integer_node("Number of all alerts.")
    per_hour = nullable_node(JsonNumber(), "Over history: alerts an hour.")
    truncated = boolean_node("True if alerts are omitted or part of the time span was not tested.")
