"""Statistics, heat map, near misses and coverage."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from skywatch.core.problems import Problem
from skywatch.history.analysis import schemas, service
from skywatch.history.analysis.hotspots import hotspots
from skywatch.history.analysis.statistics import statistics
from skywatch.history.nodes import SpanQuery
from skywatch.history.reading.archive import Span
from skywatch.history.reading.reaching import reaching
from skywatch.history.reading.spans import span_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import ApiService
from skywatch.picture.settings import PictureSettings
from skywatch.security.permissions import Permission

FEATURE = "history"
# Heat maps and coverages at a time in this process, and how long (s) another one waits for its turn.
MAX_AT_ONCE, MAX_WAIT_S = 2, 1.0
_turns = threading.BoundedSemaphore(MAX_AT_ONCE)
LONGEST = timedelta(days=schemas.MAX_ANALYSIS_DAYS)

stats_service = ApiService("history_stats", "/history/stats", feature=FEATURE)
heatmap_service = ApiService("history_heatmap", "/history/heatmap", feature=FEATURE)
hotspots_service = ApiService("history_hotspots", "/history/hotspots", feature=FEATURE)
coverage_service = ApiService("history_coverage", "/history/coverage", feature=FEATURE)


@stats_service.get(permission=Permission.HISTORY_VIEW, query=SpanQuery(), responses={200: schemas.HistoryStatistics()})
def get_history_stats(request: Request) -> dict[str, Any]:
    """Counts and trends of a span

    The last 7 days by default; `change` compares with the span of the same length before.
    """
    begin, end = span_of(request, default=timedelta(days=7), longest=timedelta(days=3660))
    return statistics(reaching(request), begin, end, request.visibility)


@heatmap_service.get(
    permission=Permission.HISTORY_VIEW, query=schemas.HeatmapQuery(), responses={200: schemas.Heatmap()}
)
def get_heatmap(request: Request) -> dict[str, Any]:
    """Where aircraft were

    The time aircraft spent in each cell of a grid, the busiest 20,000 cells first. The last 24 hours by default;
    at most 31 days. Of a span with very many positions one slice of ten minutes in `one_slice_in` is evaluated, and
    its times count so many times.
    """
    begin, end = span_of(request, default=timedelta(days=1), longest=LONGEST)
    query = request.validated["querystring"]
    span = Span(begin.timestamp(), end.timestamp(), military=request.visibility.military)
    with _turn():
        result = service.heatmap(
            reaching(request),
            span,
            query["cell_deg"],
            query["bbox"],
            query["min_altitude_ft"],
            query["max_altitude_ft"],
        )
    return {"from": begin, "to": end, **result}


@coverage_service.get(
    permission=Permission.HISTORY_VIEW,
    query=schemas.CoverageQuery(),
    responses={200: schemas.Coverage()},
    errors=(409,),
)
def get_coverage(request: Request) -> dict[str, Any]:
    """The range of reception, by bearing and altitude

    Of positions at all altitudes, or from `min_altitude_ft` to `max_altitude_ft`. Needs the station's position (409
    without). The last 24 hours by default; at most 31 days. Of a span with very many positions one slice of ten
    minutes in `one_slice_in` is evaluated.
    """
    station = request.runtime.current.of(PictureSettings).station_for(exact=request.visibility.exact_station)
    if station is None:
        raise Problem("conflict", "The station's position is not set (station_lat, station_lon), or not shown.")
    begin, end = span_of(request, default=timedelta(days=1), longest=LONGEST)
    query = request.validated["querystring"]
    span = Span(begin.timestamp(), end.timestamp(), military=request.visibility.military)
    with _turn():
        result = service.coverage(reaching(request), span, station, query["min_altitude_ft"], query["max_altitude_ft"])
    return {
        "from": begin,
        "to": end,
        "station": {"lat": station[0], "lon": station[1]},
        **result,
    }


@hotspots_service.get(
    permission=Permission.HISTORY_VIEW,
    query=schemas.HotspotsQuery(),
    responses={200: schemas.Hotspots()},
    errors=(503,),
)
def get_hotspots(request: Request) -> dict[str, Any]:
    """Near misses by cell

    How many pairs of aircraft came too near each other in each cell of a tenth of a degree, by severity, as
    `skywatch batch FILE.ini hotspots` found in archived days; those of hours (UTC) that begin in the span. The last 31
    days by default; at most 366 days. Days without a result are named in `missing_days`. Military aircraft count only
    for callers who may see them.
    """
    begin, end = span_of(request, default=timedelta(days=31), longest=timedelta(days=schemas.MAX_HOTSPOT_DAYS))
    box = request.validated["querystring"]["bbox"]
    return {"from": begin, "to": end, **hotspots(reaching(request), begin, end, box, request.visibility.military)}


@contextmanager
def _turn() -> Iterator[None]:
    """One of few evaluations at a time: each takes a processor for a second; raises Problem (503)."""
    if not _turns.acquire(timeout=MAX_WAIT_S):
        detail = f"{MAX_AT_ONCE} evaluations of history are running; try again in a moment."
        raise Problem("unavailable", detail, headers={"Retry-After": "2"})
    try:
        yield
    finally:
        _turns.release()
