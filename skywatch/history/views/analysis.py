"""Statistics, heat map and coverage."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from skywatch.core.problems import Problem
from skywatch.history import analysis, schemas
from skywatch.history.archive import Span
from skywatch.history.views.spans import sees_military, span_of
from skywatch.http.service import ApiService
from skywatch.security.permissions import Permission

FEATURE = "history"
LONGEST = timedelta(days=schemas.LONGEST_ANALYSIS_DAYS)

stats_service = ApiService("history_stats", "/history/stats", feature=FEATURE)
heatmap_service = ApiService("history_heatmap", "/history/heatmap", feature=FEATURE)
coverage_service = ApiService("history_coverage", "/history/coverage", feature=FEATURE)


@stats_service.get(
    permission=Permission.HISTORY_VIEW, query=schemas.SpanQuery(), responses={200: schemas.HistoryStatistics()}
)
def show_statistics(request: Any) -> dict[str, Any]:
    """Counts and trends of a span

    The last 7 days unless said otherwise; `change` compares with the span of the same length before.
    """
    begin, end = span_of(request, default=timedelta(days=7), longest=timedelta(days=3660))
    return analysis.statistics(request.db, begin, end, see_military=sees_military(request))


@heatmap_service.get(
    permission=Permission.HISTORY_VIEW, query=schemas.HeatmapQuery(), responses={200: schemas.Heatmap()}
)
def show_heatmap(request: Any) -> dict[str, Any]:
    """Where aircraft were

    The time aircraft spent in each cell of a grid, the busiest 20,000 cells first. The last 24 hours unless said
    otherwise; at most 31 days.
    """
    begin, end = span_of(request, default=timedelta(days=1), longest=LONGEST)
    query = request.validated["querystring"]
    span = Span(begin.timestamp(), end.timestamp(), military=sees_military(request))
    found = analysis.heatmap(
        request.db, span, query["cell_deg"], query["bbox"], query["min_altitude_ft"], query["max_altitude_ft"]
    )
    return {"from": begin, "to": end, **found}


@coverage_service.get(
    permission=Permission.HISTORY_VIEW,
    query=schemas.SpanQuery(),
    responses={200: schemas.Coverage()},
    errors=(409,),
)
def show_coverage(request: Any) -> dict[str, Any]:
    """How far was heard, by bearing and altitude

    Needs the station's position (409 without). The last 24 hours unless said otherwise; at most 31 days.
    """
    settings = request.runtime.settings
    if settings.station_lat is None or settings.station_lon is None:
        raise Problem("conflict", "The station's position is not set (station_lat, station_lon).")
    begin, end = span_of(request, default=timedelta(days=1), longest=LONGEST)
    station = (settings.station_lat, settings.station_lon)
    span = Span(begin.timestamp(), end.timestamp(), military=sees_military(request))
    return {
        "from": begin,
        "to": end,
        "station": {"lat": station[0], "lon": station[1]},
        "sectors": analysis.coverage(request.db, span, station),
    }
