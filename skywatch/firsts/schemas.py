"""What goes into and comes out of the calls of firsts."""

from __future__ import annotations

import colander

from skywatch.firsts.bests import UNITS
from skywatch.firsts.models import KINDS
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonNumber,
    JsonString,
    Nullable,
    QueryString,
    Schema,
    Timestamp,
    choice_filter,
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

BUSIEST_DAY, BUSIEST_HOUR = "busiest_day", "busiest_hour"
RECORDS = (*UNITS, BUSIEST_DAY, BUSIEST_HOUR)
REASONS = (
    "emergency",
    "watch",
    "first_type",
    "first_airframe",
    "military",
    "rare_type",
    "not_seen_days",
    "low",
)


class First(Schema):
    """What was seen for the first time."""

    kind = choice_node(KINDS, "What it is.")
    key = string_node(
        "Address of an airframe, designator of a type, ICAO designator of an airline by its callsigns, or country"
        " code (ISO 3166) of a register."
    )
    name = nullable_node(
        JsonString(),
        "Registration of an airframe, a type in words, an operator; null where it is unknown, of countries, and of"
        " airframes without `aircraft.view_details`.",
    )
    at = timestamp_node("Begin of the first flight.")
    icao_hex = string_node("The aircraft, upper case.")
    callsign = nullable_node(JsonString(), "Its callsign on that flight.")
    flight_id = nullable_node(JsonInteger(), "That flight in history; null once it is gone.")


class FirstQuery(PageQuery):
    kind = choice_filter(KINDS, "Firsts of this kind only.")
    begin = timestamp_node("Firsts at or after this time.", name="from", missing=None)
    end = timestamp_node("Firsts before this time.", name="to", missing=None)


class FirstList(PageLinks):
    firsts = list_node(First(name="first"), "Firsts, the newest first.")


class Record(Schema):
    """A record: the best value, and who has set it."""

    value = number_node()
    unit = string_node("`nm`, `ft`, `kt` or `s`.")
    at = timestamp_node("When; of the longest flight its begin.")
    icao_hex = string_node("The aircraft, upper case.")
    callsign = nullable_node(JsonString(), "Its callsign.")
    type = nullable_node(JsonString(), "Its type (ICAO designator).")
    receiver = nullable_node(
        JsonString(), "The receiver of the station's own antenna; null with several of them, and for what others heard."
    )
    source = nullable_node(JsonString(), "Source of the position, such as `adsb_icao`; null where it is not known.")


class Busiest(Schema):
    """The day or hour in which most flights began."""

    value = integer_node("Flights.")
    at = timestamp_node("Begin of the day or the hour.")


class RareType(Schema):
    """A type of which few were seen."""

    type = string_node("ICAO designator.")
    airframes = integer_node("Aircraft of the type.")
    flights = integer_node("Their flights.")
    last_at = timestamp_node("When one was seen last.")


def _record_node(meaning: str) -> colander.SchemaNode:
    return colander.SchemaNode(Nullable(Record.schema_type()), *Record().children, description=meaning)


def _busiest_node(meaning: str) -> colander.SchemaNode:
    return colander.SchemaNode(Nullable(Busiest.schema_type()), *Busiest().children, description=meaning)


class Records(Schema):
    """The records of the station; null where there is none yet."""

    farthest = _record_node("The farthest aircraft whose own position the station's antenna heard.")
    highest = _record_node("The highest aircraft.")
    fastest = _record_node("The highest ground speed.")
    slowest_airborne = _record_node("The lowest ground speed of an aeroplane in flight.")
    longest_flight = _record_node("The flight that was received for the longest time.")
    busiest_day = _busiest_node("The day on which most flights began.")
    busiest_hour = _busiest_node("The hour in which most flights began.")
    rarest_types = list_node(RareType(name="type"), "The ten rarest types.")
    timezone = string_node("The time zone of the station, in which days and hours are counted.")


class JournalQuery(Schema):
    day = node(
        QueryString(),
        "A day of the station, `YYYY-MM-DD`; today by default.",
        missing=None,
        validator=colander.Regex(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", sentence("firsts.day", "must be a day, YYYY-MM-DD")),
    )


class Journal(Schema):
    """A day of the station."""

    day = string_node("The day, `YYYY-MM-DD`.")
    timezone = string_node("The time zone of the station, in which the day begins and ends.")
    flights = integer_node("Flights that began on it.")
    airframes = integer_node("Aircraft of these flights.")
    new = list_node(
        First(name="first"),
        "What was seen for the first time: types, operators, countries and, 1,000 at most, airframes; of each kind the"
        " newest first.",
    )
    military_share = nullable_node(
        JsonNumber(), "Share of military flights, 0 to 1; null without `aircraft.view_military`, and without flights."
    )
    first = nullable_node(Timestamp(), "Begin of the first flight.")
    last = nullable_node(Timestamp(), "Begin of the last flight.")
    records = list_node(choice_node(RECORDS, name="record"), "Records that were set on this day.")


class WorthALook(Schema):
    """An aircraft in the sky that is worth a look."""

    icao_hex = string_node("The aircraft, upper case.")
    callsign = nullable_node(JsonString(), "Its callsign.")
    type = nullable_node(JsonString(), "Its type (ICAO designator).")
    reasons = list_node(choice_node(REASONS, name="reason"), "Why, the best reason first.")
    days = nullable_node(JsonNumber(), "Days since it was seen last; null where it never was.")


class WorthALookList(PageLinks):
    aircraft = list_node(WorthALook(name="aircraft"), "Aircraft, the best first.")


class Visits(Schema):
    """How often the aircraft was here."""

    first_at = timestamp_node("Begin of its first flight.")
    last_at = nullable_node(Timestamp(), "End of the flight before this one; null where there is none.")
    flights = integer_node("Flights, with this one.")


VISITS = node(
    Nullable(Schema.schema_type()),
    "The flights of this aircraft, with those that are gone from history; null without `history.view`, and where none"
    " was recorded.",
    *Visits().children,
)
