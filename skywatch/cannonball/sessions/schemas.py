"""The schemas of locations, sessions, patterns and alerts."""

from __future__ import annotations

import colander

from skywatch.cannonball.vocabulary import AlertType, EndReason, Identification, ThreatLevel, values
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonInteger,
    JsonNumber,
    JsonObject,
    JsonString,
    QueryBoolean,
    QueryInteger,
    RangeOrNull,
    Schema,
    Timestamp,
    boolean_node,
    choice_filter,
    choice_node,
    code_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    number_node,
    params_node,
    string_node,
    timestamp_node,
)
from skywatch.patterns.findings import Confidence, PatternType

MAX_RADIUS_NM = 100.0
# Faster than any user moves (kt).
MAX_SPEED_KT = 700.0
LEVELS = values(ThreatLevel)


class NewLocationFields(Fields):
    """A location of the caller: degrees, kt and nm."""

    lat: float
    lon: float
    heading: float | None = None
    speed_kt: float | None = None
    radius_nm: float | None = None


class NewLocation(Schema):
    """The caller's location."""

    struct = NewLocationFields

    lat = number_node("Latitude (degrees).", validator=colander.Range(-90, 90))
    lon = number_node("Longitude (degrees).", validator=colander.Range(-180, 180))
    heading = nullable_node(
        JsonNumber(), "True direction of movement (degrees).", missing=None, validator=RangeOrNull(0, 360)
    )
    speed_kt = nullable_node(
        JsonNumber(), "Speed of movement (kt).", missing=None, validator=RangeOrNull(0, MAX_SPEED_KT)
    )
    radius_nm = nullable_node(
        JsonNumber(),
        "Radius in which aircraft are tracked (nm); 25 by default.",
        missing=None,
        validator=RangeOrNull(1, MAX_RADIUS_NM),
    )


class ShownLocation(Schema):
    """A stored location."""

    lat = number_node()
    lon = number_node()
    heading = nullable_node(JsonNumber())
    speed_kt = nullable_node(JsonNumber())
    radius_nm = number_node()
    updated_at = timestamp_node()
    expires_at = timestamp_node("When it expires unless it is refreshed.")


class SessionSummary(Schema):
    """A session in its short form."""

    id = integer_node()
    icao_hex = string_node()
    callsign = string_node()
    is_active = boolean_node()
    threat_level = choice_node(LEVELS)
    urgency_score = number_node("0 to 100.")
    distance_nm = number_node("From the user (nm).")
    bearing = number_node("True bearing from the user (degrees).")
    closing_speed_kts = number_node("Positive when approaching (kt).")
    last_seen = timestamp_node("Time of the last position.")
    pattern_count = integer_node()
    alert_count = integer_node()


class SessionRecord(SessionSummary):
    """A session with all its fields."""

    user = integer_node("Id of its user.")
    identification = choice_node(values(Identification), "Why the aircraft is of interest.")
    known_aircraft = nullable_node(JsonInteger(), "Id of its entry in the list of known aircraft.")
    agency_name = string_node()
    military = boolean_node()
    simulated = boolean_node("The aircraft is a simulated one.")
    peak_threat_level = choice_node(LEVELS)
    peak_urgency_score = number_node()
    closest_nm = number_node()
    started_at = timestamp_node()
    ended_at = nullable_node(Timestamp())
    end_reason = nullable_node(JsonString(), f"Null while it is active, then one of {', '.join(values(EndReason))}.")


class ActiveSessions(PageLinks):
    """The active sessions, all on one page."""

    sessions = list_node(SessionSummary(name="session"))


class SessionList(PageLinks):
    """A page of sessions."""

    sessions = list_node(SessionRecord(name="session"))


class ActiveQuery(Schema):
    """Filters of active sessions."""

    user = node(QueryInteger(), "Id of the user; needs cannonball.manage.", missing=None)


class TimeQuery(PageQuery):
    """Filters by time and aircraft, common to all lists."""

    icao_hex = node(IcaoAddress(), "ICAO address, in either case.", missing=None)

    # ``from`` is a word of the language.
    since = timestamp_node("At or after this.", name="from", missing=None)
    until = timestamp_node("Before this.", name="to", missing=None)


