"""The responses of the system resources."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import InputFamily
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.schema import (
    JsonBoolean,
    JsonInteger,
    JsonList,
    JsonNumber,
    JsonObject,
    JsonString,
    Nullable,
    QueryString,
    Schema,
    Timestamp,
    node,
)


def status_node() -> colander.SchemaNode:
    """The verdict of all checks."""
    return node(
        JsonString(),
        "failing: not ready; degraded: ready, but something does not work.",
        name="status",
        validator=colander.OneOf(["ok", "degraded", "failing"]),
    )


class HealthQuery(Schema):
    probe = node(
        QueryString(),
        "`live` checks only that this process answers, `ready` that the service can do its work.",
        missing="ready",
        validator=colander.OneOf(["live", "ready"]),
    )


class SystemCheck(Schema):
    """One check."""

    name = node(JsonString(), "What was checked.")
    ok = node(JsonBoolean(), "It works.")
    required = node(JsonBoolean(), "Without it the service is not ready.")
    detail = node(JsonString(), "Why, in a few words.")


class HealthTracker(Schema):
    """A tracker of the installation."""

    host = node(Nullable(JsonString()), "Its host; null without `system.manage`.")
    pid = node(Nullable(JsonInteger()), "Its process; null without `system.manage`.")
    state = node(JsonString(), "leading, or standby: it takes over when the leading one ends.")
    token = node(JsonString(), "The beginning of the token with which the leading one writes; empty on standby.")
    since = node(Nullable(Timestamp()), "Since when.")


class Health(Schema):
    """Whether the service is alive and ready, with reasons."""

    status = status_node()
    live = node(JsonBoolean(), "This process answers.")
    ready = node(JsonBoolean(), "The service can do its work.")
    checks = colander.SchemaNode(JsonList(), SystemCheck(name="check"))
    trackers = colander.SchemaNode(JsonList(), HealthTracker(name="tracker"))


class ProcessComponent(Schema):
    """A part of a process."""

    name = node(JsonString(), "The part.")
    ok = node(JsonBoolean(), "It works.")
    detail = node(JsonString(), "Why not.")
    since = node(Nullable(Timestamp()), "Begin of this state.")
    figures = node(JsonObject(), "Its own figures.")


class ServiceProcess(Schema):
    """One process of the installation."""

    name = node(
        JsonString(),
        "roles@host:pid; without `system.manage` the roles, numbered where several processes have the same.",
    )
    roles = colander.SchemaNode(JsonList(), colander.SchemaNode(JsonString(), name="role"))
    started_at = node(Nullable(Timestamp()), "When it started.")
    components = colander.SchemaNode(JsonList(), ProcessComponent(name="component"))


class DatabaseState(Schema):
    """The database's size."""

    kind = node(JsonString(), "sqlite or postgresql.")
    bytes = node(Nullable(JsonInteger()), "Bytes in use.")
    reusable_bytes = node(Nullable(JsonInteger()), "Free within its file.")
    disk_free_bytes = node(Nullable(JsonInteger()), "Free where its file lies; null for a server.")


class SystemStatus(Schema):
    """The state of the whole installation."""

    status = status_node()
    now = node(Timestamp(), "Time of the status.")
    version = node(JsonString(), "Version of Skywatch.")
    started_at = node(Nullable(Timestamp()), "When the tracker started.")
    uptime_s = node(Nullable(JsonNumber()), "How long it has been running (s).")
    checks = colander.SchemaNode(JsonList(), SystemCheck(name="check"))
    aircraft = node(JsonInteger(), "Aircraft in the picture that the caller may see.")
    aircraft_with_position = node(JsonInteger(), "Those of them with a position.")
    messages = node(JsonInteger(), "Messages since the start.")
    message_rate = node(JsonNumber(), "Messages a second in the last minute.")
    tick_age_s = node(Nullable(JsonNumber()), "Age of the last tick (s).")
    tick_mean_s = node(Nullable(JsonNumber()), "Mean time a tick took in the last minute (s).")
    tick_max_s = node(Nullable(JsonNumber()), "Longest tick of the last minute (s).")
    receivers = node(JsonInteger(), "Receivers.")
    receivers_connected = node(JsonInteger(), "Those of them that are connected.")
    processes = colander.SchemaNode(JsonList(), ServiceProcess(name="process"))
    database = DatabaseState()


class StationPosition(Schema):
    lat = node(JsonNumber(), "Latitude.")
    lon = node(JsonNumber(), "Longitude.")


class NullableStation(colander.SchemaType):
    """The station's position, or null."""

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        return None if cstruct is None else StationPosition().deserialize(cstruct)

    def openapi(self, node: colander.SchemaNode) -> dict[str, Any]:
        """JSON Schema of such a value."""
        degrees = {"type": "number"}
        position = {"type": "object", "properties": {"lat": degrees, "lon": degrees}, "required": ["lat", "lon"]}
        return {"anyOf": [position, {"type": "null"}]}


class SystemInformation(Schema):
    """Version, mode and station of this installation."""

    name = node(JsonString(), "Skywatch.")
    version = node(JsonString(), "Its version.")
    python = node(JsonString(), "Version of Python.")
    auth_mode = node(JsonString(), "public, private or hybrid.")
    environment = node(JsonString(), "production or development.")
    database = node(JsonString(), "sqlite or postgresql.")
    bus = node(JsonString(), "memory, redis (also by Sentinel) or nats.")
    station = node(NullableStation(), "Where the antenna is.")
    station_name = node(JsonString(), "Its name; empty where it has none.")
    picture_timeout_s = node(JsonNumber(), "An aircraft leaves the picture this long after its last message.")
    history_enabled = node(JsonBoolean(), "Flights and tracks are recorded.")
    history_error_m = node(JsonNumber(), "Largest distance of a stored track from any received position (m).")
    history_altitude_error_ft = node(
        JsonNumber(), "Largest deviation of a stored track from any received altitude (ft)."
    )


