"""``InputRunner``: runs the inputs of the features on the tracker's loop and publishes their states once a second.

An input that fails is reported and the others go on; what the console adds, changes or removes is followed within
seconds. Receivers are run by the tracker, whose picture they fill.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence

import msgspec

from skywatch.core.bus import Bus, Message, topics
from skywatch.core.clock import unix_now
from skywatch.core.hooks import opened_families
from skywatch.core.process import tasks
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.inputs import metrics
from skywatch.inputs.base import Input, InputStatus
from skywatch.inputs.running_inputs import RunningInputs, described_failures
from skywatch.sentences import sentence
from skywatch.settings import SettingsError, names_of

log = logging.getLogger(__name__)

EVENT = "status"
PUBLISH_EVERY_S = FOLLOW_EVERY_S = 1.0
COMPONENT = "input_tasks"
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(list[InputStatus])


class UnusableInput:
    """Stands for an input that cannot be opened."""

    def __init__(self, status: InputStatus) -> None:
        self.status = status

    async def run(self) -> None:
        """Wait to be cancelled."""
        await asyncio.Event().wait()


class InputRunner:
    """Runs inputs between ``start`` and ``stop``; with ``declared`` they follow what that returns (name -> text).

    ``declared`` is called in a thread, ``open_one`` as by ``RunningInputs``.
    """

    def __init__(
        self,
        bus: Bus,
        inputs: Mapping[str, Input],
        declared: Callable[[], Mapping[str, str]] | None = None,
        open_one: Callable[[str, str], Input] | None = None,
    ) -> None:
        self._bus = bus
        self._declared = declared
        self._running: RunningInputs[Input] = RunningInputs(open_one or _refuse, lambda source: source.run(), _unusable)
        texts = declared() if declared is not None else {}
        for name, source in inputs.items():
            self._running.add(name, source, texts.get(name, ""))
        self._tasks: list[asyncio.Task[None]] = []
        self._faults = FaultLog(log, "the states of inputs cannot be published", "the states of inputs are published")
        self._follow_faults = FaultLog(log, "changed inputs are not followed", "changed inputs are followed")

    async def start(self) -> None:
        """Start the inputs; none is waited for."""
        self._running.start()
        publishing = tasks.repeat(self._publish, PUBLISH_EVERY_S, self._faults, first_s=0.0)
        self._tasks = [asyncio.create_task(publishing, name="states of inputs")]
        if self._declared is not None:
            following = tasks.repeat(self._follow, FOLLOW_EVERY_S, self._follow_faults)
            self._tasks.append(asyncio.create_task(following, name="settings of inputs"))

    async def stop(self) -> None:
        """Stop the inputs."""
        await tasks.end(*self._tasks)
        await self._running.stop()
        health.withdraw(COMPONENT)

    def statuses(self) -> list[InputStatus]:
        """The state of every input."""
        return [source.status for source in self._running]

    async def _follow(self) -> None:
        assert self._declared is not None
        # In a thread: now and then it asks the database.
        for name in await self._running.follow(await asyncio.to_thread(self._declared)):
            _forget(name)

    async def _publish(self) -> None:
        statuses = self.statuses()
        self._report(statuses)
        self._bus.publish(Message(topics.INPUTS, EVENT, _encoder.encode(statuses), snapshot=True))

    def _report(self, statuses: Sequence[InputStatus]) -> None:
        for status in statuses:
            measure(status)
        if statuses or self._follow_faults.count:
            # Inputs end by themselves only by a fault; one that was read to its end says so in its state.
            detail = self._follow_faults.description or described_failures(self._running.failures)
            health.report(COMPONENT, not detail, detail, inputs=len(statuses))
        else:
            health.withdraw(COMPONENT)


def declared_inputs(runtime: Runtime) -> dict[str, str]:
    """The inputs of all features that the settings in force name: full name (``acars.vhf``) -> text."""
    settings = runtime.current
    fields = names_of(type(settings)).families
    return {
        prefix + name: text
        for prefix in opened_families(runtime.features)
        for name, text in getattr(settings, fields[prefix]).items()
    }


def open_declared(runtime: Runtime, full_name: str, text: str) -> Input:
    """Open the input of a feature by its full name; raises SettingsError."""
    prefix, name = _split(full_name)
    opened: Input = opened_families(runtime.features)[prefix](runtime, name, text)
    return opened


def open_inputs(runtime: Runtime) -> dict[str, Input]:
    """The inputs of all features that the settings name; raises SettingsError that names the first wrong one.

    What the database holds may be wrong: such an input is shown as failed, and nothing else is stopped by it.
    """
    opened: dict[str, Input] = {}
    for full_name, text in declared_inputs(runtime).items():
        try:
            opened[full_name] = open_declared(runtime, full_name, text)
        except SettingsError as error:
            if runtime.current.sources.get(full_name) != "database":
                raise
            log.error("%s", error)
            opened[full_name] = _unusable(full_name, error.reason)
    return opened


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


def _forget(full_name: str) -> None:
    prefix, name = _split(full_name)
    metrics.forget(prefix.removesuffix("."), name)


def _split(full_name: str) -> tuple[str, str]:
    prefix, dot, name = full_name.partition(".")
    return prefix + dot, name


def _unusable(full_name: str, reason: str) -> Input:
    prefix, name = _split(full_name)
    family = prefix.removesuffix(".")
    status = InputStatus(name, "unknown", "", family, "failed", last_error_at=unix_now())
    status.set_error(reason)
    return UnusableInput(status)


def _refuse(full_name: str, text: str) -> Input:
    raise SettingsError(full_name, sentence("input.not_while_running", "cannot be opened while the service runs"))
