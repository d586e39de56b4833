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
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryInteger,
    QueryString,
    Schema,
    Timestamp,
)

# Entries of a list that is asked for without a limit.
WHOLE_LIST = 10_000
STATES = (*sorted(STATE_CODES),)


def upper(value: Any) -> Any:
    """Convert a text to upper case."""
    return value.upper() if isinstance(value, str) else value


def text(length: int, description: str, **kw: Any) -> colander.SchemaNode:
    """The node of an optional text field of an entry."""
    multiline = kw.pop("multiline", False)
    node = {"missing": colander.drop, "validator": colander.Length(max=length), **kw}
    return colander.SchemaNode(JsonString(multiline=multiline), description=description, **node)


class _Hex(JsonString):
    """An ICAO address that was assigned by a state, in either case."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        value = super().deserialize(node, cstruct)
        if value is colander.null:
            return value
        if len(value) != 6 or any(c not in "0123456789abcdefABCDEF" for c in value):
            raise colander.Invalid(node, "must be an ICAO address of six hexadecimal digits")
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
    verified = colander.SchemaNode(
        JsonBoolean(), missing=colander.drop, description="Whether a person has verified it."
    )
    notes = text(10_000, "Remarks.", multiline=True)


class KnownFields(_Writable):
    """The fields that may be edited."""

    struct = KnownAircraftChangeFields


class NewKnownAircraft(_Writable):
    """A new entry: the address is required, agency type and state are derived from the name where they are missing."""

    struct = NewKnownAircraftFields

    icao_hex = colander.SchemaNode(_Hex(), description="ICAO address, in either case.")


class KnownAircraftVerification(Schema):
    """Whether an entry is verified."""

    struct = KnownAircraftVerificationFields

    verified = colander.SchemaNode(JsonBoolean(), missing=True, description="False removes the verification.")


class KnownQuery(PageQuery):
    """Filters of the list."""

    limit = colander.SchemaNode(
        QueryInteger(),
        missing=None,
        validator=colander.Range(1, MAX_LIMIT),
        description=f"Entries on a page; without it the whole list, at most {WHOLE_LIST}.",
    )

    search = colander.SchemaNode(
        QueryString(),
        missing=None,
        validator=colander.Length(max=100),
        description="Part of the ICAO address, the registration or the agency's name, in any case.",
    )
    agency_type = colander.SchemaNode(
        QueryString(), missing=None, validator=colander.OneOf(values(AgencyType)), description="Type of the agency."
    )
    agency_state = colander.SchemaNode(
        QueryString(),
        missing=None,
        preparer=upper,
        validator=colander.OneOf(STATES),
        description="Two-letter US state code.",
    )
    verified = colander.SchemaNode(
        QueryBoolean(), missing=None, description="Only verified entries, or only the others."
    )
    source = colander.SchemaNode(
        QueryString(), missing=None, validator=colander.OneOf(values(Source)), description="Source of the entries."
    )


class KnownEntry(Schema):
    """An entry of the list."""

    id = colander.SchemaNode(JsonInteger())
    icao_hex = colander.SchemaNode(JsonString(), description="ICAO address in upper case.")
    registration = colander.SchemaNode(JsonString())
    aircraft_type = colander.SchemaNode(JsonString())
    aircraft_model = colander.SchemaNode(JsonString())
    agency_name = colander.SchemaNode(JsonString())
    agency_type = colander.SchemaNode(JsonString(), validator=colander.OneOf(values(AgencyType)))
    agency_state = colander.SchemaNode(JsonString(), description="Two-letter US state code, or empty.")
    agency_city = colander.SchemaNode(JsonString())
    source = colander.SchemaNode(JsonString(), validator=colander.OneOf(values(Source)))
    source_url = colander.SchemaNode(JsonString())
    verified = colander.SchemaNode(JsonBoolean())
    verified_at = colander.SchemaNode(Nullable(Timestamp()))
    times_detected = colander.SchemaNode(JsonInteger(), description="Number of flights on which it was in the picture.")
    last_detected = colander.SchemaNode(Nullable(Timestamp()))
    notes = colander.SchemaNode(JsonString(multiline=True))
    created_at = colander.SchemaNode(Timestamp())
    updated_at = colander.SchemaNode(Timestamp())


class KnownList(PageLinks):
    """A page of the list."""

    aircraft = colander.SchemaNode(JsonList(), KnownEntry(name="entry"))
    verified_count = colander.SchemaNode(JsonInteger(), description="Number of verified entries among all matches.")


class CheckResult(Schema):
    """Whether an address is on the list; has ``aircraft`` if it is, ``icao_hex`` if it is not."""

    found = colander.SchemaNode(JsonBoolean())
    aircraft = KnownEntry(missing=colander.drop)
    icao_hex = colander.SchemaNode(JsonString(), missing=colander.drop)


class CountsByType(Schema):
    """The number of entries of each agency type."""

    federal = colander.SchemaNode(JsonInteger())
    state = colander.SchemaNode(JsonInteger())
    local = colander.SchemaNode(JsonInteger())
    military = colander.SchemaNode(JsonInteger())
    unknown = colander.SchemaNode(JsonInteger())


class CountsByState(colander.MappingSchema):
    """The number of entries of each state; states without entries are omitted."""

    @staticmethod
    def schema_type(**kw: Any) -> colander.SchemaType:
        return colander.Mapping(unknown="preserve")


class KnownStats(Schema):
    """Statistics of the list."""

    total = colander.SchemaNode(JsonInteger())
    verified = colander.SchemaNode(JsonInteger())
    by_agency_type = CountsByType()
    by_state = CountsByState()