class SessionQuery(TimeQuery):
    """Filters of sessions."""

    is_active = node(QueryBoolean(), "Only active sessions, or only ended ones.", missing=None)
    threat_level = choice_filter(LEVELS, "Present (or last) threat level.")
    identification = choice_filter(values(Identification), "Why the aircraft was of interest.")
    user = node(QueryInteger(), "Id of the user; needs cannonball.manage.", missing=None)


class DeliveredBy(Schema):
    """The first delivery of an alert by one kind of way."""

    kind = string_node("The kind of channel that accepted it (webhook, apprise, mqtt, web_push), or realtime.")
    at = timestamp_node()


class AlertRecord(Schema):
    """An alert."""

    id = integer_node()
    session = integer_node()
    session_icao = string_node()
    session_callsign = string_node()
    alert_type = choice_node(values(AlertType))
    priority = choice_node(LEVELS)
    title = string_node()
    title_code = code_node()
    title_params = params_node()
    message = string_node()
    message_code = code_node()
    message_params = params_node()
    aircraft_lat = number_node()
    aircraft_lon = number_node()
    aircraft_altitude = nullable_node(JsonInteger(), "Feet; null if unknown.")
    user_lat = number_node()
    user_lon = number_node()
    distance_nm = number_node()
    bearing = number_node()
    pattern = nullable_node(JsonInteger())
    notified = boolean_node(
        "Whether it reached its user: a notification channel accepted it, or it was written to a connection of the "
        "user that subscribes to the topic alerts."
    )
    delivered_by = list_node(DeliveredBy(name="delivery"), "What delivered it, the first time for each kind.")
    simulated = boolean_node("The aircraft is a simulated one.")
    announced = boolean_node("Whether a client has announced it by voice.")
    acknowledged = boolean_node()
    acknowledged_at = nullable_node(Timestamp())
    created_at = timestamp_node()


class AlertList(PageLinks):
    """A page of alerts."""

    alerts = list_node(AlertRecord(name="alert"))


class AlertQuery(TimeQuery):
    """Filters of alerts."""

    acknowledged = node(QueryBoolean(), "Only acknowledged alerts, or only the others.", missing=None)
    announced = node(QueryBoolean(), "Only announced alerts, or only the others.", missing=None)
    alert_type = choice_filter(values(AlertType), "Kind of alert.")
    priority = choice_filter(LEVELS, "Priority.")
    session = node(QueryInteger(), "Id of the session.", missing=None)
    user = node(QueryInteger(), "Id of the user; needs cannonball.manage.", missing=None)


class AcknowledgedAlerts(Schema):
    """The number of acknowledged alerts."""

    acknowledged = integer_node()


class PatternRecord(Schema):
    """A flight pattern."""

    id = integer_node()
    session = nullable_node(JsonInteger(), "Id of the caller's session in which it was flown.")
    icao_hex = string_node()
    callsign = string_node()
    pattern_type = choice_node(values(PatternType))
    is_surveillance = boolean_node("False if it has an ordinary reason, which details name.")
    confidence = choice_node(values(Confidence))
    confidence_score = number_node("0 to 1.")
    center_lat = number_node()
    center_lon = number_node()
    radius_nm = number_node()
    started_at = timestamp_node()
    ended_at = nullable_node(Timestamp())
    simulated = boolean_node("The aircraft is a simulated one.")
    duration_s = number_node()
    details = node(JsonObject())


class PatternList(PageLinks):
    """A page of patterns."""

    patterns = list_node(PatternRecord(name="pattern"))


class PatternQuery(TimeQuery):
    """Filters of patterns."""

    pattern_type = choice_filter(values(PatternType), "Kind of pattern.")
    confidence = choice_filter(values(Confidence), "Confidence.")
    is_surveillance = node(QueryBoolean(), "Only surveillance patterns, or only the others.", missing=None)
    active = node(QueryBoolean(), "Only active patterns, or only ended ones.", missing=None)
    session = node(QueryInteger(), "Flown in this session.", missing=None)
