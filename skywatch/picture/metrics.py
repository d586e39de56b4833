"""The metrics of the air picture, its monitors and its receivers."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import TICK_S, counter, gauge, histogram

TICK_SECONDS = histogram("skywatch_tick_duration_seconds", "Time one tick of the picture took", buckets=TICK_S)
MONITOR_SECONDS = histogram(
    "skywatch_monitor_duration_seconds", "Time a monitor took for one tick", "monitor", buckets=TICK_S
)
MONITOR_ERRORS = counter("skywatch_monitor_errors_total", "Ticks on which a monitor failed", "monitor")
PICTURE_AIRCRAFT = gauge("skywatch_picture_aircraft", "Aircraft in the picture", "military")
PICTURE_WITH_POSITION = gauge(
    "skywatch_picture_aircraft_with_position", "Aircraft in the picture that have a position", "military"
)
PICTURE_TICK_AT = gauge("skywatch_picture_tick_timestamp_seconds", "Unix time of the last tick")
PICTURE_MESSAGES = gauge("skywatch_picture_messages", "Messages merged since the start")
PICTURE_WAITING = gauge("skywatch_picture_waiting", "Addresses received once that wait for their second message")
PICTURE_DROPPED = counter(
    "skywatch_picture_dropped_total",
    "Reports of new addresses that were dropped: nothing followed (received_once), the picture was full (no_room), or"
    " the aircraft made room for another one (displaced)",
    "reason",
)
SNAPSHOTS_SERVED = counter(
    "skywatch_picture_snapshots_served_total",
    "Whole pictures that this process sent to others that asked for one, as a follower or as the leading tracker",
    "by",
)
RECEIVER_UP = gauge("skywatch_receiver_up", "1 where the receiver is connected", "receiver")
RECEIVER_MESSAGE_RATE = gauge("skywatch_receiver_messages_per_second", "Messages a second", "receiver")
RECEIVER_POSITION_RATE = gauge("skywatch_receiver_positions_per_second", "Positions a second", "receiver")
RECEIVER_MESSAGES = gauge("skywatch_receiver_messages", "Messages since the start", "receiver")
RECEIVER_RECONNECTS = gauge("skywatch_receiver_reconnects", "Reconnects since the start", "receiver")
RECEIVER_INVALID = gauge("skywatch_receiver_invalid", "Messages refused since the start", "receiver", "reason")
