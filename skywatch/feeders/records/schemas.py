"""Requests and responses of feeders."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.feeders.models import COARSE, EXACT, HIDDEN
from skywatch.feeders.records.uuids import digits_of
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.ids import MAX_ID
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonString,
    Nullable,
    QueryBoolean,
    RangeOrNull,
    Schema,
    Timestamp,
    node,
)

LOWEST_FT, HIGHEST_FT = -2_000, 60_000
STATES = ("connected", "silent", "absent", "disabled")
DROP: dict[str, Any] = {"missing": colander.drop}


class Uuid(JsonString):
    """A UUID; its 32 digits."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        value = super().deserialize(node, cstruct)
        if value is colander.null:
            return value
        try:
            return digits_of(value)
        except ValueError as error:
            raise colander.Invalid(node, str(error)) from None


def _name(**kw: Any) -> colander.SchemaNode:
    return node(
        JsonString(),
        "Its name, which no other feeder and no receiver of the settings has, whatever the case of the letters.",
        validator=colander.All(
            colander.Length(min=1, max=64),
            colander.Regex(r"^\S(.*\S)?\Z", "must not begin or end with a space"),
        ),
        **kw,
    )


class _Changeable(Schema):
    """What may be set at the registration and later."""

    enabled = node(JsonBoolean(), "Whether its connections are accepted.", **DROP)
    trusted = node(
        JsonBoolean(), "Whether the aircraft that it alone hears are believed to exist; needs `feeders.manage`.", **DROP
    )
    mlat = node(JsonBoolean(), "The consent to pass its frames and its place on to multilateration.", **DROP)
    lat = node(
        Nullable(JsonNumber()),
        "Latitude of its antenna (degrees), together with `lon`; null where it is unknown.",
        validator=RangeOrNull(-90, 90),
        **DROP,
    )
    lon = node(Nullable(JsonNumber()), "Longitude (degrees).", validator=RangeOrNull(-180, 180), **DROP)
    altitude_ft = node(
        Nullable(JsonInteger()),
        "Height of its antenna above the sea (ft).",
        validator=RangeOrNull(LOWEST_FT, HIGHEST_FT),
        **DROP,
    )
    place_privacy = node(
        JsonString(),
        "How exactly others may know the place: `exact`, rounded to 0.1 degree (`10km`, the default), or not at all.",
        validator=colander.OneOf((EXACT, COARSE, HIDDEN)),
        **DROP,
    )
    owner = node(
        Nullable(JsonInteger()),
        "Id of the user it belongs to; null is the managers. Set only with `feeders.manage`.",
        validator=RangeOrNull(1, MAX_ID),
        **DROP,
    )


class FeederChangeFields(Fields):
    """The members of a feeder to change."""

    name: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    trusted: bool | UnsetType = UNSET
    mlat: bool | UnsetType = UNSET
    lat: float | UnsetType | None = UNSET
    lon: float | UnsetType | None = UNSET
    altitude_ft: int | UnsetType | None = UNSET
    place_privacy: str | UnsetType = UNSET
    owner: int | UnsetType | None = UNSET


class NewFeederFields(FeederChangeFields, kw_only=True):
    """A feeder to register; ``uuid`` holds 32 digits."""

    name: str
    uuid: str | UnsetType = UNSET


class NewFeeder(_Changeable):
    """A feeder to register."""

    struct = NewFeederFields

    name = _name()
    uuid = node(Uuid(), "The UUID that its program uses already; without it a new one is made.", **DROP)


class FeederChange(_Changeable):
    """The fields of a feeder to change."""

    struct = FeederChangeFields

    name = _name(**DROP)


class FeederQuery(PageQuery):
    """Which feeders are listed."""

    mine = node(QueryBoolean(), "Only the caller's own.", missing=False)


class FeederOwner(Schema):
    """The user that a feeder belongs to."""

    id = node(JsonInteger(), "Id of the user.")
    username = node(JsonString(), "Name of the user.")


class FeederNotice(Schema):
    """Something that its owner ought to know."""

    kind = node(JsonString(), "What happened: `uuid_copied`.")
    at = node(Timestamp(), "When it happened last.")


class FeederEntry(Schema):
    """A feeder."""

    id = node(JsonInteger(), "Identifier.")
    uuid_start = node(JsonString(), "The first eight digits of its UUID.")
    name = node(JsonString(), "Its name.")
    owner = node(Nullable(Schema.schema_type()), "Its owner; null for the managers.", *FeederOwner().children)
    enabled = node(JsonBoolean(), "Whether its connections are accepted.")
    trusted = node(JsonBoolean(), "Whether managers trust it: what it alone hears is believed to exist.")
    mlat = node(JsonBoolean(), "The consent to pass its frames and its place on to multilateration.")
    lat = node(
        Nullable(JsonNumber()), "Latitude as exactly as the caller may know it; null where it is not to be known."
    )
    lon = node(Nullable(JsonNumber()), "Longitude, likewise.")
    altitude_ft = node(Nullable(JsonInteger()), "Height of its antenna (ft); for others only where the place is exact.")
    place_privacy = node(JsonString(), "How exactly others may know the place.")
    state = node(
        JsonString(),
        "`connected`; `silent` after 30 s without a frame; `absent`; `disabled` by its owner or because the owner's"
        " account is not active.",
        validator=colander.OneOf(STATES),
    )
    connected_since = node(
        Nullable(Timestamp()), "Since when it has been connected, to the hour for others of a coarse place."
    )
    last_seen_at = node(Nullable(Timestamp()), "When it was heard last, likewise.")
    address = node(Nullable(JsonString()), "Address and port it comes from; only with `feeders.manage`.")
    messages_s = node(JsonNumber(), "Messages a second.")
    positions_s = node(JsonNumber(), "Positions a second.")
    aircraft = node(JsonInteger(), "Aircraft that it hears now.")
    bytes_s = node(JsonNumber(), "Bytes a second.")
    duplicates_share = node(
        JsonNumber(), "Share of its frames that another feeder had sent within 50 ms before, since it connected."
    )
    disputes_share = node(
        JsonNumber(), "Share of its positions, one an aircraft and second, that were refused since it connected."
    )
    clock = node(Nullable(JsonString()), "Clock of its receiver: `gps`, `free`, or `none`; null until it is known.")
    notice = node(
        Nullable(Schema.schema_type()), "What its owner ought to know; null for others.", *FeederNotice().children
    )
    created_at = node(Timestamp(), "When it was registered.")
    updated_at = node(Timestamp(), "When it was changed last.")


class FeederLines(Schema):
    """What is entered so that a program feeds this service."""

    readsb = node(JsonString(), "Options of readsb.")
    ultrafeeder = node(JsonString(), "An entry of ULTRAFEEDER_CONFIG.")
    socat = node(JsonString(), "A shell command for any program that serves plain Beast on port 30005.")


class FeederCredentials(FeederEntry):
    """A feeder with its UUID, which is never shown again."""

    uuid = node(JsonString(), "The UUID with which it connects; it is never shown again.")
    lines = node(
        Nullable(Schema.schema_type()),
        "Ready-made lines; null where no listener for Beast is set.",
        *FeederLines().children,
    )


class FeederList(PageLinks):
    """A page of feeders."""

    feeders = node(JsonList(), "In the order of names.", FeederEntry(name="feeder"))


class CopiedUuid(Schema):
    """A feeder whose UUID is used from two networks."""

    id = node(JsonInteger(), "The feeder.")
    name = node(JsonString(), "Its name.")
    at = node(Timestamp(), "When the second network came.")
