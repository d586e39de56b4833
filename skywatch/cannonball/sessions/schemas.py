"""The schemas of locations, sessions, patterns and alerts."""

from __future__ import annotations

import colander

from skywatch.cannonball.vocabulary import AlertType, EndReason, Identification, ThreatLevel, values
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonObject,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryInteger,
    RangeOrNull,
    Schema,
    Timestamp,
    choice_filter,
    choice_node,
    number_node,
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
    heading = colander.SchemaNode(
        Nullable(JsonNumber()),
        missing=None,
        validator=RangeOrNull(0, 360),
        description="True direction of movement (degrees).",
    )
    speed_kt = colander.SchemaNode(
        Nullable(JsonNumber()),
        missing=None,
        validator=RangeOrNull(0, MAX_SPEED_KT),
        description="Speed of movement (kt).",
    )
    radius_nm = colander.SchemaNode(
        Nullable(JsonNumber()),
        missing=None,
        validator=RangeOrNull(1, MAX_RADIUS_NM),
        description="Radius in which aircraft are tracked (nm); 25 by default.",
    )


class ShownLocation(Schema):
    """A stored location."""

    lat = number_node()
    lon = number_node()
    heading = colander.SchemaNode(Nullable(JsonNumber()))
    speed_kt = colander.SchemaNode(Nullable(JsonNumber()))
    radius_nm = number_node()
    updated_at = colander.SchemaNode(Timestamp())
    expires_at = colander.SchemaNode(Timestamp(), description="When it expires unless it is refreshed.")


class SessionSummary(Schema):
    """A session in its short form."""

    id = colander.SchemaNode(JsonInteger())
    icao_hex = colander.SchemaNode(JsonString())
    callsign = colander.SchemaNode(JsonString())
    is_active = colander.SchemaNode(JsonBoolean())
    threat_level = choice_node(LEVELS)
    urgency_score = number_node("0 to 100.")
    distance_nm = number_node("From the user (nm).")
    bearing = number_node("True bearing from the user (degrees).")
    closing_speed_kts = number_node("Positive when approaching (kt).")
    last_seen = colander.SchemaNode(Timestamp(), description="Time of the last position.")
    pattern_count = colander.SchemaNode(JsonInteger())
    alert_count = colander.SchemaNode(JsonInteger())


class SessionRecord(SessionSummary):
    """A session with all its fields."""

    user = colander.SchemaNode(JsonInteger(), description="Id of its user.")
    identification = choice_node(values(Identification), "Why the aircraft is of interest.")
    known_aircraft = colander.SchemaNode(
        Nullable(JsonInteger()), description="Id of its entry in the list of known aircraft."
    )
    agency_name = colander.SchemaNode(JsonString())
    military = colander.SchemaNode(JsonBoolean())
    peak_threat_level = choice_node(LEVELS)
    peak_urgency_score = number_node()
    closest_nm = number_node()
    started_at = colander.SchemaNode(Timestamp())
    ended_at = colander.SchemaNode(Nullable(Timestamp()))
    end_reason = colander.SchemaNode(
        Nullable(JsonString()), description=f"Null while it is active, then one of {', '.join(values(EndReason))}."
    )


class ActiveSessions(PageLinks):
    """The active sessions, all on one page."""

    sessions = colander.SchemaNode(JsonList(), SessionSummary(name="session"))


class SessionList(PageLinks):
    """A page of sessions."""

    sessions = colander.SchemaNode(JsonList(), SessionRecord(name="session"))


class ActiveQuery(Schema):
    """Filters of active sessions."""

    user = colander.SchemaNode(QueryInteger(), missing=None, description="Id of the user; needs cannonball.manage.")


class TimeQuery(PageQuery):
    """Filters by time and aircraft, common to all lists."""

    icao_hex = colander.SchemaNode(IcaoAddress(), missing=None, description="ICAO address, in either case.")

    # ``from`` is a word of the language.
    since = colander.SchemaNode(Timestamp(), name="from", missing=None, description="At or after this.")
    until = colander.SchemaNode(Timestamp(), name="to", missing=None, description="Before this.")


class SessionQuery(TimeQuery):
    """Filters of sessions."""

    is_active = colander.SchemaNode(
        QueryBoolean(), missing=None, description="Only active sessions, or only ended ones."
    )
    threat_level = choice_filter(LEVELS, "Present (or last) threat level.")
    identification = choice_filter(values(Identification), "Why the aircraft was of interest.")
    user = colander.SchemaNode(QueryInteger(), missing=None, description="Id of the user; needs cannonball.manage.")


