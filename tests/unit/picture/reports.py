"""Reports for tests of the picture, and a clock that the test moves."""

from __future__ import annotations

from typing import Any

from skywatch.picture.picture import Picture
from skywatch.receivers.reports.report import Report

START = 1_700_000_000.0


class Clock:
    """Wall clock and monotonic clock, moved by hand; ``set`` is what an administrator or NTP does."""

    def __init__(self) -> None:
        self.wall = START
        self.steady = 1000.0

    def time(self) -> float:
        return self.wall

    def monotonic(self) -> float:
        return self.steady

    def advance(self, seconds: float) -> None:
        self.wall += seconds
        self.steady += seconds

    def set(self, seconds: float) -> None:
        self.wall += seconds


def picture_at(clock: Clock, **options: Any) -> Picture:
    options.setdefault("station", (47.45, 8.56))
    return Picture(clock=clock.time, monotonic=clock.monotonic, **options)


def snapshot(address: str, at: float, **fields: Any) -> Report:
    fields.setdefault("type", "adsb_icao")
    if "lat" in fields:
        fields.setdefault("position_at", at)
    return Report(address, at=at, snapshot=True, **fields)


def increment(address: str, at: float, **fields: Any) -> Report:
    fields.setdefault("type", "adsb_icao")
    if "lat" in fields:
        fields.setdefault("position_at", at)
    return Report(address, at=at, **fields)
