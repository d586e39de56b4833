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
    JsonInteger,
    JsonNumber,
    JsonString,
    Nullable,
    QueryBoolean,
    RangeOrNull,
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    string_node,
    timestamp_node,
)
from skywatch.sentences import sentence

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
    return string_node(
        "Its name, which no other feeder and no receiver of the settings has, whatever the case of the letters.",
        validator=colander.All(
            colander.Length(min=1, max=64),
            colander.Regex(r"^\S(.*\S)?\Z", sentence("feeders.name_spaces", "must not begin or end with a space")),
        ),
        **kw,
    )


class _Changeable(Schema):
    """What may be set at the registration and later."""

    enabled = boolean_node("Whether its connections are accepted.", **DROP)
    trusted = boolean_node(
        "Whether the aircraft that it alone hears are believed to exist; needs `feeders.manage`.", **DROP
    )
    mlat = boolean_node("The consent to pass its frames and its place on to multilateration.", **DROP)
    lat = nullable_node(
        JsonNumber(),
        "Latitude of its antenna (degrees), together with `lon`; null where it is unknown.",
        validator=RangeOrNull(-90, 90),
        **DROP,
    )
    lon = nullable_node(JsonNumber(), "Longitude (degrees).", validator=RangeOrNull(-180, 180), **DROP)
    altitude_ft = nullable_node(
        JsonInteger(), "Height of its antenna above the sea (ft).", validator=RangeOrNull(LOWEST_FT, HIGHEST_FT), **DROP
    )
    place_privacy = choice_node(
        (EXACT, COARSE, HIDDEN),
        "How exactly others may know the place: `exact`, rounded to 0.1 degree (`10km`, the default), or not at all.",
        **DROP,
    )
    owner = nullable_node(
        JsonInteger(),
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

    id = integer_node("Id of the user.")
    username = string_node("Name of the user.")


class FeederNotice(Schema):
    """Something that its owner ought to know."""

    kind = string_node("What happened: `uuid_copied`.")
    at = timestamp_node("When it happened last.")


class FeederEntry(Schema):
    """A feeder."""

    id = integer_node("Identifier.")
    uuid_start = string_node("The first eight digits of its UUID.")
    name = string_node("Its name.")
    owner = node(Nullable(Schema.schema_type()), "Its owner; null for the managers.", *FeederOwner().children)
    enabled = boolean_node("Whether its connections are accepted.")
    trusted = boolean_node("Whether managers trust it: what it alone hears is believed to exist.")
    mlat = boolean_node("The consent to pass its frames and its place on to multilateration.")
    lat = nullable_node(
        JsonNumber(), "Latitude as exactly as the caller may know it; null where it is not to be known."
    )
    lon = nullable_node(JsonNumber(), "Longitude, likewise.")
    altitude_ft = nullable_node(JsonInteger(), "Height of its antenna (ft); for others only where the place is exact.")
    place_privacy = string_node("How exactly others may know the place.")
    state = choice_node(
        STATES,
        "`connected`; `silent` after 30 s without a frame; `absent`; `disabled` by its owner or because the owner's"
        " account is not active.",
    )
    connected_since = nullable_node(
        Timestamp(), "Since when it has been connected, to the hour for others of a coarse place."
    )
    last_seen_at = nullable_node(Timestamp(), "When it was heard last, likewise.")
    address = nullable_node(JsonString(), "Address and port it comes from; only with `feeders.manage`.")
    messages_s = number_node("Messages a second.")
    positions_s = number_node("Positions a second.")
    aircraft = integer_node("Aircraft that it hears now.")
    bytes_s = number_node("Bytes a second.")
    duplicates_share = number_node(
        "Share of its frames that another feeder had sent within 50 ms before, since it connected."
    )
    disputes_share = number_node(
        "Share of its positions, one an aircraft and second, that were refused since it connected."
    )
    clock = nullable_node(JsonString(), "Clock of its receiver: `gps`, `free`, or `none`; null until it is known.")
    notice = node(
        Nullable(Schema.schema_type()), "What its owner ought to know; null for others.", *FeederNotice().children
    )
    created_at = timestamp_node("When it was registered.")
    updated_at = timestamp_node("When it was changed last.")


class FeederLines(Schema):
    """What is entered so that a program feeds this service."""

    readsb = string_node("Options of readsb.")
    ultrafeeder = string_node("An entry of ULTRAFEEDER_CONFIG.")
    socat = string_node("A shell command for any program that serves plain Beast on port 30005.")


class FeederCredentials(FeederEntry):
    """A feeder with its UUID, which is never shown again."""

    uuid = string_node("The UUID with which it connects; it is never shown again.")
    lines = node(
        Nullable(Schema.schema_type()),
        "Ready-made lines; null where no listener for Beast is set.",
        *FeederLines().children,
    )


class FeederList(PageLinks):
    """A page of feeders."""

    feeders = list_node(FeederEntry(name="feeder"), "In the order of names.")
    listening = boolean_node("Whether a receiver of the settings listens for feeders that send Beast.")


class CopiedUuid(Schema):
    """A feeder whose UUID is used from two networks."""

    id = integer_node("The feeder.")
    name = string_node("Its name.")
    at = timestamp_node("When the second network came.")