class DeliveredBy(Schema):
    """The first delivery of an alert by one kind of way."""

    kind = colander.SchemaNode(
        JsonString(),
        description="The kind of channel that accepted it (webhook, apprise, mqtt, web_push), or realtime.",
    )
    at = colander.SchemaNode(Timestamp())


class AlertRecord(Schema):
    """An alert."""

    id = colander.SchemaNode(JsonInteger())
    session = colander.SchemaNode(JsonInteger())
    session_icao = colander.SchemaNode(JsonString())
    session_callsign = colander.SchemaNode(JsonString())
    alert_type = choice_node(values(AlertType))
    priority = choice_node(LEVELS)
    title = colander.SchemaNode(JsonString())
    message = colander.SchemaNode(JsonString())
    aircraft_lat = number_node()
    aircraft_lon = number_node()
    aircraft_altitude = colander.SchemaNode(Nullable(JsonInteger()), description="Feet; null if unknown.")
    user_lat = number_node()
    user_lon = number_node()
    distance_nm = number_node()
    bearing = number_node()
    pattern = colander.SchemaNode(Nullable(JsonInteger()))
    notified = colander.SchemaNode(
        JsonBoolean(),
        description=(
            "Whether it reached its user: a notification channel accepted it, or it was written to a connection of the "
            "user that subscribes to the topic alerts."
        ),
    )
    delivered_by = colander.SchemaNode(
        JsonList(), DeliveredBy(name="delivery"), description="What delivered it, the first time for each kind."
    )
    announced = colander.SchemaNode(JsonBoolean(), description="Whether a client has announced it by voice.")
    acknowledged = colander.SchemaNode(JsonBoolean())
    acknowledged_at = colander.SchemaNode(Nullable(Timestamp()))
    created_at = colander.SchemaNode(Timestamp())


class AlertList(PageLinks):
    """A page of alerts."""

    alerts = colander.SchemaNode(JsonList(), AlertRecord(name="alert"))


class AlertQuery(TimeQuery):
    """Filters of alerts."""

    acknowledged = colander.SchemaNode(
        QueryBoolean(), missing=None, description="Only acknowledged alerts, or only the others."
    )
    announced = colander.SchemaNode(
        QueryBoolean(), missing=None, description="Only announced alerts, or only the others."
    )
    alert_type = choice_filter(values(AlertType), "Kind of alert.")
    priority = choice_filter(LEVELS, "Priority.")
    session = colander.SchemaNode(QueryInteger(), missing=None, description="Id of the session.")
    user = colander.SchemaNode(QueryInteger(), missing=None, description="Id of the user; needs cannonball.manage.")


class AcknowledgedAlerts(Schema):
    """The number of acknowledged alerts."""

    acknowledged = colander.SchemaNode(JsonInteger())


class PatternRecord(Schema):
    """A flight pattern."""

    id = colander.SchemaNode(JsonInteger())
    session = colander.SchemaNode(
        Nullable(JsonInteger()), description="Id of the caller's session in which it was flown."
    )
    icao_hex = colander.SchemaNode(JsonString())
    callsign = colander.SchemaNode(JsonString())
    pattern_type = choice_node(values(PatternType))
    is_surveillance = colander.SchemaNode(
        JsonBoolean(), description="False if it has an ordinary reason, which details name."
    )
    confidence = choice_node(values(Confidence))
    confidence_score = number_node("0 to 1.")
    center_lat = number_node()
    center_lon = number_node()
    radius_nm = number_node()
    started_at = colander.SchemaNode(Timestamp())
    ended_at = colander.SchemaNode(Nullable(Timestamp()))
    duration_s = number_node()
    details = colander.SchemaNode(JsonObject())


class PatternList(PageLinks):
    """A page of patterns."""

    patterns = colander.SchemaNode(JsonList(), PatternRecord(name="pattern"))


class PatternQuery(TimeQuery):
    """Filters of patterns."""

    pattern_type = choice_filter(values(PatternType), "Kind of pattern.")
    confidence = choice_filter(values(Confidence), "Confidence.")
    is_surveillance = colander.SchemaNode(
        QueryBoolean(), missing=None, description="Only surveillance patterns, or only the others."
    )
    active = colander.SchemaNode(QueryBoolean(), missing=None, description="Only active patterns, or only ended ones.")
    session = colander.SchemaNode(QueryInteger(), missing=None, description="Flown in this session.")
