"""The status of the whole installation as one document: for ``system/status`` and the event ``system:status``."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from typing import Any

from skywatch.core.clock import unix_now, utcnow
from skywatch.core.retention import database_bytes
from skywatch.core.runtime import Runtime
from skywatch.core.version import VERSION
from skywatch.system.checks import (
    all_checks,
    free_bytes,
    known_processes,
    receiver_statuses,
    tracker_statistics,
    verdict,
)


def at(seconds: float | None) -> datetime | None:
    """Unix seconds as an aware UTC datetime."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def describe(runtime: Runtime) -> dict[str, Any]:
    """The status; works, as far as it can, without database and bus."""
    checks = all_checks(runtime)
    said = tracker_statistics(runtime)
    receivers = receiver_statuses(runtime)
    started_at = None if said is None else at(said.started_at)
    return {
        "status": verdict(checks),
        "now": utcnow(),
        "version": VERSION,
        "started_at": started_at,
        "uptime_s": None if said is None else round(unix_now() - said.started_at, 1),
        "checks": [{"name": c.name, "ok": c.ok, "required": c.required, "detail": c.detail} for c in checks],
        "aircraft": 0 if said is None else said.aircraft,
        "aircraft_with_position": 0 if said is None else said.with_position,
        "messages": 0 if said is None else said.messages,
        "message_rate": 0.0 if said is None else said.message_rate,
        "tick_age_s": None if said is None else round(max(0.0, unix_now() - said.at), 1),
        "tick_mean_s": None if said is None else round(said.tick_mean_s, 5),
        "tick_max_s": None if said is None else round(said.tick_max_s, 5),
        "receivers": len(receivers),
        "receivers_connected": sum(status.state == "connected" for status in receivers),
        "processes": [
            {
                "name": process.name,
                "roles": process.roles,
                "started_at": at(process.started_at),
                "components": [
                    {
                        "name": component.name,
                        "ok": component.ok,
                        "detail": component.detail,
                        "since": at(component.since),
                        "figures": component.figures,
                    }
                    for component in process.components
                ],
            }
            for process in known_processes(runtime)
        ],
        "database": describe_database(runtime),
    }


def describe_database(runtime: Runtime) -> dict[str, Any]:
    """The database's kind and size."""
    kind = runtime.engine.dialect.name
    try:
        used, reusable = database_bytes(runtime.engine)
    except Exception:
        # The checks have said that it does not answer; the rest of the status is wanted all the more.
        return {"kind": kind, "bytes": None, "reusable_bytes": None, "disk_free_bytes": free_bytes(runtime)}
    return {"kind": kind, "bytes": used, "reusable_bytes": reusable, "disk_free_bytes": free_bytes(runtime)}


def information(runtime: Runtime) -> dict[str, Any]:
    """What this installation is: version, mode, station."""
    settings = runtime.settings
    station = None
    if settings.station_lat is not None and settings.station_lon is not None:
        station = {"lat": settings.station_lat, "lon": settings.station_lon}
    return {
        "name": "Skywatch",
        "version": VERSION,
        "python": platform.python_version(),
        "auth_mode": settings.auth_mode,
        "environment": settings.environment,
        "database": runtime.engine.dialect.name,
        "bus": "memory" if settings.bus == "memory" else "redis",
        "station": station,
        "picture_timeout_s": settings.picture_timeout_s,
        "history_enabled": settings.history_enabled,
        "history_error_m": settings.history_error_m,
        "history_altitude_error_ft": settings.history_altitude_error_ft,
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
            "invalid": status.invalid,
        }
        for status in receiver_statuses(runtime)
    ]
