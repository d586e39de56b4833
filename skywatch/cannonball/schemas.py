"""What goes in and out of locations, sessions, patterns and alerts."""

from __future__ import annotations

import colander

from skywatch.cannonball.vocabulary import AlertType, EndReason, Identification, ThreatLevel, values
from skywatch.http.paging import PageLinks, PageQuery
from skywatch.http.schema import (
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

MAXIMUM_RADIUS_NM = 100.0
# Faster than any user moves (kt).
MAXIMUM_SPEED_KT = 700.0
LEVELS = values(ThreatLevel)


def number(description: str = "", **kw: object) -> colander.SchemaNode:
    """A JSON number."""
    return colander.SchemaNode(JsonNumber(), description=description, **kw)


class RangeOrNull(colander.Range):
    """A range that lets null pass: clients send what their positioning gave them."""

    def __call__(self, node: colander.SchemaNode, value: float | None) -> None:
        if value is not None:
            super().__call__(node, value)


def word(words: tuple[str, ...], description: str = "") -> colander.SchemaNode:
    """One of some words."""
    return colander.SchemaNode(JsonString(), validator=colander.OneOf(words), description=description)


def chosen(words: tuple[str, ...], description: str) -> colander.SchemaNode:
    """A filter that takes one of some words."""
    return colander.SchemaNode(QueryString(), missing=None, validator=colander.OneOf(words), description=description)


class NewLocation(Schema):
    """Where the caller is."""

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
        validator=RangeOrNull(0, MAXIMUM_SPEED_KT),
        description="Speed of movement (kt).",
    )
    radius_nm = colander.SchemaNode(
        Nullable(JsonNumber()),
        missing=None,
        validator=RangeOrNull(1, MAXIMUM_RADIUS_NM),
        description="Aircraft nearer than this are looked at (nm); 25 by default.",
    )


class ShownLocation(Schema):
    """A location as it is kept."""

    lat = number()
    lon = number()
    heading = colander.SchemaNode(Nullable(JsonNumber()))
    speed_kt = colander.SchemaNode(Nullable(JsonNumber()))
    radius_nm = number()
    updated_at = colander.SchemaNode(Timestamp())
    expires_at = colander.SchemaNode(Timestamp(), description="When it is forgotten unless it is refreshed.")


class ThingId(Schema):
    """The id in a path."""

    id = colander.SchemaNode(QueryInteger(), validator=colander.Range(1, 2**53))


class SessionSummary(Schema):
    """A session in short."""

    id = colander.SchemaNode(JsonInteger())
    icao_hex = colander.SchemaNode(JsonString())
    callsign = colander.SchemaNode(JsonString())
    is_active = colander.SchemaNode(JsonBoolean())
    threat_level = word(LEVELS)
    urgency_score = number("0 to 100.")
    distance_nm = number("From the user (nm).")
    bearing = number("True bearing from the user (degrees).")
    closing_speed_kts = number("Positive when approaching (kt).")
    last_seen = colander.SchemaNode(Timestamp(), description="Last position.")
    pattern_count = colander.SchemaNode(JsonInteger())
    alert_count = colander.SchemaNode(JsonInteger())


class SessionRecord(SessionSummary):
    """A session with everything that is recorded of it."""

    user = colander.SchemaNode(JsonInteger(), description="Whose session it is.")
    identification = word(values(Identification), "Why the aircraft is of interest.")
    known_aircraft = colander.SchemaNode(Nullable(JsonInteger()), description="Its entry in the known list.")
    agency_name = colander.SchemaNode(JsonString())
    military = colander.SchemaNode(JsonBoolean())
    peak_threat_level = word(LEVELS)
    peak_urgency_score = number()
    closest_nm = number()
    started_at = colander.SchemaNode(Timestamp())
    ended_at = colander.SchemaNode(Nullable(Timestamp()))
    end_reason = colander.SchemaNode(
        Nullable(JsonString()), description=f"Null while it runs, then one of {', '.join(values(EndReason))}."
    )


class ActiveSessions(Schema):
    """The sessions running now."""

    sessions = colander.SchemaNode(JsonList(), SessionSummary(name="session"))
    count = colander.SchemaNode(JsonInteger())


class SessionList(PageLinks):
    """A page of sessions."""

    sessions = colander.SchemaNode(JsonList(), SessionRecord(name="session"))


class TimeQuery(PageQuery):
    """Filters by time and aircraft that every list has."""

    icao_hex = colander.SchemaNode(IcaoAddress(), missing=None, description="ICAO address, in either case.")

    # ``from`` is a word of the language.
    since = colander.SchemaNode(Timestamp(), name="from", missing=None, description="Not before this.")
    until = colander.SchemaNode(Timestamp(), name="to", missing=None, description="Before this.")


class SessionQuery(TimeQuery):
    """Filters of sessions."""

    is_active = colander.SchemaNode(QueryBoolean(), missing=None, description="Only running ones, or only the others.")
    threat_level = chosen(LEVELS, "Present (or last) threat level.")
    identification = chosen(values(Identification), "Why the aircraft was of interest.")
    user = colander.SchemaNode(QueryInteger(), missing=None, description="Whose; for those who manage the area.")


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
    aircraft_altitude = colander.SchemaNode(Nullable(JsonInteger()), description="Feet; null where it is unknown.")
    user_lat = number()
    user_lon = number()
    distance_nm = number()
    bearing = number()
    pattern = colander.SchemaNode(Nullable(JsonInteger()))
    notified = colander.SchemaNode(
        JsonBoolean(),
        description="A notification channel delivered it; without one: it went to the real-time channel.",
    )
    announced = colander.SchemaNode(JsonBoolean(), description="A client spoke it.")
    acknowledged = colander.SchemaNode(JsonBoolean())
    acknowledged_at = colander.SchemaNode(Nullable(Timestamp()))
    created_at = colander.SchemaNode(Timestamp())


class AlertList(PageLinks):
    """A page of alerts."""

    alerts = colander.SchemaNode(JsonList(), AlertRecord(name="alert"))


class AlertQuery(TimeQuery):
    """Filters of alerts."""

    acknowledged = colander.SchemaNode(QueryBoolean(), missing=None, description="Acknowledged ones, or the others.")
    announced = colander.SchemaNode(QueryBoolean(), missing=None, description="Announced ones, or the others.")
    alert_type = chosen(values(AlertType), "Kind of alert.")
    priority = chosen(LEVELS, "Priority.")
    session = colander.SchemaNode(QueryInteger(), missing=None, description="Of this session.")


class AcknowledgedAlerts(Schema):
    """How many alerts were acknowledged."""

    acknowledged = colander.SchemaNode(JsonInteger())


class PatternRecord(Schema):
    """A flight pattern."""

    id = colander.SchemaNode(JsonInteger())
    session = colander.SchemaNode(Nullable(JsonInteger()), description="The caller's session in which it was seen.")
    icao_hex = colander.SchemaNode(JsonString())
    callsign = colander.SchemaNode(JsonString())
    pattern_type = word(values(PatternType))
    is_surveillance = colander.SchemaNode(
        JsonBoolean(), description="False where it has an ordinary reason, which details name."
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
    is_surveillance = colander.SchemaNode(QueryBoolean(), missing=None, description="Surveillance, or the others.")
    active = colander.SchemaNode(QueryBoolean(), missing=None, description="Under way, or ended.")
    session = colander.SchemaNode(QueryInteger(), missing=None, description="Seen in this session.")
