"""Health, status, information, receivers, metrics and retention."""

from __future__ import annotations

import hashlib
from typing import Any

from pyramid.response import Response

from skywatch.airframes.military import CIVIL
from skywatch.core.bus import BusError
from skywatch.core.process import announcer
from skywatch.core.storage.retention import Kind, extent
from skywatch.core.storage.retention_clock import ROWS, Hold, Record, records
from skywatch.core.telemetry import metrics
from skywatch.core.telemetry.health import LIVE
from skywatch.http.errors import RETRY_AFTER_S
from skywatch.http.lists.pagination import PageQuery, page_of
from skywatch.http.requests.request import Request
from skywatch.http.resources.service import ApiService
from skywatch.security.permissions import Permission, ViewPermission
from skywatch.security.visibility import Visibility
from skywatch.system import schemas, status
from skywatch.system.health import checks

FEATURE = "system"
# Labels of the samples that count military aircraft or messages about them.
MILITARY = (("military", "true"), ("topic", "military"))

health_service = ApiService("system_health", "/system/health", feature="system")
status_service = ApiService("system_status", "/system/status", feature=FEATURE)
info_service = ApiService("system_info", "/system/info", feature=FEATURE)
receivers_service = ApiService("system_receivers", "/system/receivers", feature=FEATURE)
inputs_service = ApiService("system_inputs", "/system/inputs", feature=FEATURE)
metrics_service = ApiService("system_metrics", "/system/metrics", feature=FEATURE)
retention_service = ApiService("system_retention", "/system/retention", feature=FEATURE)


@health_service.get(
    permission=ViewPermission.OPEN,
    query=schemas.HealthQuery(),
    responses={200: schemas.Health(), 503: schemas.Health()},
)
def get_health(request: Request) -> dict[str, Any]:
    """Whether the service is alive and ready

    Open to everybody in every mode, also with wrong credentials; hosts and process numbers of trackers are for
    `system.manage`. With `probe=live` always 200; otherwise 503 if the
    service cannot do its work. `degraded` is still ready: the picture is live, but a receiver, the history's writer
    or the disk has a fault.
    """
    if request.validated["querystring"]["probe"] == "live":
        return LIVE
    results = checks.all_checks(request.runtime)
    verdict = checks.verdict(results)
    if verdict == "failing":
        request.response.status = 503
        request.response.headers["Retry-After"] = str(RETRY_AFTER_S)
    request.response.headers["Cache-Control"] = "no-store"
    records = [status.check_answer(check) for check in results]
    trackers = status.tracker_answers(request.runtime, _may_see_hosts(request))
    return {"status": verdict, "live": True, "ready": verdict != "failing", "checks": records, "trackers": trackers}


def _may_see_hosts(request: Request) -> bool:
    try:
        return Permission.SYSTEM_MANAGE in request.visibility.permissions
    except Exception:
        # Nobody's credentials, nor a database that is away, keep health from being answered.
        return False


@status_service.get(permission=Permission.SYSTEM_VIEW_STATUS, responses={200: schemas.SystemStatus()})
def get_system_status(request: Request) -> dict[str, Any]:
    """The state of the whole installation

    The same document as the real-time event `system:status`. Military aircraft are counted for those who may see them;
    hosts and process numbers are named to holders of `system.manage`.
    """
    return status.status_answer(request.runtime, request.visibility)


@info_service.get(permission=Permission.SYSTEM_VIEW_STATUS, responses={200: schemas.SystemInformation()})
def get_system_info(request: Request) -> dict[str, Any]:
    """Version, mode and station of this installation

    The station's position is as exact as the caller may know it (`station_accuracy`).
    """
    return status.information(request.runtime, request.visibility)


@receivers_service.get(
    permission=Permission.SYSTEM_VIEW_STATUS, query=PageQuery(), responses={200: schemas.ReceiverStates()}
)
def list_receivers(request: Request) -> dict[str, Any]:
    """The state of every receiver

    Addresses and errors are for `system.manage`.
    """
    return page_of(request, "receivers", status.receivers(request.runtime, request.visibility))


@inputs_service.get(permission=Permission.SYSTEM_VIEW_STATUS, query=PageQuery(), responses={200: schemas.InputStates()})
def list_inputs(request: Request) -> dict[str, Any]:
    """The state of every input

    The receivers and the inputs of the other features, with the same fields. Addresses and errors
    are for `system.manage`.
    """
    return page_of(request, "inputs", status.inputs(request.runtime, request.visibility))


@metrics_service.get(permission=Permission.SYSTEM_VIEW_METRICS, responses={200: "text/plain"})
def get_metrics(request: Request) -> Response:
    """The metrics of all processes, for Prometheus

    Text exposition format 0.0.4; the label `process` distinguishes the processes: `role@host:pid`, or without
    `system.manage` `role@` and a code. Without `aircraft.view_military` the samples with `military="true"` and
    `topic="military"` are omitted.
    """
    try:
        figures = announcer.figures(request.runtime.bus)
    except BusError:
        figures = {}
    # This process's own metrics are current even while the bus is away.
    own = next((name for name in figures if name.endswith(metrics.process_name().partition("@")[2])), None)
    figures[own or metrics.process_name("api")] = metrics.export()
    if Permission.SYSTEM_MANAGE not in request.visibility.permissions:
        figures = _without_hosts(figures, request.runtime.settings.secret)
    response = Response(body=metrics.exposition(figures, without=() if request.visibility.military else MILITARY))
    response.headers["Content-Type"] = metrics.CONTENT_TYPE
    response.headers["Cache-Control"] = "no-store"
    return response


def _without_hosts(figures: dict[str, bytes], secret: str) -> dict[str, bytes]:
    """The figures by a code in place of each process's host and number, which lasts as long as these."""
    return {
        f"{name.partition('@')[0]}@{hashlib.sha256(f'{secret}{name}'.encode()).hexdigest()[:8]}": data
        for name, data in figures.items()
    }


@retention_service.get(permission=Permission.SYSTEM_VIEW_STATUS, responses={200: schemas.Retention()})
def get_retention(request: Request) -> dict[str, Any]:
    """The retention and amount of each kind of data

    Records of military aircraft are counted for those who may see them.
    """
    runtime = request.runtime
    settings = runtime.current
    record = records(request.db).get(ROWS, Record())
    removed: dict[str, float] = {}
    for process in checks.known_processes(runtime):
        for component in process.components:
            if component.name == "retention":
                removed = {k.removeprefix("removed_"): v for k, v in component.figures.items()}
    kinds = []
    for kind in request.runtime.features.retention_kinds():
        data = extent(request.db, kind, _visible(kind, request.visibility))
        kinds.append(
            {
                "kind": kind.name,
                "keep_days": kind.days(settings),
                "limit_mb": kind.megabytes(settings),
                "rows": data.rows,
                "bytes": data.bytes,
                "oldest_at": data.oldest_at,
                "removed": int(removed.get(kind.name, 0)),
                "left_days": round(record.left.get(kind.name, 0.0), 1),
            }
        )
    return {
        "kinds": kinds,
        "count": len(kinds),
        "database_limit_mb": settings.retention_database_mb,
        "interval_s": settings.retention_interval_s,
        "database": status.database_answer(runtime),
        "hold": _hold_answer(record.hold),
    }


def _hold_answer(hold: Hold | None) -> dict[str, Any] | None:
    return None if hold is None else {"since": hold.since, "until": hold.until, "reason": hold.why}


def _visible(kind: Kind, visibility: Visibility) -> Any:
    """The rows of a kind that a caller may see as an SQL condition; None stands for all."""
    return None if visibility.military else kind.table.info.get(CIVIL)
