"""The settings of the table by the names that an administrator writes them with."""

from __future__ import annotations

import dataclasses
from typing import Any

from skywatch.settings.table import Settings

FIELDS: dict[str, dataclasses.Field[Any]] = {f.name: f for f in dataclasses.fields(Settings)}


def public_name(field: dataclasses.Field[Any]) -> str:
    """The name as an administrator writes it: ``receiver.*`` for the field ``receivers``."""
    name: str = field.metadata["name"] or field.name
    return name


# Public name -> field: single settings, and families by what the names of their members begin with (``receiver.``).
NAMES: dict[str, str] = {public_name(f): f.name for f in FIELDS.values() if not public_name(f).endswith(".*")}
FAMILIES: dict[str, str] = {
    public_name(f).removesuffix("*"): f.name for f in FIELDS.values() if public_name(f).endswith(".*")
}
