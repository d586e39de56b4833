"""``IngestService``: the role ``ingest``. It keeps nothing: what it loses are the seconds until feeders connect again.

With ``bus = memory`` the tracker listens itself and this service does nothing.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Sequence

from skywatch.core.bus import Message, Subscription, topics
from skywatch.core.bus.base import call_on_loop
from skywatch.core.process import tasks
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.feeders.ingest.connected_feeders import ConnectedFeeders
from skywatch.inputs.running_inputs import RunningInputs
from skywatch.picture.declared import declared_listeners, open_declared_of, unusable, use_settings
from skywatch.picture.settings import PictureSettings
from skywatch.receivers.base import Receiver
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.factory import open_receiver
from skywatch.receivers.feeder_streams.hub import feeder_hub
from skywatch.receivers.feeder_streams.message_codec import FeederMessage, decode_addresses, encode
from skywatch.receivers.feeder_streams.reduction import Reduction
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
        self._hub = runtime.shared(feeder_hub)
        self._process = secrets.token_hex(8)
        self.claims = ConnectedFeeders(runtime.bus, self._hub, self._process)
        self._receivers: RunningInputs[Receiver] = RunningInputs(
            self._open, lambda receiver: receiver.run(_NoSink()), unusable
        )
        self._admission = PeriodicTask(COMPONENT, EVERY_S, self._work)
        self._heard: Subscription | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turns = 0
        self._following: asyncio.Task[None] | None = None
        self._heard_faults = FaultLog(log, "heard addresses are refused", "heard addresses are read again")
        self._faults = FaultLog(log, "changed settings are not followed", "changed settings are followed")
        if self._is_needed:
            open_declared_of(self._receivers, runtime.current, declared_listeners(runtime.current), self._open)

    async def start(self) -> None:
        """Listen; raises what the bus raises."""
        if not self._is_needed:
            return
        self._loop = asyncio.get_running_loop()
        await asyncio.to_thread(self.claims.start)
        await asyncio.to_thread(self._follow_heard)
        await asyncio.to_thread(self._admission.start, EVERY_S)
        self._receivers.start()
        following = tasks.repeat(self._follow, FOLLOW_EVERY_S, self._faults)
        self._following = asyncio.create_task(following, name="settings of listeners")

    async def stop(self) -> None:
        """Admit no feeder any more; feeders connect to other processes."""
        if not self._is_needed:
            return
        if self._following is not None:
            await tasks.end(self._following)
        await self._receivers.stop()
        await asyncio.to_thread(self._admission.close)
        await asyncio.to_thread(self.claims.close)
        if self._heard is not None:
            await asyncio.to_thread(self._heard.close)

    @property
    def _station(self) -> tuple[float, float] | None:
        return self._runtime.current.of(PictureSettings).station

    def _work(self) -> None:
        self._hub.read()
        self._turns += 1
        if self._turns % RENEW_EVERY == 0:
            self.claims.renew()

    def _follow_heard(self) -> None:
        """Follow which addresses the tracker has heard: they cost no feeder its limit."""
        self._heard = self._runtime.bus.subscribe((topics.HEARD_ADDRESSES,), self._hear)
        last = self._runtime.bus.last(topics.HEARD_ADDRESSES)
        if last is not None:
            self._hear(last)

    def _hear(self, message: Message) -> None:
        """In a thread of the bus."""
        try:
            addresses = decode_addresses(message.data)
            self._heard_faults.succeeded()
        except ValueError as error:
            # Without it the limit counts more than it should, and nothing is lost that others hear.
            self._heard_faults.failed(str(error))
            return
        if self._loop is not None:
            call_on_loop(self._loop, self._hub.limit.hear, addresses)

    def _publish(self, reduction: Reduction) -> None:
        message = FeederMessage(
            self._process, reduction, [receiver.status for receiver in self._receivers], sorted(self._hub.take_copied())
        )
        self._runtime.bus.publish(Message(topics.FEEDER_REPORTS, "second", encode(message)))

    def _open(self, full_name: str, text: str) -> Receiver:
        context = ReceiverContext(
            settings=self._runtime.current.of(ReceiverSettings),
            feeders=self._hub,
            consume=self._publish,
            may_enter=self.claims.may_enter,
        )
        return open_receiver(full_name.removeprefix("receiver."), text, self._station, context)

    async def _follow(self) -> None:
        current = await asyncio.to_thread(lambda: self._runtime.current)
        await self._receivers.follow(declared_listeners(current))
        use_settings(self._receivers, current.of(ReceiverSettings))


class _NoSink:
    """Where nothing arrives: the hub passes everything on."""

    def put(self, receiver: str, reports: Sequence[Report], messages: int, positions: int = 0) -> None:
        """Take nothing."""


def create(runtime: Runtime) -> IngestService:
    """The service of this installation."""
    return IngestService(runtime)
