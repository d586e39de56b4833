"""The status of the whole installation as one document: for ``system/status`` and the event ``system:status``."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from skywatch.core.clock import unix_now, utcnow
from skywatch.core.process.version import VERSION
from skywatch.core.publishing.announce import Process
from skywatch.core.runtime import Runtime
from skywatch.core.storing.retention import database_bytes
from skywatch.inputs.base import InputStatus
from skywatch.inputs.runner import published_statuses
from skywatch.picture.settings import PictureSettings
from skywatch.picture.sharing.statistics import TrackerStatistics
from skywatch.receivers.base import ReceiverStatus
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.settings import published
from skywatch.system.health.checks import (
    all_checks,
    free_bytes,
    known_processes,
    receiver_statuses,
    tracker_statistics,
    verdict,
    without_hosts,
)

MANAGE = frozenset({str(Permission.SYSTEM_MANAGE)})
MILITARY = frozenset({str(Permission.AIRCRAFT_VIEW_MILITARY)})


def at(seconds: float | None) -> datetime | None:
    """Unix seconds as an aware UTC datetime."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def describe(runtime: Runtime, visibility: Visibility) -> dict[str, Any]:
    """The status for a caller; works, as far as possible, without database and bus."""
    return next(document for needs, document in describe_in_forms(runtime) if needs <= visibility.permissions)


def describe_in_forms(runtime: Runtime) -> list[tuple[frozenset[str], dict[str, Any]]]:
    """The status by the permissions it takes, the fullest first: military aircraft are counted for those who may see
    them; hosts and process numbers are for those who manage the installation."""
    statistics = tracker_statistics(runtime) or TrackerStatistics()
    document, running = _document(runtime), known_processes(runtime)
    every = {"aircraft": statistics.aircraft, "aircraft_with_position": statistics.with_position}
    civil = {
        "aircraft": statistics.aircraft - statistics.military,
        "aircraft_with_position": statistics.with_position - statistics.military_with_position,
    }
    named, unnamed = {"processes": _with_hosts(running)}, {"processes": _without_hosts(running)}
    return [
        (MANAGE | MILITARY, document | every | named),
        (MANAGE, document | civil | named),
        (MILITARY, document | every | unnamed),
        (frozenset(), document | civil | unnamed),
    ]


def _document(runtime: Runtime) -> dict[str, Any]:
    checks = all_checks(runtime)
    statistics = tracker_statistics(runtime)
    receivers = receiver_statuses(runtime)
    started_at = None if statistics is None else at(statistics.started_at)
    return {
        "status": verdict(checks),
        "now": utcnow(),
        "version": VERSION,
        "started_at": started_at,
        "uptime_s": None if statistics is None else round(unix_now() - statistics.started_at, 1),
        "checks": [{"name": c.name, "ok": c.ok, "required": c.required, "detail": c.detail} for c in checks],
        "messages": 0 if statistics is None else statistics.messages,
        "message_rate": 0.0 if statistics is None else statistics.message_rate,
        "tick_age_s": None if statistics is None else round(max(0.0, unix_now() - statistics.at), 1),
        "tick_mean_s": None if statistics is None else round(statistics.tick_mean_s, 5),
        "tick_max_s": None if statistics is None else round(statistics.tick_max_s, 5),
        "receivers": len(receivers),
        "receivers_connected": sum(status.is_active for status in receivers),
        "database": describe_database(runtime),
    }


def _with_hosts(processes: Sequence[Process]) -> list[dict[str, Any]]:
    return [_describe_process(process, process.name, [c.detail for c in process.components]) for process in processes]


def _without_hosts(processes: Sequence[Process]) -> list[dict[str, Any]]:
    """The processes by their roles, numbered where several have the same."""
    described, counts = [], Counter[str]()
    for process in processes:
        roles = "+".join(process.roles)
        counts[roles] += 1
        name = roles if counts[roles] == 1 else f"{roles} {counts[roles]}"
        described.append(_describe_process(process, name, [without_hosts(c.detail) for c in process.components]))
    return described


def _describe_process(process: Process, name: str, details: Sequence[str]) -> dict[str, Any]:
    return {
        "name": name,
        "roles": process.roles,
        "started_at": at(process.started_at),
        "components": [
            {
                "name": component.name,
                "ok": component.ok,
                "detail": detail,
                "since": at(component.since),
                "figures": component.figures,
            }
            for component, detail in zip(process.components, details, strict=True)
        ],
    }


def describe_database(runtime: Runtime) -> dict[str, Any]:
    """The database's kind and size."""
    kind = runtime.engine.dialect.name
    try:
        used, reusable = database_bytes(runtime.engine)
    except Exception:
        # The checks report that it does not answer; the rest of the status is still useful.
        return {"kind": kind, "bytes": None, "reusable_bytes": None, "disk_free_bytes": free_bytes(runtime.engine.url)}
    return {"kind": kind, "bytes": used, "reusable_bytes": reusable, "disk_free_bytes": free_bytes(runtime.engine.url)}


def information(runtime: Runtime, visibility: Visibility) -> dict[str, Any]:
    """Version, mode and station of this installation, the latter as a caller may know it."""
    settings = runtime.current.of(PictureSettings)
    coordinates = settings.station_for(exact=visibility.exact_station)
    station = None if coordinates is None else dict(zip(("lat", "lon"), coordinates, strict=True))
    return {
        "name": "Skywatch",
        "version": VERSION,
        "python": platform.python_version(),
        "database": runtime.engine.dialect.name,
        "bus": "memory" if settings.bus == "memory" else "redis",
        "station": station,
        **published(settings),
    }


def receivers(runtime: Runtime) -> list[dict[str, Any]]:
    """Every receiver as the API shows it."""
    return [
        {
            "name": status.name,
            "kind": status.kind,
            "address": status.address,
            "state": status.state,
            "message_rate": status.message_rate,
            "position_rate": status.position_rate,
            "messages": status.messages,
            "positions": status.positions,
            "last_message_at": at(status.last_message_at),
            "reconnects": status.reconnects,
            "last_error": status.last_error,
            "last_error_at": at(status.last_error_at),
            "since": at(status.since),
            "invalid": status.invalid,
            "anonymous": [
                {**msgspec.structs.asdict(feeder), "connected_since": at(feeder.connected_since)}
                for feeder in status.anonymous
            ],
        }
        for status in receiver_statuses(runtime)
    ]


def inputs(runtime: Runtime) -> list[dict[str, Any]]:
    """Every input as the API shows it: the receivers and the inputs of the other features."""
    return [*_describe_inputs(receiver_statuses(runtime)), *feature_inputs(runtime)]


def feature_inputs(runtime: Runtime) -> list[dict[str, Any]]:
    """The inputs of the features that bring no aircraft."""
    return _describe_inputs(published_statuses(runtime.bus))


def _describe_inputs(statuses: Sequence[InputStatus]) -> list[dict[str, Any]]:
    return [
        {
            "family": status.family,
            "name": status.name,
            "kind": status.kind,
            "address": status.address,
            "state": status.state,
            "message_rate": status.message_rate,
            "received": status.messages,
            "stored": None if isinstance(status, ReceiverStatus) else status.stored,
            "dropped": status.dropped,
            "refused": status.refused,
            "invalid": sum(status.invalid.values()),
            "reasons": status.invalid,
            "connections": status.connections,
            "last_message_at": at(status.last_message_at),
            "reconnects": status.reconnects,
            "last_error": status.last_error,
            "last_error_at": at(status.last_error_at),
            "since": at(status.since),
        }
        for status in statuses
    ]
