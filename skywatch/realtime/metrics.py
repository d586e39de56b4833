"""The metrics of the real-time channel."""

from __future__ import annotations

from skywatch.core.metrics import counter, gauge

REALTIME_CONNECTIONS = gauge("skywatch_realtime_connections", "Open connections", "protocol")
REALTIME_SUBSCRIBERS = gauge("skywatch_realtime_subscribers", "Subscriptions", "topic")
REALTIME_SENT = counter("skywatch_realtime_messages_sent_total", "Messages sent", "topic")
REALTIME_DROPPED = counter("skywatch_realtime_messages_dropped_total", "Messages replaced or dropped", "topic")
REALTIME_CLOSED = counter("skywatch_realtime_closed_total", "Connections ended by the service", "code")
