"""How a setting is declared, and what is said of one that is wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

# The limits of what retention keeps, for ``setting``. A thousand years is within what every date can be counted back.
# A stored limit above the greatest was meant to delete nothing, as 0 does; the default would delete.
RETENTION_DAYS: dict[str, Any] = {"minimum": 0, "maximum": 365_000, "stored": True, "above": 0.0}
# How long the archive keeps a kind of data, for ``setting``; by default as long as ``archive_keep_days`` says.
AS_ARCHIVE_KEEP_DAYS = -1.0
ARCHIVE_KEEP: dict[str, Any] = {"minimum": AS_ARCHIVE_KEEP_DAYS, "maximum": 365_000}
RETENTION_MB: dict[str, Any] = {"minimum": 0, "maximum": 100_000_000, "stored": True, "above": 0.0}


class SettingsError(Exception):
    """A setting is unknown, does not parse or is unsafe; ``str()`` is one line that names it."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"setting {name}: {reason}")
        self.name = name
        self.reason = reason


class IniOnlyError(SettingsError):
    """A setting of a kind that only the ini file may hold."""


def ini_line(name: str, text: str) -> str:
    """A setting as a line of an ini file, where ``%`` is written twice."""
    return f"{name} = {text.replace('%', '%%')}"


def setting(
    default: Any,
    meaning: str,
    *,
    name: str | None = None,
    secret: bool = False,
    parse: Callable[[str], Any] | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    is_member: Callable[[str], bool] | None = None,
    published: bool = False,
    stored: bool = False,
    above: float | None = None,
) -> Any:
    """Declare one setting: ``default`` is of the annotated type, ``meaning`` is the manual's sentence.

    A number has bounds, ``minimum`` and ``maximum``, both permitted: what reads the setting can rely on them.

    The name of a family ends with ``.*``; ``is_member`` tells its members from other programs' variables in the
    environment. ``published`` ones are shown by ``system/info``. ``stored`` ones may also be set in the console, where
    neither the ini file nor the environment sets them; where what is stored is not valid the default is in force, and
    ``above``, if it is given, for a stored number above the maximum. Raises TypeError for a number without bounds.
    """
    if isinstance(default, int | float) and not isinstance(default, bool) and None in (minimum, maximum):
        raise TypeError(f"the setting with the default {default!r} ({meaning}) needs a minimum and a maximum")
    metadata = {
        "name": name,
        "meaning": meaning,
        "secret": secret,
        "parse": parse,
        "minimum": minimum,
        "maximum": maximum,
        "is_member": is_member,
        "published": published,
        "stored": stored,
        "above": above,
    }
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)
