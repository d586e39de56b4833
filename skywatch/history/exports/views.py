"""Bulk export."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from pyramid.response import Response
from sqlalchemy.orm import Session

from skywatch.airframes.military import hidden_from
from skywatch.history.exports import FORMATS, schemas
from skywatch.history.exports.source import by_slice, pieces, whole_flights
from skywatch.history.flights.service import Labels
from skywatch.history.requests import reaching
from skywatch.history.storage.points import address_code
from skywatch.history.storage.reader import Span
from skywatch.http.lists.stream import stream
from skywatch.http.requests.request import Request
from skywatch.http.requests.span import span_of
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission

export_service = ApiService("history_export", "/history/export", feature="history")


@export_service.get(
    permission=Permission.HISTORY_EXPORT,
    query=schemas.ExportQuery(),
    responses={200: ",".join(f.media_type for f in FORMATS.values())},
    errors=(503,),
)
def export_history(request: Request) -> Response:
    """All tracks of a span as a file

    `csv` and `parquet` have a row for each stored point, `geojson`, `kml` and `gpx` a line for each flight. The last
    24 hours by default; any length. The body is streamed: it is complete when its transfer ends properly.
    """
    begin, end = span_of(request, default=timedelta(days=1))
    query = request.validated["querystring"]
    export_format = FORMATS[query["format"]]
    labels = Labels(request.visibility)
    code = None if query["icao_hex"] is None else address_code(query["icao_hex"])

    def body(session: Session) -> Iterator[bytes]:
        span = Span(begin.timestamp(), end.timestamp(), code, hidden_from(request.visibility, session))
        slices = by_slice(reaching(request, session, begin=begin, end=end), span, labels)
        return export_format.write(whole_flights(slices) if export_format.whole else pieces(slices))

    name = f"skywatch-{begin:%Y%m%dT%H%M%SZ}-{end:%Y%m%dT%H%M%SZ}.{export_format.extension}"
    return stream(request, body, export_format.media_type, name)
