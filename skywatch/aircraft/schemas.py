"""What goes in and out of the live aircraft resources; field names and units are readsb's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import colander

from skywatch.aircraft.filters import SORT_KEYS
from skywatch.aircraft.members import nodes
from skywatch.core.feature import FeatureSet
from skywatch.http.lists.pagination import MAX_LIMIT, PageLinks, PageQuery
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonObject,
    JsonSequence,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryBox,
    QueryInteger,
    QueryList,
    QueryNumber,
    QueryString,
    Schema,
    Timestamp,
    boolean_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    parse_icao,
    string_node,
    timestamp_node,
)
from skywatch.sentences import sentence

LATITUDE, LONGITUDE = colander.Range(-90, 90), colander.Range(-180, 180)
MAX_LOOKUP = 500
MAX_TRAILS, MAX_TRAIL_S = 100, 3600
AIRPORT_CODE = re.compile("[A-Z0-9]{3,4}")


def optional(typ: colander.SchemaType, description: str, **kw: Any) -> colander.SchemaNode:
    """A member that is left out where nothing is known."""
    return node(typ, description, missing=colander.drop, **kw)


class StringOrNumber(JsonNumber):
    """readsb's barometric altitude: feet, or the word ``ground``."""

    expected = sentence("aircraft.number_or_ground", 'must be a number or "ground"')

    def accept(self, value: Any) -> bool:
        return value == "ground" or super().accept(value)

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """Two forms."""
        return {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["ground"]}]}


class StringList(JsonSequence):
    name = string_node()


class Aircraft(Schema):
    """One live aircraft. Members that are not known are left out."""

    hex = string_node("ICAO address, lower case; ~ before other addresses.")
    type = optional(JsonString(), "Where the data comes from, such as adsb_icao or mlat.")
    flight = optional(JsonString(), "Callsign.")
    r = optional(JsonString(), "Registration (needs aircraft.view_details).")
    t = optional(JsonString(), "ICAO type designator.")
    desc = optional(JsonString(), "Type in words.")
    ownOp = optional(JsonString(), "Owner or operator (needs aircraft.view_details).")  # noqa: N815
    year = optional(JsonString(), "Year built (needs aircraft.view_details).")
    dbFlags = optional(JsonInteger(), "1 military, 2 interesting, 4 PIA, 8 LADD.")  # noqa: N815
    alt_baro = optional(StringOrNumber(), "Barometric altitude (ft) or ground.")
    alt_geom = optional(JsonNumber(), "Geometric altitude (ft).")
    gs = optional(JsonNumber(), "Ground speed (kt).")
    ias = optional(JsonNumber(), "Indicated air speed (kt).")
    tas = optional(JsonNumber(), "True air speed (kt).")
    mach = optional(JsonNumber(), "Mach number.")
    track = optional(JsonNumber(), "True track over ground (degrees).")
    track_rate = optional(JsonNumber(), "Change of track (degrees/s).")
    roll = optional(JsonNumber(), "Roll (degrees, negative left).")
    mag_heading = optional(JsonNumber(), "Magnetic heading (degrees).")
    true_heading = optional(JsonNumber(), "True heading (degrees).")
    baro_rate = optional(JsonNumber(), "Barometric vertical rate (ft/min).")
    geom_rate = optional(JsonNumber(), "Geometric vertical rate (ft/min).")
    squawk = optional(JsonString(), "Mode A code, four octal digits.")
    emergency = optional(JsonString(), "Emergency state.")
    category = optional(JsonString(), "Emitter category, A0 to D7.")
    nav_qnh = optional(JsonNumber(), "Altimeter setting (hPa).")
    nav_altitude_mcp = optional(JsonNumber(), "Altitude selected on the panel (ft).")
    nav_altitude_fms = optional(JsonNumber(), "Altitude selected by the flight management system (ft).")
    nav_heading = optional(JsonNumber(), "Selected heading (degrees).")
    nav_modes = optional(JsonList(), "Engaged automation modes.", children=[string_node()])
    lat = optional(JsonNumber(), "Latitude (degrees).")
    lon = optional(JsonNumber(), "Longitude (degrees).")
    nic = optional(JsonInteger(), "Navigation integrity category.")
    rc = optional(JsonNumber(), "Radius of containment (m).")
    version = optional(JsonInteger(), "ADS-B version.")
    nic_baro = optional(JsonInteger(), "Barometric integrity.")
    nac_p = optional(JsonInteger(), "Position accuracy category.")
    nac_v = optional(JsonInteger(), "Velocity accuracy category.")
    sil = optional(JsonInteger(), "Source integrity level.")
    sil_type = optional(JsonString(), "Meaning of sil.")
    gva = optional(JsonInteger(), "Geometric vertical accuracy.")
    sda = optional(JsonInteger(), "System design assurance.")
    alert = optional(JsonInteger(), "Flight status alert.")
    spi = optional(JsonInteger(), "Special position identification.")
    mlat = optional(JsonList(), "Fields from multilateration.", children=[string_node()])
    tisb = optional(JsonList(), "Fields from TIS-B.", children=[string_node()])
    wd = optional(JsonNumber(), "Wind direction (degrees).")
    ws = optional(JsonNumber(), "Wind speed (kt).")
    oat = optional(JsonNumber(), "Outside air temperature (degrees C).")
    tat = optional(JsonNumber(), "Total air temperature (degrees C).")
    acas_ra = optional(JsonObject(), "Collision avoidance advisory.")
    seen = optional(JsonNumber(), "Age of the last message (s).")
    seen_pos = optional(JsonNumber(), "Age of the position (s).")
    messages = optional(JsonInteger(), "Messages heard.")
    rssi = optional(JsonNumber(), "Signal strength (dBFS).")
    military = optional(JsonBoolean(), "Military, by database or address range.")
    on_ground = optional(JsonBoolean(), "On the ground.")
    distance_nm = optional(JsonNumber(), "Distance from the station.")
    bearing = optional(JsonNumber(), "True bearing from the station (degrees).")
    receiver = optional(
        JsonString(), "Receiver that heard the position, or the last message; `feeders` for every feeder."
    )
    disputed = optional(
        JsonList(),
        "What receivers contradict each other about: position, altitude, geometric_altitude, speed, callsign, squawk,"
        " emergency. It is left out, except where own receivers or trusted feeders say one thing and feeders of two"
        " owners another: then the former is shown.",
        children=[string_node()],
    )
    single_source = optional(
        JsonBoolean(), "True where only one feeder that is not trusted has ever heard it; it may not exist."
    )
    simulated = optional(JsonBoolean(), "True where it is a simulator's: it does not exist.")
    first_seen = optional(Timestamp(), "When this flight came into the picture.")
    route = optional(
        Nullable(JsonString()), "Where it comes from and goes to (`EGLL-KJFK`): in lists whose `fields` name it."
    )


