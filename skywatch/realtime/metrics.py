"""The metrics of the real-time channel."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter, gauge

REALTIME_CONNECTIONS = gauge("skywatch_realtime_connections", "Open connections", "protocol")
REALTIME_POLLS = counter("skywatch_realtime_polls_total", "Polls of clients without WebSocket")
REALTIME_UPGRADES = counter("skywatch_realtime_upgrades_total", "Clients that changed from polling to WebSocket")
REALTIME_SUBSCRIBERS = gauge("skywatch_realtime_subscribers", "Subscriptions", "topic")
REALTIME_SENT = counter("skywatch_realtime_messages_sent_total", "Messages sent", "topic")
REALTIME_DROPPED = counter("skywatch_realtime_messages_dropped_total", "Messages replaced or dropped", "topic")
REALTIME_CLOSED = counter(
    "skywatch_realtime_closed_total", "Connections that ended, by cause and close code", "cause", "code"
)
REALTIME_WRITE_ERRORS = counter("skywatch_realtime_write_errors_total", "Connections dropped: writing to them failed")
REALTIME_TICK_AGE = gauge("skywatch_realtime_tick_age_seconds", "Time since the last tick reached the subscribers")
