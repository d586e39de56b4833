"""Writes the manual's page of the table: ``python -m tests.functional.access.page``."""

from __future__ import annotations

from pathlib import Path

from tests.functional.access.grids import CALLERS, COLUMNS, KINDS
from tests.functional.access.table import rows

PATH = Path(__file__).resolve().parents[3] / "docs" / "access-matrix.md"
HEAD = """# Who may call what

This page is written from the table that the test suite holds every operation against
(`python -m tests.functional.access.page`); do not edit it by hand.

Find the operation below: it says of what kind it is and which default role is the least that holds its permission.
The grid of the kind says what each sort of caller gets, in the modes `public` and `private`, in mode `hybrid` at each
level, and where the feature is switched off. `ok` means that access is not what stops the call.

* **nobody** sends no credentials; **lacking** is a user without the permission; **holding** one with it.
* **key** is an API key of a user who holds the permission, with the scope of the area; **other key** one without.
* Credentials that are wrong (a deactivated user's, an expired or revoked token, a header that is malformed) get 401
  everywhere, except where one credential is exchanged for another, and from what answers everybody alike.
"""


def write() -> str:
    """The whole page."""
    parts = [HEAD, "## Operations\n"]
    parts.append("| Operation | Kind | Least role | Scope of keys |\n|---|---|---|---|")
    for row in sorted(rows(), key=lambda r: (r.path, r.method)):
        parts.append(f"| `{row.operation}` | {row.kind.name} | {row.lowest or '–'} | {row.scope or '–'} |")
    parts.append("\n## Kinds\n")
    for kind in KINDS:
        parts.append(f"### {kind.name.capitalize()}\n\n{kind.meaning[0].upper()}{kind.meaning[1:]}.\n")
        parts.append(f"| | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}")
        for caller in CALLERS:
            cells = [kind.expected(caller, column) for column in COLUMNS]
            parts.append(f"| {caller} | {' | '.join(cells)} |")
        parts.append("")
    return "\n".join(parts)


if __name__ == "__main__":
    PATH.write_text(write(), encoding="utf-8")
    print(f"wrote {PATH}")
