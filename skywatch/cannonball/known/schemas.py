"""The schemas of the list of known aircraft."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.cannonball.identification.place_names import STATE_CODES
from skywatch.cannonball.known.links import RULE, is_web_address
from skywatch.cannonball.vocabulary import AgencyType, Source, values
from skywatch.http.lists.pagination import MAX_LIMIT, PageLinks, PageQuery
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonString,
    QueryBoolean,
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
    string_node,
    timestamp_node,
)
from skywatch.sentences import sentence

# Entries of a list that is asked for without a limit.
WHOLE_LIST = 10_000
STATES = (*sorted(STATE_CODES),)


def upper(value: Any) -> Any:
    """Convert a text to upper case."""
    return value.upper() if isinstance(value, str) else value


def text(length: int, description: str, **kw: Any) -> colander.SchemaNode:
    """The node of an optional text field of an entry."""
    multiline = kw.pop("multiline", False)
    options = {"missing": colander.drop, "validator": colander.Length(max=length), **kw}
    return node(JsonString(multiline=multiline), description, **options)


class _Hex(JsonString):
    """An ICAO address that was assigned by a state, in either case."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        value = super().deserialize(node, cstruct)
        if value is colander.null:
            return value
        if len(value) != 6 or any(c not in "0123456789abcdefABCDEF" for c in value):
            raise colander.Invalid(node, sentence("field.icao", "must be an ICAO address of six hexadecimal digits"))
        return value.upper()


def web_address(node: colander.SchemaNode, value: str) -> None:
    """Refuses a text that is not an http or https address; the empty text removes the address."""
    if value and not is_web_address(value):
        raise colander.Invalid(node, RULE)


class KnownAircraftChangeFields(Fields):
    """The members of an entry to change."""

    registration: str | UnsetType = UNSET
    aircraft_type: str | UnsetType = UNSET
    aircraft_model: str | UnsetType = UNSET
    agency_name: str | UnsetType = UNSET
    agency_type: str | UnsetType = UNSET
    agency_state: str | UnsetType = UNSET
    agency_city: str | UnsetType = UNSET
    source: str | UnsetType = UNSET
    source_url: str | UnsetType = UNSET
    verified: bool | UnsetType = UNSET
    notes: str | UnsetType = UNSET


class NewKnownAircraftFields(KnownAircraftChangeFields, kw_only=True):
    """An entry to add; ``icao_hex`` is an ICAO address in upper case."""

    icao_hex: str


class KnownAircraftVerificationFields(Fields):
    """Whether an entry is verified."""

    verified: bool = True


class _Writable(Schema):
    registration = text(12, "Registration number.", preparer=upper)
    aircraft_type = text(8, "ICAO type designator.", preparer=upper)
    aircraft_model = text(120, "Full model name.")
    agency_name = text(160, "Name of the agency.")
    agency_type = text(10, "Type of the agency.", validator=colander.OneOf(values(AgencyType)))
    agency_state = text(2, "Two-letter US state code, or empty.", validator=colander.OneOf(("", *STATES)))
    agency_city = text(80, "City of the agency.")
    source = text(10, "Where the entry came from.", validator=colander.OneOf(values(Source)))
    source_url = text(
        500,
        "Address of supporting documentation: http or https, or empty.",
        validator=colander.All(colander.Length(max=500), web_address),
    )
    verified = boolean_node("Whether a person has verified it.", missing=colander.drop)
    notes = text(10_000, "Remarks.", multiline=True)


class KnownFields(_Writable):
    """The fields that may be edited."""

    struct = KnownAircraftChangeFields


class NewKnownAircraft(_Writable):
    """A new entry: the address is required, agency type and state are derived from the name where they are missing."""

    struct = NewKnownAircraftFields

    icao_hex = node(_Hex(), "ICAO address, in either case.")


class KnownAircraftVerification(Schema):
    """Whether an entry is verified."""

    struct = KnownAircraftVerificationFields

    verified = boolean_node("False removes the verification.", missing=True)


class KnownQuery(PageQuery):
    """Filters of the list."""

    limit = node(
        QueryInteger(),
        f"Entries on a page; without it the whole list, at most {WHOLE_LIST}.",
        missing=None,
        validator=colander.Range(1, MAX_LIMIT),
    )

    search = node(
        QueryString(),
        "Part of the ICAO address, the registration or the agency's name, in any case.",
        missing=None,
        validator=colander.Length(max=100),
    )
    agency_type = node(QueryString(), "Type of the agency.", missing=None, validator=colander.OneOf(values(AgencyType)))
    agency_state = node(
        QueryString(), "Two-letter US state code.", missing=None, preparer=upper, validator=colander.OneOf(STATES)
    )
    verified = node(QueryBoolean(), "Only verified entries, or only the others.", missing=None)
    source = node(QueryString(), "Source of the entries.", missing=None, validator=colander.OneOf(values(Source)))


class KnownEntry(Schema):
    """An entry of the list."""

    id = integer_node()
    icao_hex = string_node("ICAO address in upper case.")
    registration = string_node()
    aircraft_type = string_node()
    aircraft_model = string_node()
    agency_name = string_node()
    agency_type = choice_node(values(AgencyType))
    agency_state = string_node("Two-letter US state code, or empty.")
    agency_city = string_node()
    source = choice_node(values(Source))
    source_url = string_node()
    verified = boolean_node()
    verified_at = nullable_node(Timestamp())
    times_detected = integer_node("Number of flights on which it was in the picture.")
    last_detected = nullable_node(Timestamp())
    notes = node(JsonString(multiline=True))
    created_at = timestamp_node()
    updated_at = timestamp_node()


class KnownList(PageLinks):
    """A page of the list."""

    aircraft = list_node(KnownEntry(name="entry"))
    verified_count = integer_node("Number of verified entries among all matches.")


class CheckResult(Schema):
    """Whether an address is on the list; has ``aircraft`` if it is, ``icao_hex`` if it is not."""

    found = boolean_node()
    aircraft = KnownEntry(missing=colander.drop)
    icao_hex = string_node(missing=colander.drop)


class CountsByType(Schema):
    """The number of entries of each agency type."""

    federal = integer_node()
    state = integer_node()
    local = integer_node()
    military = integer_node()
    unknown = integer_node()


class CountsByState(colander.MappingSchema):
    """The number of entries of each state; states without entries are omitted."""

    @staticmethod
    def schema_type(**kw: Any) -> colander.SchemaType:
        return colander.Mapping(unknown="preserve")


class KnownStats(Schema):
    """Statistics of the list."""

    total = integer_node()
    verified = integer_node()
    by_agency_type = CountsByType()
    by_state = CountsByState()
