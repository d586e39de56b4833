"""The schemas of the resources of announced alerts."""

from __future__ import annotations

import colander

from skywatch.http.lists.cursor import CursorQuery
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.ids import MAX_ID
from skywatch.http.resources.schema import (
    IcaoAddress,
    JsonInteger,
    JsonObject,
    JsonSequence,
    JsonString,
    QueryBoolean,
    QueryInteger,
    QueryString,
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    code_node,
    integer_node,
    node,
    nullable_node,
    number_node,
    params_node,
    string_node,
    timestamp_node,
)
from skywatch.notify.vocabulary import PRIORITIES


class ObjectList(JsonSequence):
    """Objects."""

    entry = node(JsonObject())


class AlertHistoryQuery(CursorQuery):
    """The filters of alerts."""

    rule = node(QueryInteger(), "Of this rule.", missing=None, validator=colander.Range(0, MAX_ID))
    icao_hex = node(IcaoAddress(), "About this aircraft.", missing=None)
    priority = node(QueryString(), "Of this priority.", missing=None, validator=colander.OneOf(PRIORITIES))
    acknowledged = node(QueryBoolean(), "Only those that are, or are not.", missing=None)
    from_ = timestamp_node("Triggered at or after.", name="from", missing=None)
    to = timestamp_node("Triggered before.", missing=None)
    q = node(
        QueryString(),
        "Part of the rule's name, the message, the callsign or the geofence.",
        missing=None,
        validator=colander.Length(max=200),
    )


class AlertDelivery(Schema):
    """The delivery of an alert on a channel."""

    channel = integer_node("Id of the channel.")
    state = string_node()


class AlertDeliveries(JsonSequence):
    delivery = AlertDelivery()


class AlertHistoryRecord(Schema):
    """An announced alert."""

    id = integer_node()
    rule_id = nullable_node(JsonInteger(), "Null if the rule was deleted.")
    rule_name = string_node()
    priority = choice_node(PRIORITIES)
    icao_hex = nullable_node(JsonString(), "Null for a rule with a count.")
    callsign = nullable_node(JsonString())
    registration = nullable_node(JsonString(), "Needs aircraft.view_details.")
    message = string_node()
    message_code = code_node()
    message_params = params_node()
    aircraft = node(JsonObject(), "The live aircraft at that moment.")
    matched = ObjectList(
        description="Tests that were met: field, op, value (of a list the first 20, and more: how many follow), actual;"
        " with a count, the aircraft."
    )
    geofence = nullable_node(JsonString(), "Name of the geofence that was met.")
    count = nullable_node(JsonInteger())
    simulated = boolean_node("The aircraft, or one of the counted ones, is a simulated one.")
    triggered_at = timestamp_node()
    cleared_at = nullable_node(Timestamp(), "When the conditions were no longer met.")
    acknowledged = boolean_node()
    acknowledged_by = nullable_node(JsonString())
    acknowledged_at = nullable_node(Timestamp())
    deliveries = AlertDeliveries(description="State of the delivery on each channel.")


class AlertHistorySequence(JsonSequence):
    alert = AlertHistoryRecord()


class AlertHistoryList(PageLinks):
    """A page of alerts."""

    alerts = AlertHistorySequence()


class AlertsAcknowledged(Schema):
    """How many alerts were acknowledged."""

    acknowledged = integer_node()


class StatsQuery(Schema):
    """The time span of statistics."""

    days = node(QueryInteger(), "Number of past days.", missing=7, validator=colander.Range(1, 366))


class AlertStats(Schema):
    """Alerts in numbers."""

    total = integer_node("Alerts in that time.")
    unacknowledged = integer_node()
    active = integer_node("Alerts whose conditions are still met.")
    by_priority = node(JsonObject(), "Number of each priority.")
    by_rule = ObjectList(description="The rules with most alerts: rule_id, rule_name, count, last_at.")
    by_day = ObjectList(description="Number of each day (UTC): day, count.")
    rules = integer_node("The caller's rules.")
    rules_enabled = integer_node()
    per_day = number_node("Alerts a day on average.")
