"""The schemas of the resources of channels, deliveries and browsers."""

from __future__ import annotations

from datetime import datetime

import colander
import msgspec

from skywatch.core.feature import FeatureSet
from skywatch.core.text.listing import listing
from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonString,
    Nullable,
    QueryInteger,
    QueryString,
    Schema,
    Timestamp,
    integer_node,
    node,
    nullable_node,
    one_of_declared,
    text_node,
)
from skywatch.notify.hooks import NotificationKind, subscribed_kinds
from skywatch.notify.vocabulary import PRIORITIES, ChannelKind, ChannelState, DeliveryState

KINDS = [kind.value for kind in ChannelKind]
STATES = [state.value for state in DeliveryState]
CHANNEL_STATES = [state.value for state in ChannelState]
MAX_ADDRESS = 2000


class _Distinct:
    """A list without repetitions."""

    def __call__(self, node: colander.SchemaNode, value: list[str]) -> None:
        if len(set(value)) != len(value):
            raise colander.Invalid(node, "must not repeat a value")


def _settings_of_channel(missing: bool) -> list[colander.SchemaNode]:
    """The fields with defaults at creation; in a change, absent fields stay as they are."""

    def default(value: object) -> object:
        return value if missing else colander.drop

    return [
        colander.SchemaNode(
            JsonBoolean(), name="enabled", missing=default(True), description="Disabled channels get no new deliveries."
        ),
        colander.SchemaNode(
            JsonString(),
            name="minimum_priority",
            missing=default("info"),
            validator=colander.OneOf(PRIORITIES),
            description="Notifications of a lower priority are not sent.",
        ),
        colander.SchemaNode(
            JsonInteger(),
            name="rate_per_minute",
            missing=default(30),
            validator=colander.Range(1, 600),
            description="Rate limit; above it the rest of the minute is sent as one digest.",
        ),
        colander.SchemaNode(
            Nullable(JsonInteger()),
            name="digest_s",
            missing=default(None),
            validator=_nullable(colander.Range(10, 86_400)),
            description="Collect notifications for this time (s) and send one digest; null sends at once.",
        ),
        colander.SchemaNode(
            JsonBoolean(), name="send_cleared", missing=default(False), description="Send the end of alerts too."
        ),
        colander.SchemaNode(
            JsonList(),
            colander.SchemaNode(JsonString(), validator=one_of_declared(subscribed_kinds)),
            name="sources",
            missing=default([]),
            validator=_Distinct(),
            description="Sources of notifications in addition to the alerts of rules that name the channel.",
        ),
    ]


def _nullable(validator: colander.Range) -> object:
    def check(node: colander.SchemaNode, value: object) -> None:
        if value is not None:
            validator(node, value)

    check.min, check.max = validator.min, validator.max  # type: ignore[attr-defined]
    return check


class ChannelChangesFields(Fields):
    """What a change of a channel may name."""

    name: str | UnsetType = UNSET
    address: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    minimum_priority: str | UnsetType = UNSET
    rate_per_minute: int | UnsetType = UNSET
    digest_s: int | UnsetType | None = UNSET
    send_cleared: bool | UnsetType = UNSET
    sources: list[str] | UnsetType = UNSET


class NewChannelFields(Fields):
    """A channel to create."""

    name: str
    kind: str
    address: str = ""
    enabled: bool = True
    minimum_priority: str = "info"
    rate_per_minute: int = 30
    digest_s: int | None = None
    send_cleared: bool = False
    sources: list[str] = msgspec.field(default_factory=list)


class NewChannel(Schema):
    struct = NewChannelFields

    name = text_node(120, 1)
    kind = colander.SchemaNode(JsonString(), validator=colander.OneOf(KINDS))
    address = text_node(
        MAX_ADDRESS,
        0,
        missing="",
        description="URL of a webhook, Apprise address, MQTT topic; empty for web_push. Never returned in full.",
    )

    def __init__(self, *args: object, **kw: object) -> None:
        super().__init__(*args, **kw)
        for child in _settings_of_channel(missing=True):
            self.add(child)


class ChannelChanges(Schema):
    struct = ChannelChangesFields

    name = text_node(120, 1, missing=colander.drop)
    address = text_node(MAX_ADDRESS, 0, missing=colander.drop)

    def __init__(self, *args: object, **kw: object) -> None:
        super().__init__(*args, **kw)
        for child in _settings_of_channel(missing=False):
            self.add(child)


class ChannelRecord(Schema):
    id = integer_node()
    user = integer_node(description="Id of its owner.")
    name = colander.SchemaNode(JsonString())
    kind = colander.SchemaNode(JsonString(), validator=colander.OneOf(KINDS))
    address = colander.SchemaNode(JsonString(), description="Scheme and host.")
    enabled = colander.SchemaNode(JsonBoolean())
    minimum_priority = colander.SchemaNode(JsonString(), validator=colander.OneOf(PRIORITIES))
    rate_per_minute = integer_node()
    digest_s = colander.SchemaNode(Nullable(JsonInteger()))
    send_cleared = colander.SchemaNode(JsonBoolean())
    sources = colander.SchemaNode(JsonList(), colander.SchemaNode(JsonString()))
    state = colander.SchemaNode(JsonString(), validator=colander.OneOf(CHANNEL_STATES))
    failures = integer_node(description="Consecutive failures.")
    last_success_at = nullable_node(Timestamp())
    last_error = colander.SchemaNode(Nullable(JsonString()))
    last_error_at = nullable_node(Timestamp())
    created_at = colander.SchemaNode(Timestamp())
    updated_at = colander.SchemaNode(Timestamp())


