"""Statistics, heat map, near misses and coverage."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from pyramid.response import Response

from skywatch.airframes.military import hidden_from
from skywatch.core.limits import ConcurrencyLimiter
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.history.analysis import schemas, service
from skywatch.history.analysis.statistics import rows_of, statistics
from skywatch.history.nodes import SpanQuery
from skywatch.history.requests import reaching
from skywatch.history.storage.reader import Span
from skywatch.http.limits.slow_work import slow_work, statistics_limiter
from skywatch.http.lists.spreadsheets import csv_rows
from skywatch.http.requests.request import Request
from skywatch.http.requests.span import span_of
from skywatch.http.resources.service import ApiService
from skywatch.picture.counted import counts_simulated
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.settings import ReceiverSettings, simulates
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence

FEATURE = "history"
LONGEST = timedelta(days=schemas.MAX_ANALYSIS_DAYS)

stats_service = ApiService("history_stats", "/history/stats", feature=FEATURE)
stats_export_service = ApiService("history_stats_export", "/history/stats/export", feature=FEATURE)
heatmap_service = ApiService("history_heatmap", "/history/heatmap", feature=FEATURE)
hotspots_service = ApiService("history_hotspots", "/history/hotspots", feature=FEATURE)
coverage_service = ApiService("history_coverage", "/history/coverage", feature=FEATURE)


def evaluation_limiter(runtime: Runtime) -> ConcurrencyLimiter:
    """Create the limiter of heat maps, coverages and near misses by cell: each takes a processor for a second."""
    words = (
        sentence("work.evaluation", "evaluation of history"),
        sentence("work.many_evaluations", "evaluations of history"),
    )
    return slow_work(runtime, "evaluations", *words, at_once=2, wait_s=10.0)


def is_of_simulated(request: Request) -> bool:
    """Whether an answer is of simulated aircraft, too."""
    receivers = request.runtime.current.of(ReceiverSettings).receivers
    return any(map(simulates, receivers.values())) and counts_simulated(request.db)


@stats_service.get(permission=Permission.HISTORY_VIEW, query=SpanQuery(), responses={200: schemas.HistoryStatistics()})
def get_history_stats(request: Request) -> dict[str, Any]:
    """Counts and trends of a span

    The last 7 days by default; `change` compares with the span of the same length before.
    """
    begin, end = span_of(request, default=timedelta(days=7), longest=timedelta(days=3660))
    with request.runtime.shared(statistics_limiter).turn(request.person):
        result = statistics(reaching(request, begin=begin, end=end), begin, end, request.visibility)
    return {**result, "simulated": is_of_simulated(request)}


@stats_export_service.get(permission=Permission.HISTORY_EXPORT, query=SpanQuery(), responses={200: "text/csv"})
def export_history_stats(request: Request) -> Response:
    """The counts of a span as a spreadsheet

    CSV with the columns `counted` (`day`, `hour` in UTC, `altitude_ft`, `type`, `operator`, `country`), `name` and
    `flights`. The last 7 days by default.
    """
    begin, end = span_of(request, default=timedelta(days=7), longest=timedelta(days=3660))
    with request.runtime.shared(statistics_limiter).turn(request.person):
        answer = statistics(reaching(request, begin=begin, end=end), begin, end, request.visibility)
    response = Response(body=csv_rows([("counted", "name", "flights"), *rows_of(answer)]))
    response.headers["Content-Type"] = "text/csv; charset=utf-8"
    response.headers["Content-Disposition"] = f'attachment; filename="skywatch-{begin:%Y%m%d}-{end:%Y%m%d}.csv"'
    return response


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
    span = Span(begin.timestamp(), end.timestamp(), hidden=hidden_from(request.visibility, request.db))
    with request.runtime.shared(evaluation_limiter).turn(request.person):
        result = service.heatmap(
            reaching(request, begin=begin, end=end),
            span,
            query["cell_deg"],
            query["bbox"],
            query["min_altitude_ft"],
            query["max_altitude_ft"],
            simulated=counts_simulated(request.db),
        )
    return {"from": begin, "to": end, "simulated": is_of_simulated(request), **result}


@coverage_service.get(
    permission=Permission.HISTORY_VIEW,
    query=schemas.CoverageQuery(),
    responses={200: schemas.Coverage()},
    errors=(409,),
)
def get_coverage(request: Request) -> dict[str, Any]:
    """The range of reception, by bearing and altitude

    Of what the station's own receivers heard: positions that aircraft sent themselves, within the radio horizon of
    their altitude; not those of networks, feeders, messages, MLAT, TIS-B or imports, nor those stored by releases that
    did not keep the source. At all altitudes, or from `min_altitude_ft` to `max_altitude_ft`. Needs the station's
    position (409 without). The last 24 hours by default; at most 31 days. Of a span with very many positions one slice
    of ten minutes in `one_slice_in` is evaluated.
    """
    station = request.runtime.current.of(PictureSettings).station_for(exact=request.visibility.exact_station)
    if station is None:
        raise Problem(
            "conflict",
            sentence(
                "history.no_station_place",
                "The station's position is not set (station_lat, station_lon), or not shown.",
            ),
        )
    begin, end = span_of(request, default=timedelta(days=1), longest=LONGEST)
    query = request.validated["querystring"]
    span = Span(begin.timestamp(), end.timestamp(), hidden=hidden_from(request.visibility, request.db))
    with request.runtime.shared(evaluation_limiter).turn(request.person):
        result = service.coverage(
            reaching(request, begin=begin, end=end),
            span,
            station,
            query["min_altitude_ft"],
            query["max_altitude_ft"],
            simulated=counts_simulated(request.db),
        )
    return {
        "from": begin,
        "to": end,
        "station": {"lat": station[0], "lon": station[1]},
        "simulated": is_of_simulated(request),
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
    with request.runtime.shared(evaluation_limiter).turn(request.person):
        result = service.hotspots(reaching(request, begin=begin, end=end), begin, end, box, request.visibility.military)
    return {"from": begin, "to": end, **result}
