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
    QueryString,
    Schema,
    Timestamp,
)
from skywatch.patterns.findings import Confidence, PatternType

MAX_RADIUS_NM = 100.0
# Faster than any user moves (kt).
MAX_SPEED_KT = 700.0
LEVELS = values(ThreatLevel)


def number(description: str = "", **kw: object) -> colander.SchemaNode:
    """A JSON number."""
    return colander.SchemaNode(JsonNumber(), description=description, **kw)


class RangeOrNull(colander.Range):
    """A range that accepts null: clients send what their positioning API returns."""

    def __call__(self, node: colander.SchemaNode, value: float | None) -> None:
        if value is not None:
            super().__call__(node, value)


def word(words: tuple[str, ...], description: str = "") -> colander.SchemaNode:
    """The node of an enumeration."""
    return colander.SchemaNode(JsonString(), validator=colander.OneOf(words), description=description)


def chosen(words: tuple[str, ...], description: str) -> colander.SchemaNode:
    """The node of a filter by an enumeration."""
    return colander.SchemaNode(QueryString(), missing=None, validator=colander.OneOf(words), description=description)


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

    lat = number("Latitude (degrees).", validator=colander.Range(-90, 90))
    lon = number("Longitude (degrees).", validator=colander.Range(-180, 180))
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

    lat = number()
    lon = number()
    heading = colander.SchemaNode(Nullable(JsonNumber()))
    speed_kt = colander.SchemaNode(Nullable(JsonNumber()))
    radius_nm = number()
    updated_at = colander.SchemaNode(Timestamp())
    expires_at = colander.SchemaNode(Timestamp(), description="When it expires unless it is refreshed.")


class SessionSummary(Schema):
    """A session in its short form."""

    id = colander.SchemaNode(JsonInteger())
    icao_hex = colander.SchemaNode(JsonString())
    callsign = colander.SchemaNode(JsonString())
    is_active = colander.SchemaNode(JsonBoolean())
    threat_level = word(LEVELS)
    urgency_score = number("0 to 100.")
    distance_nm = number("From the user (nm).")
    bearing = number("True bearing from the user (degrees).")
    closing_speed_kts = number("Positive when approaching (kt).")
    last_seen = colander.SchemaNode(Timestamp(), description="Time of the last position.")
    pattern_count = colander.SchemaNode(JsonInteger())
    alert_count = colander.SchemaNode(JsonInteger())


class SessionRecord(SessionSummary):
    """A session with all its fields."""

    user = colander.SchemaNode(JsonInteger(), description="Id of its user.")
    identification = word(values(Identification), "Why the aircraft is of interest.")
    known_aircraft = colander.SchemaNode(
        Nullable(JsonInteger()), description="Id of its entry in the list of known aircraft."
    )
    agency_name = colander.SchemaNode(JsonString())
    military = colander.SchemaNode(JsonBoolean())
    peak_threat_level = word(LEVELS)
    peak_urgency_score = number()
    closest_nm = number()
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
    threat_level = chosen(LEVELS, "Present (or last) threat level.")
    identification = chosen(values(Identification), "Why the aircraft was of interest.")
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
    alert_type = word(values(AlertType))
    priority = word(LEVELS)
    title = colander.SchemaNode(JsonString())
    message = colander.SchemaNode(JsonString())
    aircraft_lat = number()
    aircraft_lon = number()
    aircraft_altitude = colander.SchemaNode(Nullable(JsonInteger()), description="Feet; null if unknown.")
    user_lat = number()
    user_lon = number()
    distance_nm = number()
    bearing = number()
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
    alert_type = chosen(values(AlertType), "Kind of alert.")
    priority = chosen(LEVELS, "Priority.")
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
    pattern_type = word(values(PatternType))
    is_surveillance = colander.SchemaNode(
        JsonBoolean(), description="False if it has an ordinary reason, which details name."
    )
    confidence = word(values(Confidence))
    confidence_score = number("0 to 1.")
    center_lat = number()
    center_lon = number()
    radius_nm = number()
    started_at = colander.SchemaNode(Timestamp())
    ended_at = colander.SchemaNode(Nullable(Timestamp()))
    duration_s = number()
    details = colander.SchemaNode(JsonObject())


class PatternList(PageLinks):
    """A page of patterns."""

    patterns = colander.SchemaNode(JsonList(), PatternRecord(name="pattern"))


class PatternQuery(TimeQuery):
    """Filters of patterns."""

    pattern_type = chosen(values(PatternType), "Kind of pattern.")
    confidence = chosen(values(Confidence), "Confidence.")
    is_surveillance = colander.SchemaNode(
        QueryBoolean(), missing=None, description="Only surveillance patterns, or only the others."
    )
    active = colander.SchemaNode(QueryBoolean(), missing=None, description="Only active patterns, or only ended ones.")
    session = colander.SchemaNode(QueryInteger(), missing=None, description="Flown in this session.")