FIELDS: frozenset[str] = frozenset(node.name for node in Aircraft().children)


class AircraftSequence(JsonSequence):
    aircraft = Aircraft()


def parse_field(text: str) -> str:
    """A member of an aircraft; raises ValueError where there is none of that name."""
    if text not in FIELDS:
        raise ValueError(sentence("aircraft.unknown_field", "{name} is not a field of an aircraft", name=text[:32]))
    return text


def parse_airport(text: str) -> str:
    """An ICAO or IATA code in upper case; raises ValueError where it cannot be one."""
    code = text.upper()
    if not AIRPORT_CODE.fullmatch(code):
        raise ValueError(sentence("aircraft.airport_code", "must be ICAO or IATA codes of airports"))
    return code


class PositionQuery(Schema):
    """Which aircraft: every filter that is given must match."""

    hex = optional(QueryList(parse_icao, MAX_LOOKUP), "ICAO addresses, separated by commas.")
    bbox = optional(QueryBox(), "west,south,east,north (degrees); west > east crosses the date line.")
    lat = optional(QueryNumber(), "Centre of radius_nm.", validator=LATITUDE)
    lon = optional(QueryNumber(), "Centre of radius_nm.", validator=LONGITUDE)
    radius_nm = optional(QueryNumber(), "Within this distance of lat, lon.", validator=colander.Range(0, 10_820))
    min_altitude_ft = optional(QueryNumber(), "At or above; on the ground counts as 0.")
    max_altitude_ft = optional(QueryNumber(), "At or below; on the ground counts as 0.")
    min_speed_kt = optional(QueryNumber(), "Ground speed at or above.")
    max_speed_kt = optional(QueryNumber(), "Ground speed at or below.")
    callsign = optional(QueryList(), "Callsigns, separated by commas; SWR* matches what begins so.")
    registration = optional(QueryList(), "Registrations likewise (needs aircraft.view_details).")
    type = optional(QueryList(), "Type designators likewise.")
    squawk = optional(QueryList(), "Squawks, separated by commas.")
    category = optional(QueryList(), "Emitter categories, separated by commas.")
    military = optional(QueryBoolean(), "Only military aircraft, or none.")
    emergency = optional(QueryBoolean(), "Only aircraft in an emergency, or none.")
    on_ground = optional(QueryBoolean(), "Only aircraft on the ground, or none.")
    receiver = optional(QueryList(), "Heard by these receivers.")
    origin = optional(
        QueryList(parse_airport), "Whose route begins at these airports (ICAO or IATA codes, separated by commas)."
    )
    destination = optional(QueryList(parse_airport), "Whose route ends at these airports likewise.")

    def validator(self, node: colander.SchemaNode, query: dict[str, Any]) -> None:
        """lat, lon and radius_nm belong together."""
        given = [name for name in ("lat", "lon", "radius_nm") if name in query]
        if given and len(given) < 3:
            error = colander.Invalid(node)
            for name in {"lat", "lon", "radius_nm"} - set(given):
                error.add(
                    colander.Invalid(
                        node[name],
                        sentence("aircraft.place_together", "is needed: lat, lon and radius_nm belong together"),
                    )
                )
            raise error


