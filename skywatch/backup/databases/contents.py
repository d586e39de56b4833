"""What both databases have in common for a backup: the revision of the schema and the rows of each table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from skywatch.backup.errors import Damaged

REVISION_TABLE = "alembic_version"
SHOWN_TABLES = 3


@dataclass(frozen=True)
class Contents:
    """The revision of a database's schema (empty where it has none) and the rows of each table."""

    revision: str
    rows: dict[str, int]


def check_rows(expected: dict[str, int], actual: dict[str, int], place: object, but: Iterable[str] = ()) -> None:
    """Raise Damaged unless every table but those named has the rows of the manifest."""
    names = (expected.keys() | actual.keys()) - set(but)
    wrong = sorted(name for name in names if expected.get(name, 0) != actual.get(name, 0))
    if wrong:
        shown = ", ".join(f"{name} {actual.get(name, 0)} of {expected.get(name, 0)}" for name in wrong[:SHOWN_TABLES])
        raise Damaged(f"tables have other rows than the manifest says: {shown}", place)
