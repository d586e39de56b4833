"""What a check of the doctor returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    """The service runs, but not as its owner would want it."""
    return Finding("warning", part, text, advice)


def fault(part: str, text: str, advice: str) -> Finding:
    """The service or a part of it does not work."""
    return Finding("fault", part, text, advice)
