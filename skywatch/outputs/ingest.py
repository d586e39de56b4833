"""The service in the role ingest: hands out the frames of the feeders that are connected to this process.

With a bus between processes feeders connect to the role ingest, so that outputs of the kind ``mlat`` are opened there:
each process opens the ports of its own feeders. Other outputs of frames are the tracker's and have no frames of
feeders, which is logged at the start.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial

from skywatch.core.database.engine import report_fault
from skywatch.core.process import tasks
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.inputs.base import InputStatus
from skywatch.inputs.retrying_input import InputError
from skywatch.inputs.running_inputs import RunningInputs
from skywatch.outputs.hub import FRAME_FORMS
from skywatch.outputs.mlat import MLAT, MlatOutput, open_mlat_output
from skywatch.outputs.settings import OutputSettings
from skywatch.receivers.feeder_streams.hub import FeederHub, feeder_hub
from skywatch.settings import Settings, SettingsError

log = logging.getLogger(__name__)
FAMILY = "output."
FOLLOW_EVERY_S = 1.0


class _UnusableOutput(MlatOutput):
    """Stands for an output that cannot be opened."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(name, ("", 0), (), FeederHub())
        self._why = why

    async def session(self) -> None:
        """Raises InputError."""
        raise InputError(self._why)


class IngestOutputs:
    """Runs between ``start`` and ``stop``; with ``bus = memory`` the outputs of the tracker's process do this."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.outputs: RunningInputs[MlatOutput] = RunningInputs(
            self._open, lambda output: output.run(), lambda name, why: _UnusableOutput(_short(name), why)
        )
        self._following: asyncio.Task[None] | None = None
        self._faults = FaultLog(log, "frames of feeders are not handed out", "frames of feeders are handed out again")

    async def start(self) -> None:
        """Open what is declared, and follow the settings."""
        if self._runtime.bus.carries_objects:
            return
        self.outputs.start()
        for name in without_feeders(self._runtime.current):
            log.warning(
                "output.%s has the frames of receivers only: an output of the kind mlat has those of feeders", name
            )
        following = tasks.repeat(self._follow, FOLLOW_EVERY_S, partial(report_fault, self._faults), first_s=0.0)
        self._following = asyncio.create_task(following, name="outputs of feeders")

    async def stop(self) -> None:
        """Close all ports."""
        if self._following is not None:
            await tasks.end(self._following)
        await self.outputs.stop()

    def _open(self, full_name: str, text: str) -> MlatOutput:
        try:
            return open_mlat_output(_short(full_name), text.split()[1:], self._runtime.shared(feeder_hub))
        except ValueError as error:
            raise SettingsError(full_name, str(error)) from None

    async def _follow(self) -> None:
        current = await asyncio.to_thread(lambda: self._runtime.current)
        await self.outputs.follow(declared_mlat(current))
        self._note([output.status for output in self.outputs])

    def _note(self, statuses: list[InputStatus]) -> None:
        problems = [f"output.{status.name}: {status.last_error}" for status in statuses if status.last_error]
        if problems:
            self._faults.failed("; ".join(problems))
        else:
            self._faults.succeeded()


def declared_mlat(settings: Settings) -> Mapping[str, str]:
    """Full name and text of the outputs that an ingest process opens."""
    outputs = settings.of(OutputSettings).outputs
    return {FAMILY + name: text for name, text in outputs.items() if text.split()[:1] == [MLAT]}


def without_feeders(settings: Settings) -> list[str]:
    """The names of outputs of frames that have no frames of feeders where these connect to other processes."""
    outputs = settings.of(OutputSettings).outputs
    return [name for name, text in outputs.items() if text.split() and text.split()[0] in FRAME_FORMS]


def _short(full_name: str) -> str:
    return full_name.removeprefix(FAMILY)


def create(runtime: Runtime) -> IngestOutputs:
    """The service of this feature in the role ingest."""
    return IngestOutputs(runtime)
