"""The responses of the system resources."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import InputFamily
from skywatch.http.lists.pagination import PageLinks
from skywatch.http.resources.schema import (
    JsonInteger,
    JsonNumber,
    JsonObject,
    JsonString,
    Nullable,
    QueryString,
    Schema,
    Timestamp,
    boolean_node,
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


def status_node() -> colander.SchemaNode:
    """The verdict of all checks."""
    return choice_node(
        ["ok", "degraded", "failing"],
        "failing: not ready; degraded: ready, but something does not work.",
        name="status",
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

    name = string_node("What was checked.")
    ok = boolean_node("It works.")
    required = boolean_node("Without it the service is not ready.")
    detail = string_node("Why, in a few words.")
    detail_code = code_node()
    detail_params = params_node()


class HealthTracker(Schema):
    """A tracker of the installation."""

    host = nullable_node(JsonString(), "Its host; null without `system.manage`.")
    pid = nullable_node(JsonInteger(), "Its process; null without `system.manage`.")
    state = string_node("leading, or standby: it takes over when the leading one ends.")
    token = string_node("The beginning of the token with which the leading one writes; empty on standby.")
    since = nullable_node(Timestamp(), "Since when.")


class Health(Schema):
    """Whether the service is alive and ready, with reasons."""

    status = status_node()
    live = boolean_node("This process answers.")
    ready = boolean_node("The service can do its work.")
    checks = list_node(SystemCheck(name="check"))
    trackers = list_node(HealthTracker(name="tracker"))


class ProcessComponent(Schema):
    """A part of a process."""

    name = string_node("The part.")
    ok = boolean_node("It works.")
    detail = string_node("Why not.")
    detail_code = code_node()
    detail_params = params_node()
    since = nullable_node(Timestamp(), "Begin of this state.")
    figures = node(JsonObject(), "Its own figures.")


class ServiceProcess(Schema):
    """One process of the installation."""

    name = string_node(
        "roles@host:pid; without `system.manage` the roles, numbered where several processes have the same."
    )
    roles = list_node(string_node(name="role"))
    started_at = nullable_node(Timestamp(), "When it started.")
    components = list_node(ProcessComponent(name="component"))


class DatabaseState(Schema):
    """The database's size."""

    kind = string_node("sqlite or postgresql.")
    bytes = nullable_node(JsonInteger(), "Bytes in use.")
    reusable_bytes = nullable_node(JsonInteger(), "Free within its file.")
    disk_free_bytes = nullable_node(JsonInteger(), "Free where its file lies; null for a server.")


class SystemStatus(Schema):
    """The state of the whole installation."""

    status = status_node()
    now = timestamp_node("Time of the status.")
    version = string_node("Version of Skywatch.")
    started_at = nullable_node(Timestamp(), "When the tracker started.")
    uptime_s = nullable_node(JsonNumber(), "How long it has been running (s).")
    checks = list_node(SystemCheck(name="check"))
    aircraft = integer_node("Aircraft in the picture that the caller may see.")
    aircraft_with_position = integer_node("Those of them with a position.")
    messages = integer_node("Messages since the start.")
    message_rate = number_node("Messages a second in the last minute.")
    tick_age_s = nullable_node(JsonNumber(), "Age of the last tick (s).")
    tick_mean_s = nullable_node(JsonNumber(), "Mean time a tick took in the last minute (s).")
    tick_max_s = nullable_node(JsonNumber(), "Longest tick of the last minute (s).")
    receivers = integer_node("Receivers.")
    receivers_connected = integer_node("Those of them that are connected.")
    processes = list_node(ServiceProcess(name="process"))
    database = DatabaseState()


class StationPosition(Schema):
    lat = number_node("Latitude.")
    lon = number_node("Longitude.")


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

    name = string_node("Skywatch.")
    version = string_node("Its version.")
    python = string_node("Version of Python.")
    auth_mode = string_node("public, private or hybrid.")
    environment = string_node("production or development.")
    database = string_node("sqlite or postgresql.")
    bus = string_node("memory, redis (also by Sentinel) or nats.")
    station = node(NullableStation(), "Where the antenna is.")
    station_name = string_node("Its name; empty where it has none.")
    picture_timeout_s = number_node("An aircraft leaves the picture this long after its last message.")
    history_enabled = boolean_node("Flights and tracks are recorded.")
    history_error_m = number_node("Largest distance of a stored track from any received position (m).")
    history_altitude_error_ft = number_node("Largest deviation of a stored track from any received altitude (ft).")


