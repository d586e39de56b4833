"""Runs the roles of one process: the tracker, the real-time server and the features' services share one asyncio loop
in a thread of its own, the REST API has waitress and its threads.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import signal
import threading
import time
from collections.abc import Awaitable, Coroutine, Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.core.hooks import RunningService, Service
from skywatch.core.process import tasks
from skywatch.core.runtime import Runtime
from skywatch.http.settings import HttpSettings
from skywatch.inputs.runner import InputRunner, declared_inputs, open_declared, open_inputs
from skywatch.picture.hooks import PictureMonitor
from skywatch.settings import Role, SettingsError

if TYPE_CHECKING:
    from skywatch.core.election.tracker_election import OnlyTracker
    from skywatch.picture.monitor import Monitor

log = logging.getLogger(__name__)
# How often a service that waits for this process to lead looks (s).
LEADS_EVERY_S = 0.1
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 15.0
# Each service has at least this long to stop, however long others took (s).
MIN_STOP_S = 0.2


class TrackerService:
    """The tracker and the features' services of its role as one part; its task ends only when it is stopped.

    ``runtime`` is the fenced one.
    """

    def __init__(self, runtime: Runtime) -> None:
        from skywatch.core.election.tracker_election import OnlyTracker
        from skywatch.picture.tracker import Tracker

        self._runtime = runtime
        self._only = runtime.shared(OnlyTracker)
        self._tracker = Tracker(runtime, self._monitors() if self._only.is_leading else ())
        self._services: list[RunningService] = _provided_services(runtime, "tracker")
        self._started: list[RunningService] = []
        self._task: asyncio.Task[None] | None = None

    def _monitors(self) -> list[Monitor]:
        monitors = (hook.create(self._runtime) for hook in self._runtime.features.provided(PictureMonitor))
        return [monitor for monitor in monitors if monitor is not None]

    async def start(self) -> None:
        """Start the features' services of this role, then tracking; raises what a service raised.

        Where another tracker leads, only the picture is kept warm until this one does.
        """
        if self._only.is_leading:
            await self._start_services()
            tracking = self._tracker.run()
        else:
            tracking = self._stand_by()
        self._task = asyncio.create_task(tracking, name="tracker")
        self._task.add_done_callback(_end_process)

    def _prepare(self) -> None:
        """Load what monitors need and what takes a second, while there is time."""
        for hook in self._runtime.features.provided(PictureMonitor):
            try:
                if hook.prepare is not None:
                    hook.prepare()
            except Exception:
                # The monitor will say so itself, and does without.
                log.exception("a monitor cannot be prepared")

    async def _stand_by(self) -> None:
        preparing = asyncio.create_task(asyncio.to_thread(self._prepare), name="monitors are prepared")
        try:
            await self._tracker.stand_by()
        finally:
            # What is not loaded yet is not waited for: monitors load it as in a tracker that leads from the start.
            preparing.cancel()
        await self._tracker.run(self._begin_to_lead)

    async def _begin_to_lead(self) -> list[Monitor]:
        """The monitors, made now, so that they read what the tracker before has written; the services have started."""
        monitors = await asyncio.to_thread(self._monitors)
        await self._start_services()
        return monitors

    async def _start_services(self) -> None:
        try:
            for service in self._services:
                await service.start()
                self._started.append(service)
        except BaseException:
            # Not the tracker: this may be called by it, and its task ends the process.
            started, self._started = self._started, []
            await asyncio.gather(*map(_stop_safely, started))
            raise

    async def stop(self) -> None:
        """End tracking and the services; what monitors and services accepted is written.

        All at the same time: each may wait for the database, and a process has 20 s to stop.
        """
        stops: list[Awaitable[Any]] = [_stop_safely(service) for service in self._started]
        if self._task is not None:
            self._task.remove_done_callback(_end_process)
            self._task.cancel()
            stops.append(asyncio.gather(self._task, return_exceptions=True))
        self._started = []
        await asyncio.gather(*stops)


class WhenLeading:
    """A service that starts once this process leads, so that no two processes of an installation run it."""

    def __init__(self, only: OnlyTracker, service: RunningService) -> None:
        self._only = only
        self._service = service
        self._is_started = False
        self._waiting: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start now or later; raises what the service raised where it starts now."""
        if self._only.is_leading:
            await self._start()
        else:
            self._waiting = asyncio.create_task(self._wait(), name=f"{type(self._service).__name__} when leading")
            self._waiting.add_done_callback(_end_process_on_fault)

    async def _wait(self) -> None:
        while not self._only.is_leading:
            await asyncio.sleep(LEADS_EVERY_S)
        await self._start()

    async def _start(self) -> None:
        await self._service.start()
        self._is_started = True

    async def stop(self) -> None:
        """Stop what was started."""
        if self._waiting is not None:
            await tasks.end(self._waiting)
        if self._is_started:
            await self._service.stop()


