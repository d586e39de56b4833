"""What both databases have in common for a backup: the schema with its revision, and the rows of each table.

The schema of a backup is compared with the one that the migrations make, since what was added to it would go on
working: a trigger that drops entries of the audit log, a function, a policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from skywatch.backup.contents.manifest import Manifest
from skywatch.backup.errors import Damaged, Refused

REVISION_TABLE = "alembic_version"
SHOWN = 3
# ``trigger acars_search_insert``: its definition in a form that can be compared; None where its name alone counts.
Schema = Mapping[str, str | None]


@dataclass(frozen=True)
class Contents:
    """The revision of a database's schema (empty where it has none) and the rows of each table."""

    revision: str
    rows: dict[str, int]


def check_contents(manifest: Manifest, actual: Contents, place: object) -> None:
    """Raise Damaged unless a database is of the manifest's revision, and every table has the rows of the manifest."""
    if actual.revision != manifest.revision:
        raise Damaged(f"is of revision {actual.revision!a}, and the manifest says {manifest.revision}", place)
    check_rows(manifest, actual.rows, place)


def check_rows(manifest: Manifest, actual: dict[str, int], place: object) -> None:
    """Raise Damaged unless every table has the rows of the manifest; in which schema it is may differ."""
    expected, rows = _by_table(manifest.rows), _by_table(actual)
    wrong = sorted(name for name in expected.keys() | rows.keys() if expected.get(name, 0) != rows.get(name, 0))
    if wrong:
        shown = ", ".join(f"{name} {rows.get(name, 0)} of {expected.get(name, 0)}" for name in wrong[:SHOWN])
        raise Damaged(f"tables have other rows than the manifest says: {shown}", place)


def _by_table(rows: dict[str, int]) -> dict[str, int]:
    return {name.rpartition(".")[2]: count for name, count in rows.items()}


def check_schema(expected: Schema, actual: Schema, revision: str, place: object) -> None:
    """Raise Refused where a schema is not exactly that of its revision."""
    added = [f"{name} was added" for name in sorted(actual.keys() - expected.keys())]
    missing = [f"{name} is missing" for name in sorted(expected.keys() - actual.keys())]
    changed = [
        f"{name} was changed"
        for name in sorted(expected.keys() & actual.keys())
        if None not in (expected[name], actual[name]) and expected[name] != actual[name]
    ]
    if differences := added + missing + changed:
        more = f" and {len(differences) - SHOWN} more" if len(differences) > SHOWN else ""
        shown = ", ".join(differences[:SHOWN])
        raise Refused(f"does not have the schema of revision {revision}: {shown}{more}", place)
