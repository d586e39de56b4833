"""Small features, from the ``SLICE`` of each: the longest page, and requests about a row of a full table."""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from benchmarks._endpoint_costs.entry import Entries, Entry, on_row, prepared, read, send
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.rows import insert
from tests.functional.slices import ONE, Slice, slices


def filled(one: Slice, entry: Entry) -> Entry:
    """Return an entry over a table with as many rows as every table has."""

    def fill(installation: Installation) -> None:
        sessions, rows = installation.runtime.sessions, installation.sizes.rows
        with sessions() as session:
            newest = session.scalar(sa.select(sa.func.max(one.table.id))) or 0
        if newest < rows:
            insert(sessions, one.table, rows - newest)

    return prepared(entry, fill)


def requests(one: Slice, method: str, path: str) -> Iterator[Entry]:
    """Yield the requests that may be the dearest of an operation."""
    body = None if method in ("GET", "DELETE") else one.sample
    if path.endswith(ONE):
        yield on_row("one row", path, one.table, body)
    elif method == "GET":
        yield read("a page of 1,000", f"{path}?limit=1000")
        yield read("a late page of 1,000", f"{path}?limit=1000&offset=15000")
    else:
        yield send("the sample", path, body)


ENTRIES: Entries = {
    f"{method} /api/v1{path}": [filled(one, entry) for entry in requests(one, method, path)]
    for one in slices()
    for method, path in map(one.path_of, one.operations)
}
