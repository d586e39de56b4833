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
    JsonInteger,
    JsonString,
    QueryInteger,
    QueryString,
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    one_of_declared,
    string_node,
    text_node,
    timestamp_node,
)
from skywatch.notify.hooks import NotificationKind, subscribed_kinds
from skywatch.notify.vocabulary import PRIORITIES, ChannelKind, ChannelState, DeliveryState
from skywatch.sentences import sentence

KINDS = [kind.value for kind in ChannelKind]
STATES = [state.value for state in DeliveryState]
CHANNEL_STATES = [state.value for state in ChannelState]
MAX_ADDRESS = 2000


class _Distinct:
    """A list without repetitions."""

    def __call__(self, node: colander.SchemaNode, value: list[str]) -> None:
        if len(set(value)) != len(value):
            raise colander.Invalid(node, sentence("field.repeats", "must not repeat a value"))


def _settings_of_channel(missing: bool) -> list[colander.SchemaNode]:
    """The fields with defaults at creation; in a change, absent fields stay as they are."""

    def default(value: object) -> object:
        return value if missing else colander.drop

    return [
        boolean_node("Disabled channels get no new deliveries.", name="enabled", missing=default(True)),
        choice_node(
            PRIORITIES,
            "Notifications of a lower priority are not sent.",
            name="minimum_priority",
            missing=default("info"),
        ),
        integer_node(
            "Rate limit; above it the rest of the minute is sent as one digest.",
            name="rate_per_minute",
            missing=default(30),
            validator=colander.Range(1, 600),
        ),
        nullable_node(
            JsonInteger(),
            "Collect notifications for this time (s) and send one digest; null sends at once.",
            name="digest_s",
            missing=default(None),
            validator=_nullable(colander.Range(10, 86_400)),
        ),
        boolean_node("Send the end of alerts too.", name="send_cleared", missing=default(False)),
        list_node(
            string_node(validator=one_of_declared(subscribed_kinds)),
            "Sources of notifications in addition to the alerts of rules that name the channel.",
            name="sources",
            missing=default([]),
            validator=_Distinct(),
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
    kind = choice_node(KINDS)
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
    name = string_node()
    kind = choice_node(KINDS)
    address = string_node("Scheme and host.")
    enabled = boolean_node()
    minimum_priority = choice_node(PRIORITIES)
    rate_per_minute = integer_node()
    digest_s = nullable_node(JsonInteger())
    send_cleared = boolean_node()
    sources = list_node(string_node())
    state = choice_node(CHANNEL_STATES)
    failures = integer_node(description="Consecutive failures.")
    last_success_at = nullable_node(Timestamp())
    last_error = nullable_node(JsonString())
    last_error_at = nullable_node(Timestamp())
    created_at = timestamp_node()
    updated_at = timestamp_node()


class NewChannelRecord(ChannelRecord):
    secret = nullable_node(JsonString(), "The signing secret of a webhook; returned only once.")


class ChannelQuery(PageQuery):
    kind = node(QueryString(), missing=None, validator=colander.OneOf(KINDS))
    state = node(QueryString(), missing=None, validator=colander.OneOf(CHANNEL_STATES))
    user = node(QueryInteger(), "Id of the owner.", missing=None)


class ChannelList(PageLinks):
    channels = list_node(ChannelRecord())


class TestResult(Schema):
    delivered = boolean_node()
    detail = string_node("Reason of a failure; empty otherwise.")


def _kinds(features: FeatureSet) -> str:
    """The kinds of deliveries: what features declare, and tests of a channel."""
    return listing([*sorted(kind.name for kind in features.provided(NotificationKind)), "channel"], "or")


class DeliveryRecord(Schema):
    id = integer_node()
    kind = string_node(lambda features: f"{_kinds(features)}.")
    event = string_node("Type in the message.")
    alert_id = nullable_node(JsonInteger())
    subject_id = nullable_node(JsonInteger(), "The alert or event, by its kind.")
    rule = nullable_node(JsonInteger())
    channel = integer_node()
    priority = choice_node(PRIORITIES)
    message_id = string_node("The same id in every attempt.")
    state = choice_node(STATES)
    attempts = integer_node()
    next_at = nullable_node(Timestamp(), description="Time of the next attempt.")
    last_error = nullable_node(JsonString())
    created_at = timestamp_node()
    delivered_at = nullable_node(Timestamp())


class QueryMoment(Timestamp):
    """A time in a query string."""


class DeliveryQuery(CursorQuery):
    channel = node(QueryInteger(), missing=None)
    state = node(QueryString(), missing=None, validator=colander.OneOf(STATES))
    rule = node(QueryInteger(), missing=None)
    begin = node(QueryMoment(), "Created at or after.", name="from", missing=None)
    end = node(QueryMoment(), "Created at or before.", name="to", missing=None)


class DeliveryList(PageLinks):
    deliveries = list_node(DeliveryRecord())


class RetrySpanFields(Fields):
    begin: datetime = msgspec.field(name="from")
    end: datetime = msgspec.field(name="to")
    channel: int | None = None


class RetrySpan(Schema):
    struct = RetrySpanFields

    begin = timestamp_node(name="from")
    end = timestamp_node(name="to")
    channel = integer_node(missing=None)


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
    expirationTime = nullable_node(JsonInteger(), missing=None)  # noqa: N815 - the browser's name
    keys = BrowserKeys()


class BrowserRecord(Schema):
    id = integer_node()
    name = string_node()
    service = string_node("Host of the push service.")
    created_at = timestamp_node()
    last_success_at = nullable_node(Timestamp())


class BrowserList(PageLinks):
    browsers = list_node(BrowserRecord())


class PushKey(Schema):
    public_key = string_node("The applicationServerKey for PushManager.subscribe (base64url).")
