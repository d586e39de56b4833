"""Whether migrations expand: what the releases before use is still there after a step, as wide as it was.

A step that drops, renames or narrows something is a contract step: it says so (``contracts = "0036"``) and names the
revision of the step that added what takes the place of it, which must be in a release. Then the code of that release
does without, and runs on the schema. What a step does is seen in the schema before and after it, however it is written;
a change of what values mean is not seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import Script, ScriptDirectory
from sqlalchemy.engine import Engine

from release.record import Release
from skywatch.core.database.migrations import CONTRACTS

# A column of the first type may become one of the second.
_WIDER = {("INTEGER", "BIGINT"), ("SMALLINT", "INTEGER"), ("SMALLINT", "BIGINT"), ("REAL", "DOUBLE PRECISION")}


@dataclass(frozen=True)
class Column:
    """A column as far as older code notices it."""

    kind: str
    is_nullable: bool
    has_default: bool


@dataclass(frozen=True)
class Table:
    """A table; ``rules`` are the conditions that refuse rows, each with its columns."""

    columns: dict[str, Column]
    rules: dict[str, frozenset[str]] = field(default_factory=dict)


Schema = dict[str, Table]


def schema_of(engine: Engine) -> Schema:
    """The tables of a database."""
    inspector = sa.inspect(engine)
    return {name: _table_of(inspector, name) for name in inspector.get_table_names() if name != "alembic_version"}


def _table_of(inspector: sa.Inspector, name: str) -> Table:
    key = inspector.get_pk_constraint(name)["constrained_columns"]
    columns = {
        column["name"]: Column(
            _kind_of(column["type"]),
            bool(column["nullable"]),
            column.get("default") is not None or (key == [column["name"]] and _is_number(column["type"])),
        )
        for column in inspector.get_columns(name)
    }
    rules = {f"primary key ({', '.join(key)})": frozenset(key)} if key else {}
    for unique in inspector.get_unique_constraints(name):
        names = sorted(column for column in unique["column_names"] if column is not None)
        rules[f"unique ({', '.join(names)})"] = frozenset(names)
    for index in inspector.get_indexes(name):
        if index["unique"] and not index.get("duplicates_constraint"):
            names = sorted(column for column in index["column_names"] if column is not None)
            rules[f"unique ({', '.join(names)})"] = frozenset(names)
    for foreign in inspector.get_foreign_keys(name):
        names = foreign["constrained_columns"]
        rules[f"foreign key ({', '.join(names)}) to {foreign['referred_table']}"] = frozenset(names)
    for check in inspector.get_check_constraints(name):
        text = str(check["sqltext"])
        rules[f"check ({text})"] = frozenset(column for column in columns if column in text)
    return Table(columns, rules)


def _kind_of(kind: Any) -> str:
    return str(kind)


def _is_number(kind: Any) -> bool:
    return isinstance(kind, sa.Integer)


def narrowed(before: Schema, after: Schema) -> Iterator[str]:
    """What code that was written for one schema misses in another, or is refused by it."""
    for name, table in before.items():
        if name not in after:
            yield f"the table {name} is dropped or renamed"
            continue
        now = after[name]
        for column, was in table.columns.items():
            yield from _narrowed_column(f"{name}.{column}", was, now.columns.get(column))
        for column, new in now.columns.items():
            if column not in table.columns and not new.is_nullable and not new.has_default:
                yield f"{name}.{column} is new, takes no NULL and has no default: older code inserts rows without it"
        for rule in now.rules.keys() - table.rules.keys():
            if now.rules[rule] & table.columns.keys():
                yield f"{name} has a new rule that older code does not keep: {rule}"


def _narrowed_column(name: str, before: Column, after: Column | None) -> Iterator[str]:
    if after is None:
        yield f"{name} is dropped or renamed"
        return
    if not _holds(after.kind, before.kind):
        yield f"{name} changes its type from {before.kind} to {after.kind}"
    if before.is_nullable and not after.is_nullable:
        yield f"{name} takes no NULL any more"
    if before.has_default and not after.has_default and not after.is_nullable:
        yield f"{name} loses its default: older code inserts rows without it"


def _holds(after: str, before: str) -> bool:
    """Whether a column of one type takes all values of another."""
    if after == before or (before, after) in _WIDER:
        return True
    kind, _, length = before.partition("(")
    new_kind, _, new_length = after.partition("(")
    if kind not in ("VARCHAR", "CHAR") or new_kind not in ("VARCHAR", "TEXT"):
        return False
    return not new_length or (length != "" and int(new_length.rstrip(")")) >= int(length.rstrip(")")))


def problems_of(config: Config, engine: Engine, releases: Iterable[Release]) -> list[str]:
    """What is wrong with the steps after the oldest, each as a sentence.

    ``engine`` is an empty database, on which the configuration makes the steps.
    """
    return judge(changes_of(config, engine), releases)


def changes_of(config: Config, engine: Engine) -> list[tuple[Script, list[str]]]:
    """What each step after the oldest takes away, in order; ``engine`` is an empty database."""
    scripts = ScriptDirectory.from_config(config)
    before: Schema | None = None
    changes: list[tuple[Script, list[str]]] = []
    for step in reversed(list(scripts.walk_revisions())):
        command.upgrade(config, step.revision)
        after = schema_of(engine)
        if before is not None:
            changes.append((step, list(narrowed(before, after))))
        before = after
    return changes


def judge(changes: Iterable[tuple[Script, list[str]]], releases: Iterable[Release]) -> list[str]:
    """What is wrong with the steps after these releases, each as a sentence."""
    released = max((release.revision for release in releases), default="")
    return [f"{step.revision}: {sentence}" for step, taken in changes for sentence in _judge(step, taken, released)]


def _judge(step: Script, changes: list[str], released: str) -> Iterator[str]:
    expansion = getattr(step.module, CONTRACTS, None)
    if expansion is None:
        for change in changes:
            yield (
                f"{change}; add what takes its place in one release, remove it in a later one, and name there the"
                f' revision that added it ({CONTRACTS} = "...")'
            )
    elif expansion >= step.revision:
        yield f"{CONTRACTS} must name an earlier revision, not {expansion!r}"
    elif expansion > released:
        yield f"it removes what revision {expansion} replaces, and {expansion} is in no release yet"
