"""The schemas of the resources of rules."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

import colander
import msgspec

from skywatch.alerts.conditions.tree import Conditions
from skywatch.alerts.engine.rule import COMPARISONS
from skywatch.alerts.types import ConditionsDocument, QuietHours, Template, name_node
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.ids import MAX_ID
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonNumber,
    JsonObject,
    JsonSequence,
    JsonString,
    Nullable,
    QueryBoolean,
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    code_node,
    integer_node,
    node,
    nullable_node,
    number_node,
    params_node,
    string_node,
    timestamp_node,
)
from skywatch.notify.vocabulary import PRIORITIES

VISIBILITIES = ("private", "shared")
MAX_CHANNELS = 20


class CountFields(TypedDict):
    """The number of aircraft that must meet the conditions, as it is stored."""

    op: str
    value: int


class RuleFields(Fields, kw_only=True):
    """All members of a rule; without ``for_s`` it has the default for its conditions."""

    name: str
    description: str = ""
    enabled: bool = True
    priority: str = "info"
    conditions: Conditions
    for_s: float | None = None
    cooldown_s: int = 300
    count: CountFields | None = None
    starts_at: datetime | None = None
    expires_at: datetime | None = None
    quiet_hours: list[dict[str, Any]] = msgspec.field(default_factory=list)
    channels: list[int] = msgspec.field(default_factory=list)
    visibility: str = "private"
    message: str = ""
    mqtt: bool = False

    def stored(self) -> dict[str, Any]:
        """The members as they are stored."""
        return {**self.given(), "conditions": self.conditions.document}


class RuleChangeFields(Fields):
    """The members of a rule to change."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    priority: str | UnsetType = UNSET
    conditions: Conditions | UnsetType = UNSET
    for_s: float | UnsetType | None = UNSET
    cooldown_s: int | UnsetType = UNSET
    count: CountFields | UnsetType | None = UNSET
    starts_at: datetime | UnsetType | None = UNSET
    expires_at: datetime | UnsetType | None = UNSET
    quiet_hours: list[dict[str, Any]] | UnsetType = UNSET
    channels: list[int] | UnsetType = UNSET
    visibility: str | UnsetType = UNSET
    message: str | UnsetType = UNSET
    mqtt: bool | UnsetType = UNSET


class RuleSubscriptionFields(Fields):
    """The channels for a followed rule."""

    channels: list[int] = msgspec.field(default_factory=list)


class ChannelIds(JsonSequence):
    """Ids of channels."""

    channel = integer_node(validator=colander.Range(1, MAX_ID))


class CountTest(Schema):
    """The number of aircraft that must meet the conditions."""

    op = choice_node(COMPARISONS)
    value = integer_node(validator=colander.Range(0, 100_000))


class Count(colander.SchemaType):
    """A count, or null."""

    def serialize(self, node: colander.SchemaNode, appstruct: Any) -> Any:
        return appstruct

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        """The count as an object with op and value."""
        if cstruct is colander.null or cstruct is None:
            return cstruct
        schema = CountTest()
        schema.name = node.name
        return schema.deserialize(cstruct)

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """An object with op and value, or null."""
        members = {"op": {"type": "string", "enum": list(COMPARISONS)}, "value": {"type": "integer"}}
        count = {"type": "object", "properties": members, "required": list(members)}
        return {"anyOf": [count, {"type": "null"}]}


