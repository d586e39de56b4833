"""``InputRunner``: runs the inputs of the features on the tracker's loop and publishes their states once a second.

An input that fails is reported and the others go on. Receivers are run by the tracker, whose picture they fill.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import msgspec

from skywatch.core import health
from skywatch.core.bus import Bus, Message, topics
from skywatch.core.fault_log import FaultLog
from skywatch.core.runtime import Runtime
from skywatch.inputs import metrics
from skywatch.inputs.base import Input, InputStatus
from skywatch.settings import names_of

log = logging.getLogger(__name__)

EVENT = "status"
PUBLISH_EVERY_S = 1.0
COMPONENT = "input_tasks"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(list[InputStatus])


class InputRunner:
    """Runs inputs between ``start`` and ``stop``."""

    def __init__(self, bus: Bus, inputs: Sequence[Input]) -> None:
        self._bus = bus
        self._inputs = list(inputs)
        self._tasks: list[asyncio.Task[None]] = []
        self._faults = FaultLog(log, "the states of inputs cannot be published", "the states of inputs are published")

    async def start(self) -> None:
        """Start the inputs; none is waited for."""
        for one in self._inputs:
            status = one.status
            task = asyncio.create_task(one.run(), name=f"input {status.family}.{status.name}")
            task.add_done_callback(_log_end)
            self._tasks.append(task)
        publishing = asyncio.create_task(self._publish_for_ever(), name="states of inputs")
        publishing.add_done_callback(_log_end)
        self._tasks.append(publishing)

    async def stop(self) -> None:
        """Stop the inputs."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks.clear()
        health.withdraw(COMPONENT)

    def statuses(self) -> list[InputStatus]:
        """The state of every input."""
        return [one.status for one in self._inputs]

    async def _publish_for_ever(self) -> None:
        while True:
            try:
                statuses = self.statuses()
                self._report(statuses)
                self._bus.publish(Message(topics.INPUTS, EVENT, _encoder.encode(statuses), snapshot=True))
                self._faults.succeeded()
            except Exception as error:
                # Whatever is wrong with one state, the next second brings them anew.
                self._faults.failed(str(error), error)
            await asyncio.sleep(PUBLISH_EVERY_S)

    def _report(self, statuses: Sequence[InputStatus]) -> None:
        for status in statuses:
            measure(status)
        if statuses:
            # Inputs end by themselves only by a fault; one that was read to its end says so in its state.
            failed = sum(task.done() and task.exception() is not None for task in self._tasks)
            health.report(COMPONENT, not failed, f"{failed} have failed" if failed else "", inputs=len(statuses))


def open_inputs(runtime: Runtime) -> list[Input]:
    """The inputs of all features that the settings name; raises SettingsError that names the first wrong one."""
    fields = names_of(type(runtime.settings)).families
    return [
        open_one(runtime, name, text)
        for prefix, open_one in runtime.features.inputs().items()
        for name, text in getattr(runtime.settings, fields[prefix]).items()
    ]


def published_statuses(bus: Bus) -> list[InputStatus]:
    """The states that the tracker published last."""
    message = bus.last(topics.INPUTS)
    if message is None:
        return []
    try:
        return _decoder.decode(message.data)
    except msgspec.MsgspecError:
        return []  # Another version, about to be replaced.


def measure(status: InputStatus) -> None:
    """Put the state of one input into the metrics."""
    labels = (status.family, status.name)
    metrics.INPUT_UP.labels(*labels).set(status.is_active)
    metrics.INPUT_RECEIVED.labels(*labels).set(status.messages)
    metrics.INPUT_STORED.labels(*labels).set(status.stored)
    metrics.INPUT_DROPPED.labels(*labels).set(status.dropped)
    metrics.INPUT_REFUSED.labels(*labels).set(status.refused)
    metrics.INPUT_INVALID.labels(*labels).set(sum(status.invalid.values()))
    metrics.INPUT_RECONNECTS.labels(*labels).set(status.reconnects)


def _log_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("%s ended", task.get_name(), exc_info=task.exception())
