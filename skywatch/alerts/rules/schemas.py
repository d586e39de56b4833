"""The schemas of the resources of rules."""

from __future__ import annotations

from datetime import datetime
from typing import Any, TypedDict

import colander
import msgspec

from skywatch.alerts.engine.rule import COMPARISONS
from skywatch.alerts.types import Conditions, QuietHours, Template, name_node
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
    conditions: dict[str, Any]
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


class RuleChangeFields(Fields):
    """The members of a rule to change."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    priority: str | UnsetType = UNSET
    conditions: dict[str, Any] | UnsetType = UNSET
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

    channel = colander.SchemaNode(JsonInteger(), validator=colander.Range(1, MAX_ID))


class CountTest(Schema):
    """The number of aircraft that must meet the conditions."""

    op = colander.SchemaNode(JsonString(), validator=colander.OneOf(tuple(COMPARISONS)))
    value = colander.SchemaNode(JsonInteger(), validator=colander.Range(0, 100_000))


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

    def node(typ: colander.SchemaType, name: str, default: Any, description: str, **kw: Any) -> colander.SchemaNode:
        missing = default if new else colander.drop
        return colander.SchemaNode(typ, name=name, missing=missing, description=description, **kw)

    one_of = colander.OneOf
    channels = ChannelIds(
        name="channels", missing=[] if new else colander.drop, description="Ids of the channels that get its alerts."
    )
    channels.validator = colander.Length(max=MAX_CHANNELS)
    return [
        name_node(name="name") if new else name_node(name="name", missing=colander.drop),
        node(JsonString(multiline=True), "description", "", "Notes.", validator=colander.Length(max=2_000)),
        node(JsonBoolean(), "enabled", True, "Whether it is tested."),
        node(JsonString(), "priority", "info", "info, warning or critical.", validator=one_of(PRIORITIES)),
        colander.SchemaNode(
            Conditions(),
            name="conditions",
            description="A tree of all, any, not and tests {field, op, value}.",
            **({} if new else {"missing": colander.drop}),
        ),
        node(
            Nullable(JsonNumber()),
            "for_s",
            None,
            "Time for which the conditions must be true (s); 2 by default, 0 for events.",
            validator=_nullable(colander.Range(0, 3_600)),
        ),
        node(
            JsonInteger(),
            "cooldown_s",
            300,
            "Shortest time between two alerts about an aircraft (s).",
            validator=colander.Range(0, 86_400),
        ),
        node(Count(), "count", None, "Alert for a number of aircraft instead of for each one: {op, value}."),
        node(Nullable(Timestamp()), "starts_at", None, "Not tested before."),
        node(Nullable(Timestamp()), "expires_at", None, "Not tested from then on."),
        node(QuietHours(), "quiet_hours", [], "Windows {days, from, to, timezone} in which deliveries wait."),
        channels,
        node(JsonString(), "visibility", "private", "private or shared.", validator=one_of(VISIBILITIES)),
        node(Template(), "message", "", "Template of the message, such as {callsign} at {alt_baro} ft."),
        node(JsonBoolean(), "mqtt", False, "Publish its state by MQTT (needs alerts.manage_all)."),
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

    id = colander.SchemaNode(JsonInteger())
    user = colander.SchemaNode(JsonInteger(), description="Id of its owner.")
    username = colander.SchemaNode(JsonString())
    name = colander.SchemaNode(JsonString())
    description = colander.SchemaNode(JsonString())
    enabled = colander.SchemaNode(JsonBoolean())
    priority = colander.SchemaNode(JsonString(), validator=colander.OneOf(PRIORITIES))
    conditions = colander.SchemaNode(JsonObject())
    for_s = colander.SchemaNode(JsonNumber())
    cooldown_s = colander.SchemaNode(JsonInteger())
    count = colander.SchemaNode(Count())
    starts_at = colander.SchemaNode(Nullable(Timestamp()))
    expires_at = colander.SchemaNode(Nullable(Timestamp()))
    quiet_hours = colander.SchemaNode(QuietHours())
    channels = ChannelIds(description="The caller's channels; only the owner sees the owner's.")
    visibility = colander.SchemaNode(JsonString(), validator=colander.OneOf(VISIBILITIES))
    message = colander.SchemaNode(JsonString())
    mqtt = colander.SchemaNode(JsonBoolean())
    is_own = colander.SchemaNode(JsonBoolean())
    is_subscribed = colander.SchemaNode(JsonBoolean(), description="Whether the caller follows it.")
    fault = colander.SchemaNode(
        Nullable(JsonString()), description="Why it is not in force although it is enabled; null if nothing is wrong."
    )
    created_at = colander.SchemaNode(Timestamp())
    updated_at = colander.SchemaNode(Timestamp())


class RuleSequence(JsonSequence):
    rule = RuleRecord()


class RuleList(PageLinks):
    """A page of rules."""

    rules = RuleSequence()


class RuleQuery(PageQuery):
    """The filters of rules."""

    enabled = colander.SchemaNode(QueryBoolean(), missing=None, description="Only those that are, or are not, enabled.")
    shared = colander.SchemaNode(QueryBoolean(), missing=None, description="Only shared rules of others, or only own.")


class RuleSubscription(Schema):
    """The channels for a followed rule."""

    struct = RuleSubscriptionFields

    channels = ChannelIds(missing=[], description="The caller's own channels.")


class FollowingRecord(Schema):
    """A followed rule."""

    rule = colander.SchemaNode(JsonInteger())
    channels = ChannelIds()
    created_at = colander.SchemaNode(Timestamp())
