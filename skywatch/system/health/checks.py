"""The checks behind ``system/health``: what must work for the service to be ready, and what only degrades it."""

from __future__ import annotations

import shutil
from typing import Literal

import msgspec
import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from skywatch.core.bus import BusError, topics
from skywatch.core.clock import unix_now
from skywatch.core.database.engine import sqlite_file
from skywatch.core.process.announcer import Process, processes
from skywatch.core.runtime import Runtime
from skywatch.inputs.runner import published_statuses
from skywatch.picture.distribution.statistics import TrackerStatistics
from skywatch.receivers.base import ReceiverStatus, published_receivers
from skywatch.sentences import Sentence, joined, sentence
from skywatch.system.health.redaction import without_hosts

# The picture ticks once a second; a last tick older than this is a fault (s).
MAX_TICK_AGE_S = 10.0
# Feeders without a record that are named.
NAMED = 5
MIN_FREE_BYTES = 200_000_000


class Check(msgspec.Struct):
    """One check; without a ``required`` one the service is not ready."""

    name: str
    ok: bool
    required: bool
    detail: str


Status = Literal["ok", "degraded", "failing"]


def all_checks(runtime: Runtime) -> list[Check]:
    """Every check, in order of dependency."""
    bus = _bus(runtime)
    # Without the bus the state of the tracker and its receivers is unknown.
    of_tracker = (
        [_tracker(runtime), _receivers(runtime), _inputs(runtime)]
        if bus.ok
        else [_unknown("tracker", True), _unknown("receivers")]
    )
    checks = [_database(runtime), bus, *of_tracker, check_disk(runtime.engine.url)]
    for process in known_processes(runtime):
        for component in process.components:
            if component.name != "tracker":
                detail = without_hosts(component.sentence) or sentence("health.works", "works")
                checks.append(Check(component.name, component.ok, False, detail))
    return [check for check in checks if check is not None]


def verdict(checks: list[Check]) -> Status:
    """``failing`` where something required does not work, ``degraded`` where anything else does not."""
    if any(check.required and not check.ok for check in checks):
        return "failing"
    return "degraded" if any(not check.ok for check in checks) else "ok"


def known_processes(runtime: Runtime) -> list[Process]:
    """The state that each process published; empty while the bus is unreachable."""
    try:
        return processes(runtime.bus)
    except BusError:
        return []


def _database(runtime: Runtime) -> Check:
    try:
        with runtime.engine.connect() as connection:
            connection.execute(sa.text("SELECT 1"))
    except SQLAlchemyError:
        return Check("database", False, True, sentence("health.no_answer", "does not answer"))
    return Check("database", True, True, sentence("health.answers", "answers"))


def _bus(runtime: Runtime) -> Check:
    if runtime.bus.healthy():
        return Check("bus", True, True, sentence("health.answers", "answers"))
    return Check(
        "bus", False, True, without_hosts(runtime.bus.state().detail) or sentence("health.no_answer", "does not answer")
    )


def _unknown(name: str, required: bool = False) -> Check:
    return Check(name, False, required, sentence("health.bus_down", "unknown: the bus does not work"))


def tracker_statistics(runtime: Runtime) -> TrackerStatistics | None:
    """The last statistics of the tracker; None if there are none."""
    message = runtime.bus.last(topics.TRACKER)
    if message is None:
        return None
    try:
        return msgspec.json.decode(message.data, type=TrackerStatistics)
    except msgspec.MsgspecError:
        return None


def _tracker(runtime: Runtime) -> Check:
    statistics = tracker_statistics(runtime)
    if statistics is None:
        return Check("tracker", False, True, sentence("health.no_picture_yet", "no picture has been computed yet"))
    age_s = unix_now() - statistics.at
    if age_s > MAX_TICK_AGE_S:
        return Check(
            "tracker",
            False,
            True,
            sentence("health.picture_old", "the last picture is {age} s old", age=f"{age_s:.0f}"),
        )
    return Check("tracker", True, True, sentence("health.picture_runs", "computes the picture every second"))


def receiver_statuses(runtime: Runtime) -> list[ReceiverStatus]:
    """The last published state of every receiver."""
    return published_receivers(runtime.bus)


def _receivers(runtime: Runtime) -> Check:
    statuses = receiver_statuses(runtime)
    if not statuses:
        return Check("receivers", False, False, sentence("health.none_configured", "none configured"))
    down = [status.name for status in statuses if not status.is_active]
    beyond = [_beyond(status, text) for status in statuses if (text := status.describe_range())]
    if not down:
        connected = sentence("health.connected", "{n} connected", n=len(statuses))
        ok = not any(status.is_out_of_range for status in statuses)
        return Check("receivers", ok, False, joined([connected, *_anonymous(statuses), *beyond]))
    detail = sentence(
        "health.receivers_down",
        "{down} of {count} not connected: {names}",
        down=len(down),
        count=len(statuses),
        names=", ".join(down),
    )
    return Check("receivers", False, False, joined([detail, *beyond]))


def _beyond(status: ReceiverStatus, text: str) -> Sentence:
    return sentence("health.of_receiver", "{name}: {text}", name=status.name, text=text)


def _anonymous(statuses: list[ReceiverStatus]) -> list[str]:
    """The feeders without a record, some of them by name; nothing where there are none."""
    names = [feeder.name for status in statuses for feeder in status.anonymous]
    if not names:
        return []
    more = ", ..." if len(names) > NAMED else ""
    return [
        sentence(
            "health.anonymous_feeders",
            "feeders without a record: {count} ({names})",
            count=len(names),
            names=", ".join(names[:NAMED]) + more,
        )
    ]


def _inputs(runtime: Runtime) -> Check | None:
    """The inputs of other features; nothing where there are none."""
    statuses = published_statuses(runtime.bus)
    if not statuses:
        return None
    down = [f"{s.family}.{s.name}" for s in statuses if not s.is_active and s.state != "ended"]
    if not down:
        return Check("inputs", True, False, sentence("health.inputs_work", "{n} work", n=len(statuses)))
    return Check(
        "inputs",
        False,
        False,
        sentence(
            "health.inputs_down",
            "{down} of {count} do not work: {names}",
            down=len(down),
            count=len(statuses),
            names=", ".join(down),
        ),
    )


def free_bytes(url: sa.URL) -> int | None:
    """Free disk space for SQLite's file; None for other databases."""
    path = sqlite_file(url)
    if path is None:
        return None
    try:
        return shutil.disk_usage(path.resolve().parent).free
    except OSError:
        return None


def check_disk(url: sa.URL) -> Check:
    """Whether there is room for SQLite's file."""
    free = free_bytes(url)
    if free is None:
        return Check("disk", True, False, sentence("health.on_database_server", "on the database server"))
    ok = free >= MIN_FREE_BYTES
    return Check(
        "disk",
        ok,
        False,
        sentence("health.free", "{size:,} MB free", size=round(free / 1e6))
        if ok
        else sentence("health.little_free", "only {size:,} MB free", size=round(free / 1e6)),
    )