class AircraftQuery(PositionQuery, PageQuery):
    """Filters, order, fields and page."""

    sort = node(
        QueryString(),
        "Order; - before it for descending. Aircraft without a value come last.",
        missing="hex",
        validator=colander.OneOf([*SORT_KEYS, *(f"-{key}" for key in SORT_KEYS)]),
    )
    fields = optional(QueryList(parse_field, 80), "Only these members (hex is always there).")


class AircraftList(PageLinks):
    """The picture, or what was asked of it."""

    now = number_node("Unix time of the picture.")
    messages = integer_node("Messages heard since the start.")
    age_s = number_node("How long the tracker has published nothing (s): 0 while it works. Ages grow meanwhile.")
    aircraft = AircraftSequence()


class AircraftPath(Schema):
    icao_hex = node(IcaoAddress(), "ICAO address in either case.")


class FieldAges(Schema):
    """Seconds since each group of fields was last heard."""

    message = number_node()
    position = optional(JsonNumber(), "Latitude and longitude.")
    altitude = optional(JsonNumber(), "Barometric altitude.")
    velocity = optional(JsonNumber(), "Speed, track, vertical rate.")
    callsign = optional(JsonNumber(), "Callsign.")
    squawk = optional(JsonNumber(), "Squawk.")


class Airframe(Schema):
    """What is known of an airframe by its ICAO address."""

    icao_hex = string_node("ICAO address, upper case.")
    registration = optional(Nullable(JsonString()), "Registration (needs aircraft.view_details).")
    type = nullable_node(JsonString(), "ICAO type designator.")
    type_name = nullable_node(JsonString(), "Type in words.")
    operator = optional(Nullable(JsonString()), "Operator (needs aircraft.view_details).")
    owner = optional(Nullable(JsonString()), "Owner (needs aircraft.view_details).")
    year = optional(Nullable(JsonInteger()), "Year built (needs aircraft.view_details).")
    military = boolean_node()
    interesting = boolean_node()
    pia = boolean_node("Uses privacy addresses.")
    ladd = boolean_node("Asked not to be displayed by some services.")
    sources = StringList(
        description="The imported databases that know it; none where it is only known whether it is military."
    )


class MilitaryDecisionFields(Fields):
    """Whether an aircraft is military."""

    military: bool | None


class MilitaryDecision(Schema):
    """Whether an aircraft is military."""

    struct = MilitaryDecisionFields

    military = nullable_node(
        JsonBoolean(), "Whatever lists, receivers and its address say; null leaves it to them again."
    )


class MilitaryState(Schema):
    """Whether an aircraft is military, and why; the reasons are null for callers without `aircraft.view_military`."""

    icao_hex = string_node("ICAO address, upper case.")
    military = nullable_node(JsonBoolean(), "It counts as military.")
    decided = nullable_node(JsonBoolean(), "What was set here; null: nothing.")
    listed = nullable_node(JsonBoolean(), "An imported list, or the block of its address, says that it is military.")
    reported_at = nullable_node(
        Timestamp(), "When a receiver of ours or a trusted feeder first reported it as military."
    )


class AircraftDetail(Aircraft):
    """One aircraft with its airframe and the age of every group of fields."""

    airframe = colander.SchemaNode(Nullable(Airframe.schema_type()), *Airframe().children)
    ages = FieldAges()

    def members_of_features(self, features: FeatureSet) -> Iterable[colander.SchemaNode]:
        """The members that other features declare."""
        return nodes(features)


class TrailPoint(Schema):
    """One position of the current flight."""

    at = timestamp_node()
    lat = number_node()
    lon = number_node()
    altitude_ft = nullable_node(JsonNumber())
    on_ground = boolean_node()
    speed_kt = nullable_node(JsonNumber())
    track = nullable_node(JsonNumber())


class TrailPoints(JsonSequence):
    point = TrailPoint()


