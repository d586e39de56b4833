"""How a setting is declared, and what is said of one that is wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


class SettingsError(Exception):
    """A setting is unknown, does not parse or is unsafe; ``str()`` is one line that names it."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"setting {name}: {reason}")
        self.name = name
        self.reason = reason


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
) -> Any:
    """Declare one setting: ``default`` is of the annotated type, ``meaning`` is the manual's sentence.

    The name of a family ends with ``.*``; ``is_member`` tells its members from other programs' variables in the
    environment. ``published`` ones are shown by ``system/info``. ``stored`` ones may also be set in the console, where
    neither the ini file nor the environment sets them.
    """
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
    }
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)
