"""Connections to PostgreSQL that end when the server is silent.

A host that is gone and a cable that is cut send nothing, not even an end: a client waits for an answer indefinitely.
TCP finds a part of that by itself (keepalives, ``tcp_user_timeout``). The rest is found here: whoever has waited for
``SILENCE_S`` has the server tried by a new connection, and gives up where that gets no answer either, or where the
server works on nothing for the old one. While the server cannot be reached one attempt at a time is made, and everybody
else is refused at once instead of waiting behind it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from enum import Enum
from typing import Any

import psycopg
from sqlalchemy import event
from sqlalchemy.engine import Engine

CONNECT_TIMEOUT_S = 3
# A connection that has waited so long has the server tried (s), again after each such time.
SILENCE_S = 2.0
# After a failed attempt to connect the next one is made no earlier (s).
PAUSE_S = 1.0
# A server that answers others may still have lost this connection; beyond its limit for statements, it has (s).
MARGIN_S = 3.0
# Dead peers at rest: the first probe, the next ones, how many; and how long sent data may stay unacknowledged (ms).
KEEPALIVES = {"keepalives": 1, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
USER_TIMEOUT_MS = 15_000
# The same on the server's side, so that it gives up the locks of a client that is gone or was frozen in a transaction.
SERVER_SIDE = (
    "SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; "
    "SET idle_in_transaction_session_timeout = '5min'; "
)


class Verdict(Enum):
    """What has become of a connection that waits."""

    SILENT = "nobody is reached"
    IDLE = "the server is there and does nothing for it"
    WORKING = "the server works on it"


class Reachability:
    """Whether the server of one engine answers, as the last attempts to connect have shown. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trial = threading.Lock()
        self._failed_at: float | None = None
        self._why = ""
        # Of several servers the one that the last connection led to.
        self._primary = ("", 0)

    def connect(self, parameters: dict[str, Any]) -> WatchedConnection:
        """A new connection; raises psycopg.OperationalError, at once while another attempt has just failed."""
        if self._failed_at is None:
            return self._connect(parameters)
        if time.monotonic() - self._failed_at < PAUSE_S or not self._trial.acquire(blocking=False):
            raise psycopg.OperationalError(f"the server could not be reached: {self._why}")
        try:
            return self._connect(parameters)
        finally:
            self._trial.release()

    def judge(self, parameters: dict[str, Any], backend: int | None) -> Verdict:
        """What has become of a connection that waits for an answer; ``backend`` is its process on the server.

        One thread at a time tries. Where the server is not reached, the others use its result.
        """
        asked_at = time.monotonic()
        with self._lock:
            if self._failed_at is not None and (self._failed_at > asked_at or asked_at - self._failed_at < PAUSE_S):
                return Verdict.SILENT
            try:
                with self._connect(parameters) as probe:
                    return _state_of(probe, backend)
            except psycopg.Error as error:
                return Verdict.WORKING if _is_refusal(error) else Verdict.SILENT

    def _connect(self, parameters: dict[str, Any]) -> WatchedConnection:
        try:
            connection = WatchedConnection.connect(**_first(self._primary, parameters))
        except psycopg.OperationalError as error:
            self._why = str(error).strip().partition("\n")[0]
            self._failed_at = None if _is_refusal(error) else time.monotonic()
            raise
        self._failed_at, self._primary = None, (connection.info.host, connection.info.port)
        return connection


def _first(server: tuple[str, int], parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters with one of several servers tried first: a host that is gone costs seconds."""
    hosts, ports = (str(parameters.get(name, "")).split(",") for name in ("host", "port"))
    if len(hosts) == 1 or len(hosts) != len(ports):
        return parameters
    ordered = sorted(zip(hosts, ports, strict=True), key=lambda one: one != (server[0], str(server[1])))
    return {**parameters, "host": ",".join(host for host, _ in ordered), "port": ",".join(port for _, port in ordered)}


def _state_of(probe: WatchedConnection, backend: int | None) -> Verdict:
    """Whether a process of the server works on a statement, as far as that is visible."""
    if backend is None:
        return Verdict.WORKING
    row = probe.execute("SELECT state FROM pg_stat_activity WHERE pid = %s", (backend,)).fetchone()
    # The state is null where the server keeps no account of it.
    return Verdict.WORKING if row is not None and row[0] in ("active", None) else Verdict.IDLE


def _is_refusal(error: psycopg.Error) -> bool:
    """Whether the server itself refused a connection (too many, a wrong password) and so is there.

    libpq passes on the text of the refusal alone.
    """
    return "FATAL:" in str(error)


class WatchedConnection(psycopg.Connection[Any]):
    """A connection whose waiting ends where the server is silent for too long."""

    reachability: Reachability | None = None
    parameters: dict[str, Any] = {}  # noqa: RUF012
    limit_s: float | None = None
    # The process on the server; None where it is not known, as behind a pooler.
    backend: int | None = None

    def wait(self, gen: Any, *args: Any, **kw: Any) -> Any:
        """What psycopg waits with; raises psycopg.OperationalError, and the connection is closed."""
        return super().wait(self._watched(gen), *args, **kw)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        try:
            state = next(gen)
            since = tried_at = time.monotonic()
            was_idle = False
            while True:
                ready = yield state
                if ready:
                    since = tried_at = time.monotonic()
                elif self.reachability is not None:
                    now = time.monotonic()
                    if self.limit_s is not None and now - since > self.limit_s:
                        self._give_up(f"no answer within {now - since:.0f} s")
                    if now - tried_at > SILENCE_S:
                        verdict = self.reachability.judge(self.parameters, self.backend)
                        # Once, the answer may be on its way.
                        if verdict is Verdict.SILENT or (verdict is Verdict.IDLE and was_idle):
                            self._give_up(f"no answer for {time.monotonic() - since:.0f} s: {verdict.value}")
                        was_idle, tried_at = verdict is Verdict.IDLE, time.monotonic()
                state = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _give_up(self, why: str) -> None:
        self.pgconn.finish()
        raise psycopg.OperationalError(why)


def watch(engine: Engine, timeout_s: float | None) -> None:
    """Have an engine open watched connections; ``timeout_s`` limits each statement, None does not."""
    reachability = Reachability()

    @event.listens_for(engine, "do_connect")
    def _connect(dialect: Any, record: Any, args: Any, parameters: dict[str, Any]) -> WatchedConnection:
        connection = reachability.connect(parameters)
        connection.parameters = {name: value for name, value in parameters.items() if name != "context"}
        connection.reachability = reachability
        connection.limit_s = timeout_s + MARGIN_S if timeout_s is not None else None
        limit = f"SET statement_timeout = {int(timeout_s * 1000)}" if timeout_s is not None else ""
        try:
            connection.execute(SERVER_SIDE + limit)
            row = connection.execute("SELECT pg_backend_pid()").fetchone()
            connection.commit()
        except psycopg.Error:
            connection.close()
            raise
        if row is not None and row[0] == connection.info.backend_pid:
            connection.backend = row[0]
        return connection


def arguments(query: Any) -> dict[str, Any]:
    """Connection options for libpq in addition to those of the address (``query`` is the URL's)."""
    options: dict[str, Any] = {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "tcp_user_timeout": USER_TIMEOUT_MS,
        "application_name": "skywatch",
        **KEEPALIVES,
    }
    if "," in str(query.get("host", "")) or isinstance(query.get("host"), tuple):
        # Of several servers the primary is the one to talk to, also after they have changed places.
        options["target_session_attrs"] = "read-write"
    return {name: value for name, value in options.items() if name not in query}