class AnonymousFeeder(Schema):
    """A connected feeder without a record."""

    name = node(JsonString(), "Its name while it is connected, such as `anonymous-1`.")
    connected_since = node(Timestamp(), "Since when it has been connected.")
    message_rate = node(JsonNumber(), "Messages a second.")
    position_rate = node(JsonNumber(), "Positions a second.")
    aircraft = node(JsonInteger(), "Aircraft that it hears now.")


class ReceiverState(Schema):
    """One receiver."""

    name = node(JsonString(), "Its name in the settings.")
    kind = node(JsonString(), "Its kind.")
    address = node(Nullable(JsonString()), "Its source, without credentials; null without `system.manage`.")
    state = node(JsonString(), "starting, connected, listening, waiting, ended or failed.")
    message_rate = node(JsonNumber(), "Messages a second.")
    position_rate = node(JsonNumber(), "Positions a second.")
    messages = node(JsonInteger(), "Messages since the start.")
    positions = node(JsonInteger(), "Positions since the start.")
    last_message_at = node(Nullable(Timestamp()), "The last message.")
    reconnects = node(JsonInteger(), "Reconnects since the start.")
    last_error = node(Nullable(JsonString()), "The last error; null without `system.manage`.")
    last_error_at = node(Nullable(Timestamp()), "When.")
    since = node(Nullable(Timestamp()), "When it began to do its work or, where it does not, when that ceased.")
    invalid = node(JsonObject(), "Messages refused since the start, by reason.")
    range_nm = node(
        Nullable(JsonNumber()), "How far from its place positions are believed (nm); null where there is no limit."
    )
    anonymous = node(
        JsonList(),
        "Of a listener: the connected feeders without a record, where `feeders_admission` is `anybody`.",
        AnonymousFeeder(name="feeder"),
    )


class ReceiverStates(PageLinks):
    """All receivers."""

    receivers = colander.SchemaNode(JsonList(), ReceiverState(name="receiver"))


def _families(features: FeatureSet) -> str:
    return ", ".join(f"`{family.name}`" for family in features.provided(InputFamily))


class InputState(Schema):
    """One input."""

    family = node(JsonString(), lambda features: f"The family of its setting: {_families(features)}.")
    name = node(JsonString(), "Its name in the settings.")
    kind = node(JsonString(), "Its kind.")
    address = node(Nullable(JsonString()), "Its source, without credentials; null without `system.manage`.")
    state = node(JsonString(), "starting, connected, listening, waiting, ended or failed.")
    message_rate = node(JsonNumber(), "Messages a second.")
    received = node(JsonInteger(), "Messages received and decoded since the start; of an output, messages sent.")
    stored = node(Nullable(JsonInteger()), "Messages saved since the start; null for receivers.")
    dropped = node(JsonInteger(), "Messages lost to a full queue or a limit.")
    refused = node(JsonInteger(), "Datagrams and connections that are not allowed.")
    invalid = node(JsonInteger(), "Messages received that could not be decoded.")
    reasons = node(JsonObject(), "The same by reason.")
    connections = node(JsonInteger(), "Connected clients of an input that listens.")
    last_message_at = node(Nullable(Timestamp()), "The last message.")
    reconnects = node(JsonInteger(), "Reconnects since the start.")
    last_error = node(Nullable(JsonString()), "The last error; null without `system.manage`.")
    last_error_at = node(Nullable(Timestamp()), "When.")
    since = node(Nullable(Timestamp()), "When it began to do its work or, where it does not, when that ceased.")


class InputStates(PageLinks):
    """All inputs."""

    inputs = colander.SchemaNode(JsonList(), InputState(name="input"))


class KindOfData(Schema):
    """The retention and amount of one kind of data."""

    kind = node(JsonString(), "The kind.")
    keep_days = node(JsonNumber(), "Retention (days; 0: unlimited).")
    limit_mb = node(JsonNumber(), "Largest size (MB; 0: unlimited).")
    rows = node(JsonInteger(), "Number of rows.")
    bytes = node(JsonInteger(), "Their size (estimated from a sample).")
    oldest_at = node(Nullable(Timestamp()), "Time of the oldest row.")
    removed = node(JsonInteger(), "Rows removed since the tracker started.")
    left_days = node(JsonNumber(), "Days of data that are too old and go in portions of three days an hour.")


class RetentionHold(Schema):
    """Why nothing is deleted by age: the clock is in doubt."""

    since = node(Timestamp(), "When it began to wait.")
    until = node(Timestamp(), "When it goes on by itself, if the clock does not leap again.")
    reason = node(JsonString(), "Why the clock is in doubt.")


class Retention(Schema):
    """How long data is kept, and how much there is."""

    kinds = colander.SchemaNode(JsonList(), KindOfData(name="kind"))
    count = node(JsonInteger(), "Kinds.")
    database_limit_mb = node(JsonNumber(), "Largest size of the whole database (MB; 0: unlimited).")
    interval_s = node(JsonNumber(), "Interval of retention (s).")
    database = DatabaseState()
    hold = node(
        Nullable(Schema.schema_type()),
        "Why nothing is deleted by age; null where the clock is believed.",
        *RetentionHold().children,
    )
