"""The worker: looks for channels that have something due, and serves each in a task of its own.

Channels that fail have places of their own, so that however many are down, those that work are served at once. Within
a channel one message is in flight at a time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.core import health, tasks
from skywatch.core.bus.base import Subscription
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.db import outage_of, reason, writing
from skywatch.core.fault_log import FaultLog
from skywatch.core.health import State
from skywatch.core.runtime import Runtime
from skywatch.notify import claims, metrics, results
from skywatch.notify.claims import Claim, DueChannel
from skywatch.notify.outbox import WAKE_TOPIC
from skywatch.notify.senders.base import Outcome, Sender, SendFailed
from skywatch.notify.vocabulary import ChannelKind

log = logging.getLogger(__name__)
T = TypeVar("T")
COMPONENT = "deliveries"
# New deliveries wake the worker over the bus; what the bus lost, and retries, are found after this time (s).
POLL_S = 0.5
# After a fault, such as one of the database (s).
PAUSE_S = 2.0
# No sender may take longer (s): a lease lasts 30 s.
LONGEST_SEND_S = 20.0
# What is in flight has so long to end when the worker is told to stop (s).
STOP_S = 5.0
# Messages after which a channel is looked at anew.
TURN = 50
MOST_CHANNELS = 500
DATABASE_THREADS = 4
# Channels served at a time, by whether Apprise (a process each) sends and whether the channel fails.
PLACES: Mapping[tuple[bool, bool], int] = {
    (False, False): 64, (False, True): 16, (True, False): 4, (True, True): 2,
}  # fmt: skip


class DeliveryWorker:
    """Delivers what the outbox holds, on the event loop of ``start``."""

    def __init__(self, runtime: Runtime, senders: Mapping[str, Sender]) -> None:
        self._runtime = runtime
        self._senders = dict(senders)
        self._database = ThreadPoolExecutor(DATABASE_THREADS, thread_name_prefix="deliveries")
        self._awake = asyncio.Event()
        self._places = dict(PLACES)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._main: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        # Each has its own end: a database that can be read may still refuse the lease of a channel.
        self._looking = FaultLog(log, "deliveries: cannot read the channels", "deliveries: read the channels again")
        self._serving = FaultLog(log, "deliveries: they wait", "deliveries: they go out again")
        self._sending = FaultLog(log, "deliveries: a sender has a fault", "deliveries: all senders work again")
        self._why = ""
        self._waking: Subscription | None = None

    async def start(self) -> None:
        """Begin to deliver."""
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._awake.set)

        # In a thread: the bus may wait a moment for its server.
        self._waking = await asyncio.to_thread(self._runtime.bus.subscribe, [WAKE_TOPIC], lambda _: wake(), wake)
        health.watch(COMPONENT, self._state)
        self._main = asyncio.create_task(self._run(), name="deliveries")

    async def stop(self) -> None:
        """End; what is in flight has a few seconds, and is put back then."""
        if self._waking is not None:
            self._waking.close()
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
                # One that cannot be closed must not keep the others open.
                self._failed(self._serving, error)
        await asyncio.get_running_loop().run_in_executor(None, self._database.shutdown)
        health.withdraw(COMPONENT, self._state)

    async def _run(self) -> None:
        while True:
            pause = POLL_S
            try:
                self._awake.clear()
                if not await self._dispatch():
                    self._serving.succeeded()
                self._looking.succeeded()
            except Exception as error:
                # Whatever is wrong in one pass, deliveries must go on with the next.
                self._failed(self._looking, error)
                pause = PAUSE_S
            try:
                await asyncio.wait_for(self._awake.wait(), pause)
            except TimeoutError:
                pass

    async def _dispatch(self) -> bool:
        """Begin to serve every channel that has something due and finds a place; returns whether one is served."""

        def look(session: Session) -> list[DueChannel]:
            return claims.due_channels(session, utcnow(), MOST_CHANNELS)

        due = await self._in_database(look, write=False)
        for channel in due:
            place = (channel.kind == ChannelKind.APPRISE, channel.failing)
            if channel.id in self._tasks or self._places[place] <= 0:
                continue
            self._places[place] -= 1
            task = asyncio.create_task(self._serve(channel.id), name=f"channel {channel.id}")
            self._tasks[channel.id] = task
            metrics.IN_FLIGHT.inc()
            task.add_done_callback(lambda _, channel=channel, place=place: self._served(channel, place))  # type: ignore[misc]
        return bool(due or self._tasks)

    def _served(self, channel: DueChannel, place: tuple[bool, bool]) -> None:
        del self._tasks[channel.id]
        self._places[place] += 1
        metrics.IN_FLIGHT.dec()
        self._awake.set()

    async def _serve(self, channel_id: int) -> None:
        """Send what is due on one channel, one message after the other."""
        lease: str | None = None
        try:
            for _ in range(TURN):
                made = await self._in_database(
                    lambda session, lease=lease: claims.claim(session, self._runtime.settings, channel_id, lease)  # type: ignore[misc]
                )
                self._serving.succeeded()
                if made is None:
                    return
                lease = made.lease
                if not await self._attempt(made) or self._stopping.is_set():
                    break
            held = lease or ""
            await self._in_database(lambda session: claims.release(session, channel_id, held))
        except Exception as error:
            # Whatever it is, the other channels go on; what was in flight is sent again, with its id, when the lease
            # has run out. The channel may still be due: the pause keeps its place, so that it does not begin at once.
            self._failed(self._serving, error)
            await self._pause()

    async def _pause(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), PAUSE_S)

    async def _attempt(self, made: Claim) -> bool:
        """Send one message and record what came of it; returns whether it was accepted."""
        kind, began = made.recipient.kind, unix_now()
        try:
            claims.check_readable(made.recipient)
            async with asyncio.timeout(LONGEST_SEND_S):
                outcome = await self._senders[kind].send(made.recipient, made.message)
        except asyncio.CancelledError:
            await asyncio.shield(self._in_database(lambda session: results.abandon(session, made)))
            raise
        except SendFailed as failure:
            await self._record_failure(made, failure)
            return False
        except TimeoutError:
            await self._record_failure(made, SendFailed(f"No answer within {LONGEST_SEND_S:g} s."))
            return False
        except Exception as error:
            # A fault of ours: the channel's owner is told no internals, and the delivery is tried again.
            why = f"channel {made.recipient.channel_id}, {kind}: {type(error).__name__}"
            self._sending.failed(why, error)
            await self._record_failure(made, SendFailed("The service has a fault; see its log."))
            return False
        self._sending.succeeded()
        metrics.DELIVERY_SECONDS.labels(kind).observe(max(0.0, unix_now() - began))
        metrics.DELIVERIES.labels(kind, "delivered").inc()
        await self._record_success(made, outcome)
        return True

    async def _record_success(self, made: Claim, outcome: Outcome) -> None:
        settings = self._runtime.settings
        await self._in_database(lambda session: results.delivered(session, settings, made, outcome))

    async def _record_failure(self, made: Claim, failure: SendFailed) -> None:
        metrics.DELIVERIES.labels(made.recipient.kind, "failed").inc()
        if await self._in_database(lambda session: results.failed(session, made, failure)):
            log.warning("channel %d is disabled: %s", made.recipient.channel_id, failure)

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
        self._why = reason(error) if expected else type(error).__name__
        faults.failed(self._why, None if expected else error, outage_of(error))

    def _state(self) -> State:
        """For health: asked from any thread."""
        faults = self._looking.count + self._serving.count
        detail = f"deliveries wait: {self._why}" if faults else ""
        if self._main is not None and self._main.done() and not self._stopping.is_set():
            detail = "their task has ended"
        return State(not detail, detail, {"faults": float(faults), "in_flight": float(len(self._tasks))})


def create(runtime: Runtime) -> DeliveryWorker:
    """The worker with a sender for each kind of channel."""
    from skywatch.notify.senders.all import create_senders

    return DeliveryWorker(runtime, create_senders(runtime))


__all__: list[Any] = ["DeliveryWorker", "create"]
