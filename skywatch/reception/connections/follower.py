"""``ConnectionFollower``: notes once a second which receivers and feeders are connected, and since when."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

from skywatch.core.clock import unix_now
from skywatch.core.database.engine import writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.feeder_streams.installation import InstallationFeeders
from skywatch.receivers.settings import SIMULATOR
from skywatch.reception.connections.storage import Connection, store
from skywatch.system.health.checks import receiver_statuses

EVERY_S = 1.0
# Turns between two writes, and between two at which open connections are written as open.
WRITE_EVERY, RENEW_EVERY = 10, 60
# Changes that wait while the database is away; the oldest go first.
MAX_WAITING = 20_000


class ConnectionFollower:
    """Between ``start`` and ``close``; a connection that begins and ends within a second may be missed."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._feeders = runtime.shared(InstallationFeeders)
        self.log = ConnectionLog()
        self._turns = 0
        self._task = PeriodicTask("quality_connections", EVERY_S, self._work)

    def start(self) -> None:
        """Begin to follow."""
        self._task.start()

    def close(self) -> None:
        """Write what is known; connections of this process end with it, those of ingest processes may go on."""
        self._task.close()
        self._write(is_renewal=True)

    def _work(self) -> None:
        statuses = receiver_statuses(self._runtime)
        simulated = {status.name for status in statuses if status.kind == SIMULATOR}
        self.log.note(self._present(statuses), unix_now(), simulated)
        self._turns += 1
        if self._turns % WRITE_EVERY == 0:
            self._write(is_renewal=self._turns % RENEW_EVERY == 0)

    def _present(self, statuses: Iterable[ReceiverStatus]) -> dict[str, float]:
        """Since when each is connected (unix s), by the name in the picture."""
        present = {link.receiver: link.since for number, link in self._feeders.links().items() if number > 0}
        for status in statuses:
            if status.is_active and status.since is not None:
                present[status.name] = status.since
        return present

    def _write(self, *, is_renewal: bool) -> None:
        changes = self.log.waiting()
        if not changes and not is_renewal and not self.log.is_first:
            return
        with writing(self._runtime.sessions) as session:
            store(session, changes, self.log.open, unix_now(), is_first=self.log.is_first, is_renewal=is_renewal)
        self.log.written(changes)


class ConnectionLog:
    """What is connected, and the connections that changed since they were written; for one thread."""

    def __init__(self) -> None:
        self.open: Mapping[str, float] = {}
        self.is_first = True
        self._waiting: dict[tuple[str, float], Connection] = {}
        # Those of the last moment.
        self._simulated: Set[str] = frozenset()

    def note(self, present: Mapping[str, float], now: float, simulated: Set[str] = frozenset()) -> None:
        """Note what is connected at this moment: since when (unix s), by name; some of them are ``simulated``."""
        if present == self.open:
            return
        for name, since in self.open.items():
            if present.get(name) != since:
                self._add(Connection(name, since, now, is_open=False, simulated=name in self._simulated))
        for name, since in present.items():
            if self.open.get(name) != since:
                self._add(Connection(name, since, now, is_open=True, simulated=name in simulated))
        self.open, self._simulated = present, simulated

    def waiting(self) -> list[Connection]:
        """The changes that are to be written."""
        return list(self._waiting.values())

    def written(self, changes: list[Connection]) -> None:
        """Forget changes that were written."""
        self.is_first = False
        for change in changes:
            del self._waiting[change.receiver, change.since]

    def _add(self, connection: Connection) -> None:
        self._waiting[connection.receiver, connection.since] = connection
        if len(self._waiting) > MAX_WAITING:
            del self._waiting[next(iter(self._waiting))]
