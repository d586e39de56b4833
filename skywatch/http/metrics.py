"""The metrics of the REST API."""

from __future__ import annotations

from skywatch.core.metrics import counter, gauge, histogram

HTTP_REQUESTS = counter("skywatch_http_requests_total", "Requests answered", "method", "route", "status")
HTTP_LATENCY = histogram("skywatch_http_request_duration_seconds", "Time until the response began", "method", "route")
HTTP_IN_FLIGHT = gauge("skywatch_http_requests_in_flight", "Requests in progress")
THROTTLED = counter("skywatch_http_throttled_total", "Requests refused by a rate limit", "scope")
