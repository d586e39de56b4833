"""Reads the names that rtl_airband gives its files: ``TEMPLATE_YYYYMMDD_HHMMSS[_HERTZ].mp3``, or ``_YYYYMMDD_HH``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from pathlib import PurePosixPath

# Linear: every part but the template has a fixed alphabet that the template cannot be confused with from the end.
_NAME = re.compile(r"_([0-9]{8})_([0-9]{2})([0-9]{4})?(?:_([0-9]{4,11}))?$", re.ASCII)


@dataclass(frozen=True)
class RecordingName:
    """What a file's name says; ``channel`` is the template, or the whole name where it is none of rtl_airband's."""

    channel: str
    at: datetime | None = None
    frequency_hz: int | None = None


def read_name(name: str, zone: tzinfo = UTC) -> RecordingName:
    """The parts of a file's name (or path); its time is in ``zone``."""
    stem = PurePosixPath(name).stem
    match = _NAME.search(stem)
    if match is None or not match.start():
        return RecordingName(stem)
    date, hour, rest, frequency = match.groups()
    try:
        at = datetime.strptime(f"{date}{hour}{rest or '0000'}", "%Y%m%d%H%M%S").replace(tzinfo=zone)
    except ValueError:
        return RecordingName(stem)
    return RecordingName(stem[: match.start()], at.astimezone(UTC), int(frequency) if frequency else None)
