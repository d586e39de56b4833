"""The module of a feature that declares its metrics; nothing imports it but the application."""

from skywatch.core.telemetry.metrics import counter

BALLOONS = counter("skywatch_declared_total", "Balloons of a feature of the tests")