class NewChannelRecord(ChannelRecord):
    secret = colander.SchemaNode(
        Nullable(JsonString()), description="The signing secret of a webhook; returned only once."
    )


class ChannelQuery(PageQuery):
    kind = colander.SchemaNode(QueryString(), missing=None, validator=colander.OneOf(KINDS))
    state = colander.SchemaNode(QueryString(), missing=None, validator=colander.OneOf(CHANNEL_STATES))
    user = colander.SchemaNode(QueryInteger(), missing=None, description="Id of the owner.")


class ChannelList(PageLinks):
    channels = colander.SchemaNode(JsonList(), ChannelRecord())


class TestResult(Schema):
    delivered = colander.SchemaNode(JsonBoolean())
    detail = colander.SchemaNode(JsonString(), description="Reason of a failure; empty otherwise.")


def _kinds(features: FeatureSet) -> str:
    """The kinds of deliveries: what features declare, and tests of a channel."""
    return listing([*sorted(kind.name for kind in features.provided(NotificationKind)), "channel"], "or")


class DeliveryRecord(Schema):
    id = integer_node()
    kind = node(JsonString(), lambda features: f"{_kinds(features)}.")
    event = colander.SchemaNode(JsonString(), description="Type in the message.")
    alert_id = colander.SchemaNode(Nullable(JsonInteger()))
    subject_id = colander.SchemaNode(Nullable(JsonInteger()), description="The alert or event, by its kind.")
    rule = colander.SchemaNode(Nullable(JsonInteger()))
    channel = integer_node()
    priority = colander.SchemaNode(JsonString(), validator=colander.OneOf(PRIORITIES))
    message_id = colander.SchemaNode(JsonString(), description="The same id in every attempt.")
    state = colander.SchemaNode(JsonString(), validator=colander.OneOf(STATES))
    attempts = integer_node()
    next_at = nullable_node(Timestamp(), description="Time of the next attempt.")
    last_error = colander.SchemaNode(Nullable(JsonString()))
    created_at = colander.SchemaNode(Timestamp())
    delivered_at = nullable_node(Timestamp())


class QueryMoment(Timestamp):
    """A time in a query string."""


class DeliveryQuery(CursorQuery):
    channel = colander.SchemaNode(QueryInteger(), missing=None)
    state = colander.SchemaNode(QueryString(), missing=None, validator=colander.OneOf(STATES))
    rule = colander.SchemaNode(QueryInteger(), missing=None)
    begin = colander.SchemaNode(QueryMoment(), name="from", missing=None, description="Created at or after.")
    end = colander.SchemaNode(QueryMoment(), name="to", missing=None, description="Created at or before.")


class DeliveryList(PageLinks):
    deliveries = colander.SchemaNode(JsonList(), DeliveryRecord())


class RetrySpanFields(Fields):
    begin: datetime = msgspec.field(name="from")
    end: datetime = msgspec.field(name="to")
    channel: int | None = None


class RetrySpan(Schema):
    struct = RetrySpanFields

    begin = colander.SchemaNode(Timestamp(), name="from")
    end = colander.SchemaNode(Timestamp(), name="to")
    channel = colander.SchemaNode(JsonInteger(), missing=None)


class RetryResult(Schema):
    retried = integer_node(description="Number of deliveries that are retried.")


class BrowserKeys(Schema):
    p256dh = text_node(120, 1, description="The browser's public key (base64url).")
    auth = text_node(40, 1, description="The authentication secret (base64url).")


class NewBrowserFields(Fields, kw_only=True):
    """A browser's subscription; ``keys`` holds p256dh and auth."""

    name: str = "Browser"
    endpoint: str
    expirationTime: int | None = None  # noqa: N815 - the browser's name
    keys: dict[str, str]


class NewBrowser(Schema):
    """The result of ``PushSubscription.toJSON()`` in a browser, and a name."""

    struct = NewBrowserFields

    name = text_node(120, 1, missing="Browser")
    endpoint = text_node(MAX_ADDRESS, 1)
    expirationTime = colander.SchemaNode(Nullable(JsonInteger()), missing=None)  # noqa: N815 - the browser's name
    keys = BrowserKeys()


class BrowserRecord(Schema):
    id = integer_node()
    name = colander.SchemaNode(JsonString())
    service = colander.SchemaNode(JsonString(), description="Host of the push service.")
    created_at = colander.SchemaNode(Timestamp())
    last_success_at = nullable_node(Timestamp())


class BrowserList(PageLinks):
    browsers = colander.SchemaNode(JsonList(), BrowserRecord())


class PushKey(Schema):
    public_key = colander.SchemaNode(
        JsonString(), description="The applicationServerKey for PushManager.subscribe (base64url)."
    )
