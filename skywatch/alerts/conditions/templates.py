"""Messages of rules: texts with named fields, and nothing else of Python's format language.

``{callsign}`` and ``{distance_nm:.1f}`` are fields; ``{{`` and ``}}`` are braces. Attributes, indices, conversions
and nested fields are refused when the rule is saved, so that a template can read only the values passed to it.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from typing import Any

from skywatch.alerts.conditions.fields import ALIASES, Kind, field_named
from skywatch.sentences import sentence

MAX_LENGTH = 500
MAX_WIDTH = 40
OWN_NAMES = ("rule_name", "priority", "count", "geofence")
# Replaces an unknown value.
UNKNOWN = "-"
_SPEC = re.compile(r"(?:.?[<>^=])?[-+ ]?#?0?(\d*)[,_]?(?:\.(\d+))?[bcdeEfFgGnosxX%]?", re.DOTALL)
_formatter = string.Formatter()
_NOT_SHOWN = (Kind.WATCHLIST, Kind.CLASS, Kind.GEOFENCE)


def fault_of(template: str) -> str | None:
    """The fault of a template as a sentence for people, or None."""
    if len(template) > MAX_LENGTH:
        return sentence("field.long", "must have at most {n} characters", n=MAX_LENGTH)
    try:
        parts = list(_formatter.parse(template))
    except ValueError as error:
        return sentence("alerts.not_a_template", "is not a template: {error}", error=error)
    for _, name, spec, conversion in parts:
        if name is None:
            continue
        if conversion:
            return sentence(
                "alerts.no_conversions",
                "{field}: conversions are not allowed",
                field=f"{{{name[:40]}!{conversion}}}",
            )
        if name not in OWN_NAMES and ((field := field_named(name)) is None or field.kind in _NOT_SHOWN):
            return sentence(
                "alerts.not_a_message_field",
                "{field} is not a field that a message can name",
                field=f"{{{name[:40]}}}",
            )
        fault = _spec_fault(spec or "")
        if fault is not None:
            return sentence(
                "alerts.field_fault", "{field}: {fault}", field=f"{{{name}:{(spec or '')[:40]}}}", fault=fault
            )
    return None


def _spec_fault(spec: str) -> str | None:
    if "{" in spec or "}" in spec:
        return sentence("alerts.nested_fields", "fields within fields are not allowed")
    match = _SPEC.fullmatch(spec)
    if match is None:
        return sentence("alerts.not_a_format", "is not a format")
    if any(digits and (len(digits) > 3 or int(digits) > MAX_WIDTH) for digits in match.groups()):
        return sentence("alerts.width", "widths are at most {most}", most=MAX_WIDTH)
    return None


def render(template: str, values: Mapping[str, Any]) -> str:
    """The message with these values; unknown ones become ``-``. Never raises for a template without fault."""
    rendered = []
    for literal, name, spec, _ in _formatter.parse(template):
        rendered.append(literal)
        if name is not None:
            rendered.append(_formatted(values.get(ALIASES.get(name, name)), spec or ""))
    return "".join(rendered)


def _formatted(value: Any, spec: str) -> str:
    if value is None:
        return UNKNOWN
    if isinstance(value, list | tuple):
        value = ", ".join(map(str, value))
    if isinstance(value, bool | dict):
        value = str(bool(value)).lower()
    try:
        return format(value, spec)
    except (ValueError, TypeError):
        # "ground" where a number was expected, or a number formatted as a text.
        return str(value)
