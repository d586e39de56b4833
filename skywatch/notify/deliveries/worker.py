"""The worker: polls for channels with due deliveries, and serves each in its own task.

Failing channels have slots of their own, so that however many are down, working ones are served at once. Slots are
divided by person. Each channel has one message in flight at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.core.bus.base import Subscription
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import outage_of, reason, writing
from skywatch.core.limits import FairSlots
from skywatch.core.process import tasks
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.notify import metrics
from skywatch.notify.deliveries import leases, results
from skywatch.notify.deliveries.leases import DueChannel, LeasedMessage
from skywatch.notify.deliveries.outbox import WAKE_TOPIC
from skywatch.notify.senders.base import UNREACHABLE, Outcome, Sender, SendFailed
from skywatch.notify.user_rights import people
from skywatch.notify.vocabulary import ChannelKind
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
T = TypeVar("T")
COMPONENT = "deliveries"
# New deliveries wake the worker over the bus; polling finds retries and whatever the bus lost (s).
POLL_S = 0.5
# Pause after a fault, such as one of the database (s).
PAUSE_S = 2.0
# Time limit of a sender (s), within the lease of 30 s.
MAX_SEND_S = 20.0
# Time that messages in flight have to end when the worker stops (s).
STOP_S = 5.0
# Messages after which a channel gives up its slot.
TURN = 50
MAX_CHANNELS = 500
DATABASE_THREADS = 4
# Channels served at a time, of one person at most half, by (sent by Apprise, which takes a process each; is failing).
SLOTS: Mapping[tuple[bool, bool], int] = {
    (False, False): 64, (False, True): 16, (True, False): 4, (True, True): 2,
}  # fmt: skip


class DeliveryWorker:
    """Sends the deliveries of the outbox, on the event loop of ``start``."""

    def __init__(self, runtime: Runtime, senders: Mapping[str, Sender] | None = None) -> None:
        """Without ``senders`` there is one for each kind of channel, from the first message on."""
        self._runtime = runtime
        self._senders = dict(senders) if senders is not None else {}
        self._creating = asyncio.Lock()
        self._database = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="deliveries")
        self._awake = asyncio.Event()
        self._slots: dict[tuple[bool, bool], FairSlots[DueChannel]] = {
            slot: FairSlots(most, lambda _, most=most: most // 2)  # type: ignore[misc]
            for slot, most in SLOTS.items()
        }
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._main: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        # Logged separately: a database that can be read may still refuse the lease of a channel.
        self._polling = FaultLog(log, "deliveries: cannot read the channels", "deliveries: read the channels again")
        self._serving = FaultLog(log, "deliveries are delayed", "deliveries are sent again")
        self._sending = FaultLog(log, "deliveries: a sender has a fault", "deliveries: all senders work again")
        self._fault = ""
        self._wake_up: Subscription | None = None

    async def start(self) -> None:
        """Start delivering."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._awake.set)

        # In a thread: subscribing may block until the bus server answers.
        self._wake_up = await asyncio.to_thread(self._runtime.bus.subscribe, [WAKE_TOPIC], lambda _: wake(), wake)
        health.watch(COMPONENT, self._state)
        delivering = tasks.repeat(
            self._run, POLL_S, partial(self._failed, self._polling), first_s=0.0, failing_s=PAUSE_S, wake=self._awake
        )
        self._main = asyncio.create_task(delivering, name="deliveries")

    async def stop(self) -> None:
        """Stop; messages in flight have a few seconds to end, then their deliveries become pending again."""
        if self._wake_up is not None:
            self._wake_up.close()
        self._stopping.set()
        if self._main is not None:
            await tasks.end(self._main)
        if self._tasks:
            _, late = await asyncio.wait(list(self._tasks.values()), timeout=STOP_S)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for sender in self._senders.values():
            try:
                await sender.close()
            except Exception as error:
                # A sender that cannot be closed must not keep the others open.
                self._failed(self._serving, error)
        await asyncio.get_running_loop().run_in_executor(None, self._database.shutdown)
        health.withdraw(COMPONENT, self._state)

    async def _run(self) -> None:
        if not await self._dispatch():
            self._serving.succeeded()
        self._polling.succeeded()

    async def _dispatch(self) -> bool:
        """Start serving every channel that has due deliveries and a free slot; returns whether one is served."""

        def query(session: Session) -> tuple[list[DueChannel], dict[int, str]]:
            due = leases.due_channels(session, utcnow(), MAX_CHANNELS)
            return due, people(session, self._runtime.settings, [channel.user_id for channel in due])

        due, persons = await self._in_database(query, write=False)
        for slots in self._slots.values():
            slots.clear()
        for channel in due:
            if channel.id not in self._tasks:
                slots = self._slots[channel.kind == ChannelKind.APPRISE, channel.failing]
                slots.put(persons[channel.user_id], channel)
        for slots in self._slots.values():
            for channel in slots.begin():
                self._begin(channel, slots, persons[channel.user_id])
        return bool(due or self._tasks)

    def _begin(self, channel: DueChannel, slots: FairSlots[DueChannel], person: str) -> None:
        task = self._tasks[channel.id] = asyncio.create_task(
            self._serve(channel.id, person), name=f"channel {channel.id}"
        )
        metrics.IN_FLIGHT.inc()
        task.add_done_callback(lambda _: self._served(channel, slots, person))

    def _served(self, channel: DueChannel, slots: FairSlots[DueChannel], person: str) -> None:
        del self._tasks[channel.id]
        slots.leave(person)
        metrics.IN_FLIGHT.dec()
        self._awake.set()

    async def _serve(self, channel_id: int, person: str) -> None:
        """Send the due deliveries of one channel, one message after the other."""
        lease: str | None = None
        try:
            for _ in range(TURN):
                claim = await self._in_database(
                    lambda session, lease=lease: leases.claim(session, self._runtime.settings, channel_id, lease)  # type: ignore[misc]
                )
                self._serving.succeeded()
                if claim is None:
                    return
                lease = claim.lease
                if not await self._attempt(claim, person) or self._stopping.is_set():
                    break
            final_lease = lease or ""
            await self._in_database(lambda session: leases.release(session, channel_id, final_lease))
        except Exception as error:
            # Catches everything: other channels continue. The message in flight is sent again under its id when the
            # lease has expired. The channel may still be due: the pause keeps its slot, or it would be retried at once.
            self._failed(self._serving, error)
            await self._pause()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), PAUSE_S)

    async def _attempt(self, claim: LeasedMessage, person: str) -> bool:
        """Send one message and record the result; returns whether it was accepted."""
        kind, begin = claim.recipient.kind, unix_now()
        try:
            leases.check_readable(claim.recipient)
            async with asyncio.timeout(MAX_SEND_S):
                sender = await self._sender(kind)
                outcome = await sender.send(replace(claim.recipient, person=person), claim.message)
        except asyncio.CancelledError:
            await asyncio.shield(self._in_database(lambda session: results.abandon(session, claim)))
            raise
        except SendFailed as failure:
            await self._record_failure(claim, failure)
            return False
        except TimeoutError:
            await self._record_failure(claim, SendFailed(UNREACHABLE, cause=f"no answer within {MAX_SEND_S:g} s"))
            return False
        except Exception as error:
            # An internal fault: the owner gets no details of it, and the delivery is retried.
            fault = f"channel {claim.recipient.channel_id}, {kind}: {type(error).__name__}"
            self._sending.failed(fault, error)
            await self._record_failure(claim, SendFailed("The service has a fault; see its log."))
            return False
        self._sending.succeeded()
        metrics.DELIVERY_SECONDS.labels(kind).observe(max(0.0, unix_now() - begin))
        metrics.DELIVERIES.labels(kind, "delivered").inc()
        await self._record_success(claim, outcome)
        return True

    async def _sender(self, kind: str) -> Sender:
        """In a thread: the libraries of the senders take 0.1 s and more to import, and certificates to read.

        Whoever has no channel needs none of it.
        """
        async with self._creating:
            if not self._senders:
                self._senders = await asyncio.to_thread(_create_senders, self._runtime)
        return self._senders[kind]

    async def _record_success(self, claim: LeasedMessage, outcome: Outcome) -> None:
        settings = self._runtime.settings
        await self._in_database(lambda session: results.delivered(session, settings, claim, outcome))

    async def _record_failure(self, claim: LeasedMessage, failure: SendFailed) -> None:
        metrics.DELIVERIES.labels(claim.recipient.kind, "failed").inc()
        if await self._in_database(lambda session: results.failed(session, claim, failure)):
            log.warning("channel %d is disabled: %s", claim.recipient.channel_id, failure.cause)
        else:
            log.info("channel %d: %s", claim.recipient.channel_id, failure.cause)

    async def _in_database(self, work: Callable[[Session], T], *, write: bool = True) -> T:
        def run() -> T:
            if write:
                with writing(self._runtime.sessions) as session:
                    return work(session)
            with self._runtime.sessions() as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(self._database, run)

    def _failed(self, faults: FaultLog, error: BaseException) -> None:
        expected = isinstance(error, SQLAlchemyError)
        self._fault = reason(error) if expected else type(error).__name__
        faults.failed(self._fault, None if expected else error, outage_of(error))

    def _state(self) -> State:
        """For health; called from any thread."""
        faults = self._polling.count + self._serving.count
        detail = sentence("notify.deliveries_wait", "deliveries wait: {fault}", fault=self._fault) if faults else ""
        if self._main is not None and self._main.done() and not self._stopping.is_set():
            detail = sentence("health.task_ended", "the task has ended")
        return State(not detail, detail, {"faults": float(faults), "in_flight": float(len(self._tasks))})


def _create_senders(runtime: Runtime) -> dict[str, Sender]:
    from skywatch.notify.senders.all import create_senders

    return create_senders(runtime)


def create(runtime: Runtime) -> DeliveryWorker:
    """The worker with a sender for each kind of channel."""
    return DeliveryWorker(runtime)


__all__: list[Any] = ["DeliveryWorker", "create"]
