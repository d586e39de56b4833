"""The metrics of history."""

from __future__ import annotations

from skywatch.core.telemetry.metrics import counter

HISTORY_POSITIONS = counter("skywatch_history_positions_total", "Positions recorded in history", "military")
HISTORY_POINTS = counter("skywatch_history_points_total", "Track points kept after thinning", "military")
HISTORY_FLIGHTS = counter("skywatch_history_flights_total", "Flights begun", "military")
HISTORY_LOST = counter("skywatch_history_points_lost_total", "Track points dropped because the database was away")
