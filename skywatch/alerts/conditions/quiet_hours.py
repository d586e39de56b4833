"""Parses the quiet hours of a rule; ``skywatch.notify.deliveries.quiet_hours`` computes when they end."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from datetime import time
from typing import Any
from zoneinfo import available_timezones

from skywatch.notify.deliveries.quiet_hours import DAYS, QuietWindow
from skywatch.sentences import sentence

MAX_WINDOWS = 14
_MEMBERS = ("days", "from", "to", "timezone")
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")


def parse_windows(documents: Any, name: str = "quiet_hours") -> tuple[tuple[QuietWindow, ...], dict[str, str]]:
    """The windows ``{days, from, to, timezone}`` of a rule, and their faults by path."""
    if not isinstance(documents, list):
        return (), {name: "must be a list"}
    if len(documents) > MAX_WINDOWS:
        return (), {name: f"must hold at most {MAX_WINDOWS} windows"}
    windows: list[QuietWindow] = []
    faults: dict[str, str] = {}
    for index, document in enumerate(documents):
        window = _window(document, f"{name}.{index}", faults)
        if window is not None:
            windows.append(window)
    return tuple(windows), faults


def _window(document: Any, name: str, faults: dict[str, str]) -> QuietWindow | None:
    if not isinstance(document, Mapping):
        faults[name] = sentence("alerts.quiet_hours_shape", "must be an object with days, from, to and timezone")
        return None
    for key in document:
        if key not in _MEMBERS:
            faults[f"{name}.{str(key)[:60]}"] = sentence("field.unknown", "is not a known field")
    days = document.get("days", [])
    if not isinstance(days, list) or not all(isinstance(day, str) and day in DAYS for day in days):
        faults[f"{name}.days"] = sentence("alerts.list_of", "must be a list of {names}", names=", ".join(DAYS))
        days = []
    begin = _time(document.get("from"), f"{name}.from", faults)
    end = _time(document.get("to"), f"{name}.to", faults)
    zone = document.get("timezone", "UTC")
    if not isinstance(zone, str) or zone not in _zones():
        faults[f"{name}.timezone"] = sentence(
            "alerts.time_zone", "must be the name of a time zone, such as Europe/Zurich"
        )
        return None
    return None if begin is None or end is None else QuietWindow(begin, end, zone, frozenset(days))


def _time(value: Any, name: str, faults: dict[str, str]) -> time | None:
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        faults[name] = sentence("alerts.time_of_day", "must be a time of day such as 22:00")
        return None
    return time(int(match[1]), int(match[2]))


@functools.cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones())
