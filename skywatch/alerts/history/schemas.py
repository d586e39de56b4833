"""The schemas of the resources of announced alerts."""

from __future__ import annotations

import colander

from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.ids import MAX_ID
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonBoolean,
    JsonInteger,
    JsonNumber,
    JsonObject,
    JsonSequence,
    JsonString,
    Nullable,
    QueryBoolean,
    QueryInteger,
    QueryString,
    Schema,
    Timestamp,
)
from skywatch.notify.vocabulary import PRIORITIES


class ObjectList(JsonSequence):
    """Objects."""

    entry = colander.SchemaNode(JsonObject())


class AlertHistoryQuery(CursorQuery):
    """The filters of alerts."""

    rule = colander.SchemaNode(
        QueryInteger(), missing=None, validator=colander.Range(0, MAX_ID), description="Of this rule."
    )
    icao_hex = colander.SchemaNode(IcaoAddress(), missing=None, description="About this aircraft.")
    priority = colander.SchemaNode(
        QueryString(), missing=None, validator=colander.OneOf(PRIORITIES), description="Of this priority."
    )
    acknowledged = colander.SchemaNode(QueryBoolean(), missing=None, description="Only those that are, or are not.")
    from_ = colander.SchemaNode(Timestamp(), name="from", missing=None, description="Triggered at or after.")
    to = colander.SchemaNode(Timestamp(), missing=None, description="Triggered before.")
    q = colander.SchemaNode(
        QueryString(),
        missing=None,
        validator=colander.Length(max=200),
        description="Part of the rule's name, the message, the callsign or the geofence.",
    )


class AlertDelivery(Schema):
    """The delivery of an alert on a channel."""

    channel = colander.SchemaNode(JsonInteger(), description="Id of the channel.")
    state = colander.SchemaNode(JsonString())


class AlertDeliveries(JsonSequence):
    delivery = AlertDelivery()


class AlertHistoryRecord(Schema):
    """An announced alert."""

    id = colander.SchemaNode(JsonInteger())
    rule_id = colander.SchemaNode(Nullable(JsonInteger()), description="Null if the rule was deleted.")
    rule_name = colander.SchemaNode(JsonString())
    priority = colander.SchemaNode(JsonString(), validator=colander.OneOf(PRIORITIES))
    icao_hex = colander.SchemaNode(Nullable(JsonString()), description="Null for a rule with a count.")
    callsign = colander.SchemaNode(Nullable(JsonString()))
    registration = colander.SchemaNode(Nullable(JsonString()), description="Needs aircraft.view_details.")
    message = colander.SchemaNode(JsonString())
    aircraft = colander.SchemaNode(JsonObject(), description="The live aircraft at that moment.")
    matched = ObjectList(
        description="Tests that were met: field, op, value (of a list the first 20, and more: how many follow), actual;"
        " with a count, the aircraft."
    )
    geofence = colander.SchemaNode(Nullable(JsonString()), description="Name of the geofence that was met.")
    count = colander.SchemaNode(Nullable(JsonInteger()))
    triggered_at = colander.SchemaNode(Timestamp())
    cleared_at = colander.SchemaNode(Nullable(Timestamp()), description="When the conditions were no longer met.")
    acknowledged = colander.SchemaNode(JsonBoolean())
    acknowledged_by = colander.SchemaNode(Nullable(JsonString()))
    acknowledged_at = colander.SchemaNode(Nullable(Timestamp()))
    deliveries = AlertDeliveries(description="State of the delivery on each channel.")


class AlertHistorySequence(JsonSequence):
    alert = AlertHistoryRecord()


class AlertHistoryList(PageLinks):
    """A page of alerts."""

    alerts = AlertHistorySequence()


class AlertsAcknowledged(Schema):
    """How many alerts were acknowledged."""

    acknowledged = colander.SchemaNode(JsonInteger())


class StatsQuery(Schema):
    """The time span of statistics."""

    days = colander.SchemaNode(
        QueryInteger(), missing=7, validator=colander.Range(1, 366), description="Number of past days."
    )


class AlertStats(Schema):
    """Alerts in numbers."""

    total = colander.SchemaNode(JsonInteger(), description="Alerts in that time.")
    unacknowledged = colander.SchemaNode(JsonInteger())
    active = colander.SchemaNode(JsonInteger(), description="Alerts whose conditions are still met.")
    by_priority = colander.SchemaNode(JsonObject(), description="Number of each priority.")
    by_rule = ObjectList(description="The rules with most alerts: rule_id, rule_name, count, last_at.")
    by_day = ObjectList(description="Number of each day (UTC): day, count.")
    rules = colander.SchemaNode(JsonInteger(), description="The caller's rules.")
    rules_enabled = colander.SchemaNode(JsonInteger())
    per_day = colander.SchemaNode(JsonNumber(), description="Alerts a day on average.")
