"""What goes into the bulk export."""

from __future__ import annotations

import colander

from skywatch.history.exports import FORMATS
from skywatch.history.nodes import SpanQuery, optional
from skywatch.http.resources.schema import (
    IcaoAddress,
    QueryString,
    node,
)


class ExportQuery(SpanQuery):
    format = node(QueryString(), "Format.", missing="csv", validator=colander.OneOf(list(FORMATS)))
    icao_hex = optional(IcaoAddress(), "One aircraft only.")
