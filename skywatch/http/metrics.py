"""The metrics of the REST API."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter, gauge, histogram

HTTP_REQUESTS = counter("skywatch_http_requests_total", "Requests answered", "method", "route", "status")
HTTP_LATENCY = histogram("skywatch_http_request_duration_seconds", "Time until the response began", "method", "route")
HTTP_IN_FLIGHT = gauge("skywatch_http_requests_in_flight", "Requests in progress")
THROTTLED = counter("skywatch_http_throttled_total", "Requests refused by a rate limit", "scope")
BODY_BYTES = gauge("skywatch_http_body_bytes", "Bytes of large bodies being received or processed", "sender")
STREAMS = gauge("skywatch_http_streams", "Exports and replays being sent")
CLOSED_SLOW = counter("skywatch_http_slow_connections_closed_total", "Connections closed for being too slow", "reason")