class RealtimeService:
    """The real-time channel as a part."""

    def __init__(self, runtime: Runtime) -> None:
        from skywatch.realtime.server import RealtimeServer

        self._address = runtime.settings.of(HttpSettings).realtime_listen
        self._server = RealtimeServer(runtime, runtime.shared(Authenticator))

    async def start(self) -> None:
        """Listen; raises SettingsError if the address is not available."""
        try:
            await self._server.start()
        except OSError as error:
            raise SettingsError("realtime_listen", f"{self._address} cannot be opened: {error}") from None

    async def stop(self) -> None:
        """Disconnect the clients, which reconnect later."""
        await self._server.stop()


async def _stop_safely(service: RunningService) -> None:
    """Stop a service; its error is logged, so that the others stop too."""
    try:
        await service.stop()
    except Exception:
        log.exception("%s did not stop cleanly", type(service).__name__)


def _end_process(task: asyncio.Task[None]) -> None:
    """End the process when the tracker fails, so that the supervisor restarts it."""
    log.critical("the tracker has ended", exc_info=task.exception() if not task.cancelled() else None)
    os.kill(os.getpid(), signal.SIGTERM)


def _end_process_on_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _end_process(task)


def _tracker_services(runtime: Runtime) -> Iterator[RunningService]:
    """The tracker with the features' services of its role, and the inputs, which are stopped first.

    All of them get the fenced means: nothing of them is written once another tracker has taken over.
    """
    from skywatch.core.election.tracker_election import OnlyTracker

    only = runtime.shared(OnlyTracker)
    runtime = runtime.fenced(only.fence)
    yield TrackerService(runtime)
    inputs = InputRunner(
        runtime.bus,
        open_inputs(runtime),
        functools.partial(declared_inputs, runtime),
        functools.partial(open_declared, runtime),
    )
    yield WhenLeading(only, inputs)


def create_services(runtime: Runtime, roles: Sequence[Role]) -> list[RunningService]:
    """The parts on the loop that these roles need, in the order they start."""
    runtime.features.load_metrics()
    services: list[RunningService] = []
    if "tracker" in roles:
        services.extend(_tracker_services(runtime))
    if "realtime" in roles:
        services.append(RealtimeService(runtime))
    others = [role for role in roles if role != "tracker"]
    for role in others:
        services.extend(_provided_services(runtime, role))
    return services


def _provided_services(runtime: Runtime, role: Role) -> list[RunningService]:
    services = (hook.create(runtime) for hook in runtime.features.provided(Service) if hook.role == role)
    return [service for service in services if service is not None]


class LoopThread:
    """An asyncio loop in a thread of its own, and the services on it."""

    def __init__(self, services: Sequence[RunningService]) -> None:
        self._services = list(services)
        self._started: list[RunningService] = []
        self._starting: tuple[RunningService, Future[None]] | None = None
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="loop", daemon=True)

    def start(self) -> None:
        """Start the loop and every service; raises what a service raised."""
        self._thread.start()
        for service in self._services:
            self._starting = service, self._submit(service.start())
            try:
                self._starting[1].result(START_TIMEOUT_S)
            except Exception:
                self._starting = None
                raise
            self._started.append(service)
            self._starting = None

    def stop(self, within_s: float = STOP_TIMEOUT_S) -> None:
        """Stop the services in reverse order, then the loop, within a time for all together; faults are logged."""
        deadline = time.monotonic() + within_s
        self._finish_start(within_s)
        for service in reversed(self._started):
            try:
                self._submit(service.stop()).result(max(deadline - time.monotonic(), MIN_STOP_S))
            except TimeoutError:
                log.error("%s did not stop in time and is abandoned", type(service).__name__)
            except Exception:
                # An error in one service must not prevent the others from stopping.
                log.exception("%s did not stop cleanly", type(service).__name__)
        self._started.clear()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(max(deadline - time.monotonic(), MIN_STOP_S))

    def _finish_start(self, within_s: float) -> None:
        """Wait for a start that a signal has interrupted: what it has begun is stopped like the rest."""
        if self._starting is None:
            return
        service, start = self._starting
        self._starting = None
        try:
            start.result(within_s)
        except Exception as error:
            log.warning("%s was interrupted at its start and is abandoned: %r", type(service).__name__, error)
        else:
            self._started.append(service)

    def _submit(self, coroutine: Coroutine[Any, Any, None]) -> Future[None]:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()
