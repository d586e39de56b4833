"""Writes the manual's page of the table: ``python -m tests.functional.access.page``."""

from __future__ import annotations

from pathlib import Path

from tests.functional.access.table import CALLERS, COLUMNS, Row, rows
from tests.rights import ALL_KINDS, ALL_SERVICE, LOWEST

PATH = Path(__file__).resolve().parents[3] / "docs" / "access-matrix.md"
HEAD = """# Who may call what

This page is written from the table that the test suite holds every operation against
(`python -m tests.functional.access.page`); do not edit it by hand.

Find the operation below: it says what it needs, of what kind that is, and which default role is the least that holds
the permission. The grid of the kind says what each sort of caller gets, in the modes `public` and `private`, in mode
`hybrid` at each level, and where the feature is switched off. `ok` means that access is not what stops the call. In
mode `private` the level `public` counts as `authenticated`, which is what its column shows.

* **nobody** sends no credentials; **lacking** is a user without the permission; **holding** one with it.
* **key** is an API key of a user who holds the permission, with the scope of the area; **other key** one without.
  Where an operation has no scope of keys, every key is an other key.
* Credentials that are wrong (a deactivated user's, an expired or revoked token, a header that is malformed) get 401
  everywhere, except where credentials are not read.
"""


def write() -> str:
    """The whole page."""
    every = sorted(rows(), key=lambda r: (r.path, r.method))
    parts = [HEAD, "## Operations\n"]
    parts.append("| Operation | Needs | Kind | Least role | Scope of keys |\n|---|---|---|---|---|")
    for row in every:
        needed = f"`{row.permission}`" if row.permission else "–"
        least = LOWEST[row.permission] if row.permission else "–"
        parts.append(f"| `{row.operation}` | {needed} | {row.kind} | {least} | {_scope(row)} |")
    parts.append("\n## Kinds\n")
    meanings = {name: kind.meaning for name, kind in (ALL_SERVICE | ALL_KINDS).items()}
    meanings |= {"personal_read": "Read records of one's own", "personal_write": "Write records of one's own"}
    for name, meaning in meanings.items():
        of_kind = [row for row in every if row.kind == name]
        if of_kind:
            # One that a key reaches shows all that there is of the kind.
            example = next((row for row in of_kind if _scope(row) != "–"), of_kind[0])
            parts.append(f"### {name}\n\n{meaning[0].upper()}{meaning[1:]}.\n")
            parts.append(f"| | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}")
            for caller in CALLERS:
                cells = [example.expected(caller, column) for column in COLUMNS]
                parts.append(f"| {caller} | {' | '.join(cells)} |")
            parts.append("")
    return "\n".join(parts)


def _scope(row: Row) -> str:
    """The scope of the keys that reach an operation."""
    return row.scope if row.scope and row.expected("key", "permission") == "ok" else "–"


if __name__ == "__main__":
    PATH.write_text(write(), encoding="utf-8")
    print(f"wrote {PATH}")
