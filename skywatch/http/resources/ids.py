"""The id of a row in a path: one schema for all resources that have ids."""

from __future__ import annotations

import colander

from skywatch.http.requests.request import Request
from skywatch.http.resources.schema import QueryInteger, Schema, node

# JavaScript reads greater whole numbers inexactly.
MAX_ID = 2**53


class RowId(Schema):
    """The id in a path; an id out of range is malformed."""

    id = node(QueryInteger(), "Identifier.", validator=colander.Range(1, MAX_ID))


def row_id(request: Request) -> int:
    """The id in the path of a request that ``RowId`` has validated."""
    number: int = request.validated["path"]["id"]
    return number
