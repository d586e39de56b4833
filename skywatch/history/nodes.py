"""What the schemas of history share: described nodes and the span of time."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.http.resources.schema import (
    Schema,
    Timestamp,
    node,
)


def optional(typ: colander.SchemaType, meaning: str, **kw: Any) -> colander.SchemaNode:
    """A described node that may be left out."""
    return node(typ, meaning, missing=None, **kw)


class SpanQuery(Schema):
    """A span of time; views define its default and its longest length."""

    begin = optional(Timestamp(), "Begin of the span.", name="from")
    end = optional(Timestamp(), "End of the span.", name="to")