class AnonymousFeeder(Schema):
    """A connected feeder without a record."""

    name = string_node("Its name while it is connected, such as `anonymous-1`.")
    connected_since = timestamp_node("Since when it has been connected.")
    message_rate = number_node("Messages a second.")
    position_rate = number_node("Positions a second.")
    aircraft = integer_node("Aircraft that it hears now.")


class ReceiverState(Schema):
    """One receiver."""

    name = string_node("Its name in the settings.")
    kind = string_node("Its kind.")
    address = nullable_node(JsonString(), "Its source, without credentials; null without `system.manage`.")
    state = string_node("starting, connected, listening, waiting, ended or failed.")
    message_rate = number_node("Messages a second.")
    position_rate = number_node("Positions a second.")
    messages = integer_node("Messages since the start.")
    positions = integer_node("Positions since the start.")
    last_message_at = nullable_node(Timestamp(), "The last message.")
    reconnects = integer_node("Reconnects since the start.")
    last_error = nullable_node(JsonString(), "The last error; null without `system.manage`.")
    last_error_code = code_node()
    last_error_params = params_node()
    last_error_at = nullable_node(Timestamp(), "When.")
    since = nullable_node(Timestamp(), "When it began to do its work or, where it does not, when that ceased.")
    invalid = node(JsonObject(), "Messages refused since the start, by reason.")
    range_nm = nullable_node(
        JsonNumber(), "How far from its place positions are believed (nm); null where there is no limit."
    )
    anonymous = list_node(
        AnonymousFeeder(name="feeder"),
        "Of a listener: the connected feeders without a record, where `feeders_admission` is `anybody`.",
    )


class ReceiverStates(PageLinks):
    """All receivers."""

    receivers = list_node(ReceiverState(name="receiver"))


def _families(features: FeatureSet) -> str:
    return ", ".join(f"`{family.name}`" for family in features.provided(InputFamily))


class InputState(Schema):
    """One input."""

    family = string_node(lambda features: f"The family of its setting: {_families(features)}.")
    name = string_node("Its name in the settings.")
    kind = string_node("Its kind.")
    address = nullable_node(JsonString(), "Its source, without credentials; null without `system.manage`.")
    state = string_node("starting, connected, listening, waiting, ended or failed.")
    message_rate = number_node("Messages a second.")
    received = integer_node("Messages received and decoded since the start; of an output, messages sent.")
    stored = nullable_node(JsonInteger(), "Messages saved since the start; null for receivers.")
    dropped = integer_node("Messages lost to a full queue or a limit.")
    refused = integer_node("Datagrams and connections that are not allowed.")
    invalid = integer_node("Messages received that could not be decoded.")
    reasons = node(JsonObject(), "The same by reason.")
    connections = integer_node("Connected clients of an input that listens.")
    last_message_at = nullable_node(Timestamp(), "The last message.")
    reconnects = integer_node("Reconnects since the start.")
    last_error = nullable_node(JsonString(), "The last error; null without `system.manage`.")
    last_error_code = code_node()
    last_error_params = params_node()
    last_error_at = nullable_node(Timestamp(), "When.")
    since = nullable_node(Timestamp(), "When it began to do its work or, where it does not, when that ceased.")


class InputStates(PageLinks):
    """All inputs."""

    inputs = list_node(InputState(name="input"))


class KindOfData(Schema):
    """The retention and amount of one kind of data."""

    kind = string_node("The kind.")
    keep_days = number_node("Retention (days; 0: unlimited).")
    limit_mb = number_node("Largest size (MB; 0: unlimited).")
    rows = integer_node("Number of rows.")
    bytes = integer_node("Their size (estimated from a sample).")
    oldest_at = nullable_node(Timestamp(), "Time of the oldest row.")
    removed = integer_node("Rows removed since the tracker started.")
    left_days = number_node("Days of data that are too old and go in portions of three days an hour.")


class RetentionHold(Schema):
    """Why nothing is deleted by age: the clock is in doubt."""

    since = timestamp_node("When it began to wait.")
    until = timestamp_node("When it goes on by itself, if the clock does not leap again.")
    reason = string_node("Why the clock is in doubt.")


class Retention(Schema):
    """How long data is kept, and how much there is."""

    kinds = list_node(KindOfData(name="kind"))
    count = integer_node("Kinds.")
    database_limit_mb = number_node("Largest size of the whole database (MB; 0: unlimited).")
    interval_s = number_node("Interval of retention (s).")
    database = DatabaseState()
    hold = node(
        Nullable(Schema.schema_type()),
        "Why nothing is deleted by age; null where the clock is believed.",
        *RetentionHold().children,
    )