class AircraftTrail(Schema):
    """The positions of the current flight, oldest first."""

    hex = string_node()
    first_seen = timestamp_node()
    count = integer_node()
    trail = TrailPoints()


class TrailsQuery(Schema):
    """Whose trails, and how far back."""

    icao_hex = node(QueryList(parse_icao, MAX_TRAILS), "ICAO addresses, separated by commas; at most 100.")
    since_s = node(
        QueryInteger(),
        "How far back (s); at most an hour.",
        missing=900,
        validator=colander.Range(1, MAX_TRAIL_S),
    )


class TrailColumns(Schema):
    """The positions of one aircraft's current flight, oldest first, as lists of the same length."""

    hex = string_node("ICAO address, lower case.")
    at = list_node(number_node(name="at"), "Unix seconds.")
    lat = list_node(number_node(name="lat"), "Latitudes.")
    lon = list_node(number_node(name="lon"), "Longitudes.")
    altitude_ft = list_node(
        nullable_node(JsonInteger(), name="altitude"), "Barometric altitudes; null on the ground and where unknown."
    )
    on_ground = list_node(boolean_node(name="ground"), "Whether it was on the ground.")


class AircraftTrails(Schema):
    """The trails of several aircraft."""

    now = number_node("Time of the picture (unix seconds).")
    trails = list_node(TrailColumns(name="trail"), "Those that are in the sky, in the order asked for.")


class NearestQuery(Schema):
    """Around a point, or around the station."""

    lat = optional(QueryNumber(), "Latitude; the station's where left out.", validator=LATITUDE)
    lon = optional(QueryNumber(), "Longitude; the station's where left out.", validator=LONGITUDE)
    limit = node(QueryInteger(), "How many.", missing=1, validator=colander.Range(1, MAX_LIMIT))
    on_ground = optional(QueryBoolean(), "Only aircraft on the ground, or none.")
    military = optional(QueryBoolean(), "Only military aircraft, or none.")


class NearAircraft(Aircraft):
    """An aircraft and where it is from the point asked for."""

    from_nm = number_node("Distance from the point asked for.")
    from_bearing = number_node("True bearing from that point (degrees).")


class NearSequence(JsonSequence):
    aircraft = NearAircraft()


class NearestList(Schema):
    """The nearest aircraft, nearest first."""

    now = number_node()
    count = integer_node()
    aircraft = NearSequence()


class Counts(Schema):
    """A count for each name."""

    @staticmethod
    def schema_type(**kw: Any) -> colander.SchemaType:
        return JsonCounts()


class JsonCounts(JsonObject):
    """Names and whole numbers."""

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """Any names."""
        return {"type": "object", "additionalProperties": {"type": "integer"}}


class AircraftStats(Schema):
    """The picture in numbers."""

    now = number_node()
    messages = integer_node()
    total = integer_node()
    with_position = integer_node()
    on_ground = integer_node()
    airborne = integer_node()
    military = integer_node()
    emergency = integer_node()
    farthest_nm = nullable_node(JsonNumber())
    highest_ft = nullable_node(JsonNumber())
    fastest_kt = nullable_node(JsonNumber())
    by_source = node(JsonCounts(), "Aircraft by where their data comes from.")
    by_category = node(JsonCounts(), "Aircraft by emitter category.")
    by_altitude = node(JsonCounts(), "Aircraft by altitude band (ft).")
    by_receiver = node(JsonCounts(), "Aircraft by the receiver of the last position.")
    by_type = node(JsonCounts(), "Aircraft by type, the 20 most frequent.")


class TopQuery(Schema):
    """How many of each."""

    limit = node(QueryInteger(), "How many of each.", missing=5, validator=colander.Range(1, 100))


class TopAircraft(Schema):
    """The aircraft that stand out."""

    now = number_node()
    highest = AircraftSequence()
    fastest = AircraftSequence()
    climbing = AircraftSequence()
    descending = AircraftSequence()
    farthest = AircraftSequence()
    nearest = AircraftSequence()
    longest = AircraftSequence(description="The longest in the picture.")


class AirframeLookupFields(Fields):
    """Addresses to look up."""

    icao_hex: list[str]


class AirframeLookup(Schema):
    """Addresses to look up."""

    struct = AirframeLookupFields

    icao_hex = node(
        JsonList(),
        "ICAO addresses in either case.",
        validator=colander.Length(1, MAX_LOOKUP),
        children=[node(IcaoAddress())],
    )


class AirframeSequence(JsonSequence):
    airframe = Airframe()


class AirframeList(Schema):
    """The airframes that are known, and the addresses of those that are not."""

    airframes = AirframeSequence()
    count = integer_node()
    not_found = StringList()
