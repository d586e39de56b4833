"""The status of the whole installation as one document: for ``system/status`` and the event ``system:status``."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.upkeep import database_bytes
from skywatch.core.process.announcer import Process
from skywatch.core.process.version import VERSION
from skywatch.core.runtime import Runtime
from skywatch.http.resources.answer import answer
from skywatch.inputs.base import InputStatus
from skywatch.inputs.runner import published_statuses
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.base import ReceiverStatus
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility
from skywatch.sentences import worded
from skywatch.settings import published
from skywatch.settings.bus_address import parse_bus_address
from skywatch.system.health.checks import (
    Check,
    all_checks,
    free_bytes,
    known_processes,
    receiver_statuses,
    tracker_statistics,
    verdict,
)
from skywatch.system.health.redaction import without_hosts
from skywatch.system.schemas import (
    AnonymousFeeder,
    InputState,
    ProcessComponent,
    ReceiverState,
    ServiceProcess,
    SystemCheck,
)

MANAGE = frozenset({str(Permission.SYSTEM_MANAGE)})
MILITARY = frozenset({str(Permission.AIRCRAFT_VIEW_MILITARY)})


# The server of a bus, whichever way it is found.
BUSES = {"memory": "memory", "redis": "redis", "sentinel": "redis", "nats": "nats"}


def at(seconds: float | None) -> datetime | None:
    """Unix seconds as an aware UTC datetime."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def status_answer(runtime: Runtime, visibility: Visibility) -> dict[str, Any]:
    """The status for a caller; works, as far as possible, without database and bus."""
    return next(document for needs, document in status_forms(runtime) if needs <= visibility.permissions)


def status_forms(runtime: Runtime) -> list[tuple[frozenset[str], dict[str, Any]]]:
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


_WITHOUT_CODE = {"detail_code": None, "detail_params": None}


def check_answer(check: Check) -> dict[str, Any]:
    """A check as the API answers it."""
    return answer(SystemCheck, check, **{**_WITHOUT_CODE, **worded("detail", check.detail)})


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
        "checks": [check_answer(check) for check in checks],
        "messages": 0 if statistics is None else statistics.messages,
        "message_rate": 0.0 if statistics is None else statistics.message_rate,
        "tick_age_s": None if statistics is None else round(max(0.0, unix_now() - statistics.at), 1),
        "tick_mean_s": None if statistics is None else round(statistics.tick_mean_s, 5),
        "tick_max_s": None if statistics is None else round(statistics.tick_max_s, 5),
        "receivers": len(receivers),
        "receivers_connected": sum(status.is_active for status in receivers),
        "database": database_answer(runtime),
    }


def _with_hosts(processes: Sequence[Process]) -> list[dict[str, Any]]:
    return [_process_answer(process, process.name, [c.sentence for c in process.components]) for process in processes]


def tracker_answers(runtime: Runtime, with_hosts: bool) -> list[dict[str, Any]]:
    """The trackers of the installation, the leading one first; hosts and process numbers only where asked for."""
    trackers = sorted((process for process in known_processes(runtime) if process.tracker), key=lambda p: p.tracker)
    return [_tracker_answer(process, with_hosts) for process in trackers]


def _tracker_answer(process: Process, with_hosts: bool) -> dict[str, Any]:
    host, _, pid = process.name.rpartition("@")[2].rpartition(":")
    return {
        "host": host if with_hosts else None,
        "pid": int(pid) if with_hosts and pid.isdecimal() else None,
        "state": process.tracker,
        "token": process.token,
        "since": at(process.tracker_since),
    }


def _without_hosts(processes: Sequence[Process]) -> list[dict[str, Any]]:
    """The processes by their roles, numbered where several have the same."""
    answers, counts = [], Counter[str]()
    for process in processes:
        roles = "+".join(process.roles)
        counts[roles] += 1
        name = roles if counts[roles] == 1 else f"{roles} {counts[roles]}"
        answers.append(_process_answer(process, name, [without_hosts(c.sentence) for c in process.components]))
    return answers


def _process_answer(process: Process, name: str, details: Sequence[str]) -> dict[str, Any]:
    components = [
        answer(ProcessComponent, component, **{**_WITHOUT_CODE, **worded("detail", detail)}, since=at(component.since))
        for component, detail in zip(process.components, details, strict=True)
    ]
    return answer(ServiceProcess, process, name=name, started_at=at(process.started_at), components=components)


def database_answer(runtime: Runtime) -> dict[str, Any]:
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
        "bus": BUSES[parse_bus_address(settings.bus).kind],
        "station": station,
        **published(settings),
    }


def receivers(runtime: Runtime, visibility: Visibility) -> list[dict[str, Any]]:
    """Every receiver as the API answers it to a caller: addresses, and errors that may name one, take ``MANAGE``."""
    hidden = _hidden(visibility)
    return [
        answer(
            ReceiverState,
            status,
            last_message_at=at(status.last_message_at),
            last_error_at=at(status.last_error_at),
            since=at(status.since),
            anonymous=[
                answer(AnonymousFeeder, feeder, connected_since=at(feeder.connected_since))
                for feeder in status.anonymous
            ],
            **hidden,
        )
        for status in receiver_statuses(runtime)
    ]


def inputs(runtime: Runtime, visibility: Visibility) -> list[dict[str, Any]]:
    """Every input as the API answers it to a caller: the receivers and the inputs of the other features."""
    hidden = _hidden(visibility)
    return [
        *(_input_answer(status, hidden) for status in receiver_statuses(runtime)),
        *feature_inputs(runtime, visibility),
    ]


def feature_inputs(runtime: Runtime, visibility: Visibility) -> list[dict[str, Any]]:
    """The inputs of the features that bring no aircraft, likewise."""
    hidden = _hidden(visibility)
    return [_input_answer(status, hidden) for status in published_statuses(runtime.bus)]


def _hidden(visibility: Visibility) -> dict[str, None]:
    return (
        {}
        if visibility.permissions >= MANAGE
        else {"address": None, "last_error": None, "last_error_code": None, "last_error_params": None}
    )


def _input_answer(status: InputStatus, hidden: dict[str, None]) -> dict[str, Any]:
    return answer(
        InputState,
        status,
        received=status.messages,
        stored=None if isinstance(status, ReceiverStatus) else status.stored,
        invalid=sum(status.invalid.values()),
        reasons=status.invalid,
        last_message_at=at(status.last_message_at),
        last_error_at=at(status.last_error_at),
        since=at(status.since),
        **hidden,
    )