def rule_members(new: bool) -> list[colander.SchemaNode]:
    """The members of a rule that a request may contain; those of a new rule have defaults."""

    def member(typ: colander.SchemaType, name: str, default: Any, description: str, **kw: Any) -> colander.SchemaNode:
        missing = default if new else colander.drop
        return node(typ, description, name=name, missing=missing, **kw)

    one_of = colander.OneOf
    channels = ChannelIds(
        name="channels", missing=[] if new else colander.drop, description="Ids of the channels that get its alerts."
    )
    channels.validator = colander.Length(max=MAX_CHANNELS)
    return [
        name_node(name="name") if new else name_node(name="name", missing=colander.drop),
        member(JsonString(multiline=True), "description", "", "Notes.", validator=colander.Length(max=2_000)),
        member(JsonBoolean(), "enabled", True, "Whether it is tested."),
        member(JsonString(), "priority", "info", "info, warning or critical.", validator=one_of(PRIORITIES)),
        node(
            ConditionsDocument(),
            "A tree of all, any, not and tests {field, op, value}.",
            name="conditions",
            **{} if new else {"missing": colander.drop},
        ),
        member(
            Nullable(JsonNumber()),
            "for_s",
            None,
            "Time for which the conditions must be true (s); 2 by default, 0 for events.",
            validator=_nullable(colander.Range(0, 3_600)),
        ),
        member(
            JsonInteger(),
            "cooldown_s",
            300,
            "Shortest time between two alerts about an aircraft (s).",
            validator=colander.Range(0, 86_400),
        ),
        member(Count(), "count", None, "Alert for a number of aircraft instead of for each one: {op, value}."),
        member(Nullable(Timestamp()), "starts_at", None, "Not tested before."),
        member(Nullable(Timestamp()), "expires_at", None, "Not tested from then on."),
        member(QuietHours(), "quiet_hours", [], "Windows {days, from, to, timezone} in which deliveries wait."),
        channels,
        member(JsonString(), "visibility", "private", "private or shared.", validator=one_of(VISIBILITIES)),
        member(Template(), "message", "", "Template of the message, such as {callsign} at {alt_baro} ft."),
        member(JsonBoolean(), "mqtt", False, "Publish its state by MQTT (needs alerts.manage_all)."),
    ]


def _nullable(validator: Any) -> Any:
    def validate(node: colander.SchemaNode, value: Any) -> None:
        if value is not None:
            validator(node, value)

    return validate


class NewRule(Schema):
    """A rule to create."""

    struct = RuleFields

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        for member in rule_members(new=True):
            self.add(member)


class RuleChange(Schema):
    """The fields of a rule to change."""

    struct = RuleChangeFields

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        for member in rule_members(new=False):
            self.add(member)


class RuleRecord(Schema):
    """A rule."""

    id = integer_node()
    user = integer_node("Id of its owner.")
    username = string_node()
    name = string_node()
    description = string_node()
    enabled = boolean_node()
    priority = choice_node(PRIORITIES)
    conditions = node(JsonObject())
    for_s = number_node()
    cooldown_s = integer_node()
    count = node(Count())
    starts_at = nullable_node(Timestamp())
    expires_at = nullable_node(Timestamp())
    quiet_hours = node(QuietHours())
    channels = ChannelIds(description="The caller's channels; only the owner sees the owner's.")
    visibility = choice_node(VISIBILITIES)
    message = string_node()
    mqtt = boolean_node()
    is_own = boolean_node()
    is_subscribed = boolean_node("Whether the caller follows it.")
    fault = nullable_node(JsonString(), "Why it is not in force although it is enabled; null if nothing is wrong.")
    fault_code = code_node()
    fault_params = params_node()
    created_at = timestamp_node()
    updated_at = timestamp_node()


class RuleSequence(JsonSequence):
    rule = RuleRecord()


class RuleList(PageLinks):
    """A page of rules."""

    rules = RuleSequence()


class RuleQuery(PageQuery):
    """The filters of rules."""

    enabled = node(QueryBoolean(), "Only those that are, or are not, enabled.", missing=None)
    shared = node(QueryBoolean(), "Only shared rules of others, or only own.", missing=None)


class RuleSubscription(Schema):
    """The channels for a followed rule."""

    struct = RuleSubscriptionFields

    channels = ChannelIds(missing=[], description="The caller's own channels.")


class FollowingRecord(Schema):
    """A followed rule."""

    rule = integer_node()
    channels = ChannelIds()
    created_at = timestamp_node()
