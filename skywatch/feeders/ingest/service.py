"""``IngestService``: the role ``ingest``. It keeps nothing: what it loses are the seconds until feeders connect again.

With ``bus = memory`` the tracker listens itself and this service does nothing.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence

from skywatch.core.bus import Message, topics
from skywatch.core.database.engine import reason
from skywatch.core.process import tasks
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.core.runtime import Runtime
from skywatch.feeders.ingest.claims import FeederClaims
from skywatch.feeders.models import admitted
from skywatch.inputs.running import RunningInputs
from skywatch.picture.declared import declared_listeners, open_declared_of, unusable, use_settings
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.base import Receiver
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.ingest.encoding import FeederMessage, encode
from skywatch.receivers.ingest.reduction import Reduction
from skywatch.receivers.listening.hub import FeederHub
from skywatch.receivers.receiver import RetryingReceiver
from skywatch.receivers.reports.report import Report
from skywatch.receivers.settings import ReceiverSettings

log = logging.getLogger(__name__)
COMPONENT = "feeders_ingest"
EVERY_S, RENEW_EVERY, FOLLOW_EVERY_S = 1.0, 5, 1.0


class IngestService:
    """Runs between ``start`` and ``stop``."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._is_needed = not runtime.bus.carries_objects
        self._hub = runtime.shared(FeederHub)
        self._process = secrets.token_hex(8)
        self._claims = FeederClaims(runtime.bus, self._hub, self._process)
        self._receivers: RunningInputs[Receiver] = RunningInputs(self._open, self._run_receiver, unusable)
        self._admission = PeriodicTask(COMPONENT, EVERY_S, self._work)
        self._turns = 0
        self._following: asyncio.Task[None] | None = None
        self._faults = FaultLog(log, "changed settings are not followed", "changed settings are followed")
        if self._is_needed:
            open_declared_of(self._receivers, runtime.current, declared_listeners(runtime.current), self._station)

    async def start(self) -> None:
        """Listen; raises what the bus raises."""
        if not self._is_needed:
            return
        self._hub.loop = asyncio.get_running_loop()
        self._hub.consume = self._publish
        self._hub.may_enter = self._claims.may_enter
        await asyncio.to_thread(self._claims.start)
        await asyncio.to_thread(self._admission.start, EVERY_S)
        self._receivers.start()
        self._following = asyncio.create_task(self._follow_forever(), name="settings of listeners")

    async def stop(self) -> None:
        """Admit no feeder any more; feeders connect to other processes."""
        if not self._is_needed:
            return
        if self._following is not None:
            await tasks.end(self._following)
        await self._receivers.stop()
        await asyncio.to_thread(self._admission.close)
        await asyncio.to_thread(self._claims.close)

    @property
    def _station(self) -> tuple[float, float] | None:
        return self._runtime.current.of(PictureSettings).station

    def _work(self) -> None:
        with self._runtime.sessions() as session:
            self._hub.replace(admitted(session))
        self._turns += 1
        if self._turns % RENEW_EVERY == 0:
            self._claims.renew()

    def _publish(self, reduction: Reduction) -> None:
        message = FeederMessage(
            self._process, reduction, [receiver.status for receiver in self._receivers], sorted(self._hub.take_copied())
        )
        self._runtime.bus.publish(Message(topics.FEEDER_REPORTS, "second", encode(message)))

    def _open(self, full_name: str, text: str) -> Receiver:
        return open_receiver(full_name.removeprefix("receiver."), text, self._station)

    async def _run_receiver(self, receiver: Receiver) -> None:
        if isinstance(receiver, RetryingReceiver):
            receiver.join(self._hub, self._runtime.current.of(ReceiverSettings))
        await receiver.run(_NoSink())

    async def _follow_forever(self) -> None:
        while True:
            await asyncio.sleep(FOLLOW_EVERY_S)
            try:
                current = await asyncio.to_thread(lambda: self._runtime.current)
                await self._receivers.follow(declared_listeners(current))
                use_settings(self._receivers, current.of(ReceiverSettings))
                self._faults.succeeded()
            except Exception as error:
                # Running listeners continue; the next second retries.
                self._faults.failed(reason(error), error)


class _NoSink:
    """Where nothing arrives: the hub passes everything on."""

    def put(self, receiver: str, reports: Sequence[Report], messages: int, positions: int = 0) -> None:
        """Take nothing."""


def create(runtime: Runtime) -> IngestService:
    """The service of this installation."""
    return IngestService(runtime)
