"""What a check of ``skywatch doctor`` is given and what it returns; a feature declares its own (``Feature.checks``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skywatch.settings import Settings

Level = Literal["ok", "warning", "fault"]


@dataclass(frozen=True)
class Finding:
    """The result of one check: ``part`` is what was tried, ``text`` what was seen, ``advice`` what to do about it."""

    level: Level
    part: str
    text: str
    advice: str = ""


def ok(part: str, text: str) -> Finding:
    """All is well."""
    return Finding("ok", part, text)


def warning(part: str, text: str, advice: str) -> Finding:
    """The service runs, but something needs attention."""
    return Finding("warning", part, text, advice)


def fault(part: str, text: str, advice: str) -> Finding:
    """The service or a part of it does not work."""
    return Finding("fault", part, text, advice)


@dataclass(frozen=True)
class Inspection:
    """What a check is given: the settings' file, the settings in force, and how long it may try something (seconds)."""

    ini: Path
    settings: Settings
    within_s: float
