"""How the pages write times, durations and documents."""

from __future__ import annotations

import json
import math
from datetime import datetime
from typing import Any

from markupsafe import Markup

from skywatch.core.clock import to_iso


def moment(at: datetime | None) -> str:
    """A moment as people read it, in UTC."""
    return at.strftime("%Y-%m-%d %H:%M:%S UTC") if at is not None else "never"


def time_element(at: datetime | None) -> str:
    """A moment as an element whose text is UTC; the script of the pages makes it local."""
    text = moment(at)
    if at is None:
        return text
    # Neither has a character to be escaped.
    return Markup(f'<time datetime="{to_iso(at)}">{text}</time>')  # noqa: S704


def compact(document: Any) -> str:
    """A JSON document in few characters, with line breaks between its members."""
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) if document else ""


def span(seconds: float | None) -> str:
    """A duration in its two largest units."""
    if seconds is None or not math.isfinite(seconds):
        return "unknown"
    parts: list[str] = []
    rest = int(seconds)
    for name, size in (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, size)
        if count or (name == "s" and not parts):
            parts.append(f"{count} {name}")
    return " ".join(parts[:2])


def field_moment(at: datetime | None) -> str:
    """A moment as the field of a form holds it, in UTC; nothing for none."""
    return at.strftime("%Y-%m-%dT%H:%M:%S") if at is not None else ""


def differences(before: dict[str, Any] | None, after: dict[str, Any] | None) -> list[tuple[str, str, str]]:
    """Name, value before and value after of all that an audit entry names; nothing where there was no value."""
    names = sorted({*(before or {}), *(after or {})})
    return [(name, _shown(before, name), _shown(after, name)) for name in names]


def _shown(values: dict[str, Any] | None, name: str) -> str:
    if values is None or name not in values:
        return ""
    value = values[name]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
