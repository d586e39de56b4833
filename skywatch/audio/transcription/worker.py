"""The service of the worker role that transcribes what is queued, one recording at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

from sqlalchemy.orm import Session

from skywatch.audio import metrics
from skywatch.audio.recordings.decoder import has_voice
from skywatch.audio.recordings.store import RecordingStore
from skywatch.audio.settings import AudioSettings
from skywatch.audio.transcription import leases
from skywatch.audio.transcription.engines import create_engine
from skywatch.audio.transcription.engines.base import Engine, EngineFailed, Segment
from skywatch.audio.transcription.guards import believable
from skywatch.audio.transcription.leases import LeasedTransmission
from skywatch.core.database.engine import is_outage, outage_of, reason, writing
from skywatch.core.hooks import stored_flights
from skywatch.core.problems import Problem
from skywatch.core.process import tasks
from skywatch.core.runtime import Runtime
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.picture.access import PictureAccess
from skywatch.picture.distribution.follower import PictureFollower
from skywatch.picture.settings import PictureSettings
from skywatch.sentences import sentence

log = logging.getLogger(__name__)
COMPONENT = "transcription"
T = TypeVar("T")
# How often the queue is looked at while it is empty (s), and after a fault.
POLL_S, PAUSE_S = 0.5, 2.0
NO_VOICE, NO_WORDS = "No voice was found.", "The engine found no words."
GONE = "The recording is not there any more."


class TranscriptionWorker:
    """Transcribes what is queued with one engine."""

    def __init__(self, runtime: Runtime, engine: Engine) -> None:
        self._sessions, self._engine = runtime.sessions, engine
        self._flights = stored_flights(runtime.features)
        self._store = RecordingStore(runtime.settings)
        self._lease_s = runtime.settings.of(AudioSettings).transcription_lease_s
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="transcription")
        self._task: asyncio.Task[None] | None = None
        timeout_s = runtime.settings.of(PictureSettings).picture_timeout_s
        self._picture = PictureFollower(runtime.bus, timeout_s, serves=runtime.shared(PictureAccess).may_serve)
        # Each ends with the success of its own: the queue may be empty for long after an outage.
        self._queue_faults = FaultLog(log, "transcription: the queue fails", "transcription: the queue works again")
        self._engine_faults = FaultLog(log, "transcription: the engine fails", "transcription: the engine works again")
        self._queue_why = self._engine_why = ""

    async def start(self) -> None:
        """Begin."""
        await asyncio.to_thread(self._picture.start)
        health.watch(COMPONENT, self.state)
        transcribing = tasks.repeat(self._run, POLL_S, self._queue_fault, first_s=0.0, failing_s=PAUSE_S)
        self._task = asyncio.create_task(transcribing, name="transcription")

    async def stop(self) -> None:
        """End; what is at work is put back."""
        if self._task is not None:
            await tasks.end(self._task)
            health.withdraw(COMPONENT, self.state)
            await asyncio.to_thread(self._picture.close)
        # An engine cannot be interrupted: its thread is left behind, and what it returns is not stored.
        self._threads.shutdown(wait=False, cancel_futures=True)

    def state(self) -> health.State:
        """For health."""
        if self._task is not None and self._task.done():
            return health.State(False, sentence("health.its_task_ended", "its task has ended"))
        if self._queue_faults.count:
            return health.State(False, self._queue_why)
        return health.State(not self._engine_faults.count, self._engine_why if self._engine_faults.count else "")

    async def _run(self) -> float:
        # Whatever fails here: a lease runs out by itself.
        claim = await self._claim()
        if claim is not None:
            await self._transcribe(claim)
        self._queue_faults.succeeded()
        return POLL_S if claim is None else 0.0

    async def _claim(self) -> LeasedTransmission | None:
        def run() -> LeasedTransmission | None:
            # Looks first: an empty queue must not take SQLite's write lock twice a second.
            with self._sessions() as session:
                if not leases.is_anything_due(session):
                    return None
            with writing(self._sessions) as session:
                return leases.claim(session, self._lease_s)

        return await asyncio.get_running_loop().run_in_executor(None, run)

    async def _transcribe(self, claim: LeasedTransmission) -> None:
        # A renewal that fails is tried again; a lease that is lost shows when the result is stored.
        renewals = tasks.repeat(partial(self._renew, claim), self._lease_s / 3, self._queue_fault)
        renewing = asyncio.create_task(renewals, name="lease of a transmission")
        began = time.perf_counter()
        try:
            segments, why = await asyncio.get_running_loop().run_in_executor(self._threads, self._listen, claim)
        except EngineFailed as error:
            metrics.TRANSCRIPTIONS.labels("failed").inc()
            why = str(error)
            self._engine_fault(why)
            await self._in_database(lambda session: leases.fail(session, claim, why))
            return
        except Problem as problem:
            metrics.TRANSCRIPTIONS.labels("failed").inc()
            detail, for_good = problem.detail, problem.kind.status != 503
            await self._in_database(lambda session: leases.fail(session, claim, detail, for_good=for_good))
            return
        except FileNotFoundError:
            metrics.TRANSCRIPTIONS.labels("failed").inc()
            await self._in_database(lambda session: leases.fail(session, claim, GONE, for_good=True))
            return
        except asyncio.CancelledError:
            await asyncio.shield(self._give_back(claim))
            raise
        except Exception as error:
            # A fault of ours or of the engine: the transmission is tried again, and then given up with this reason.
            self._engine_fault(type(error).__name__, error)
            failed = "The service has a fault; see its log."
            await self._in_database(lambda session: leases.fail(session, claim, failed))
            return
        finally:
            renewing.cancel()
        if why != NO_VOICE:
            self._engine_faults.succeeded()
        metrics.TRANSCRIPTION_SECONDS.observe(time.perf_counter() - began)
        metrics.TRANSCRIPTIONS.labels("done" if segments else "no_speech").inc()
        if segments:
            sky = self._picture.sky
            await self._in_database(lambda session: leases.succeed(session, claim, segments, sky, self._flights))
        else:
            await self._in_database(lambda session: leases.end_without_speech(session, claim, why))

    async def _give_back(self, claim: LeasedTransmission) -> None:
        try:
            await self._in_database(lambda session: leases.give_back(session, claim))
        except Exception as error:
            # The worker ends all the same; the lease runs out by itself.
            self._queue_fault(error)

    def _listen(self, claim: LeasedTransmission) -> tuple[list[Segment], str]:
        """The segments that were spoken, or why there are none."""
        path = self._store.path(claim.path)
        if not path.is_file():
            raise FileNotFoundError(path.name)
        if not has_voice(path):
            return [], NO_VOICE
        segments, why = believable(self._engine.transcribe(path, claim.media_type))
        return segments, why or NO_WORDS

    async def _renew(self, claim: LeasedTransmission) -> None:
        await self._in_database(lambda session: leases.renew(session, claim, self._lease_s))

    async def _in_database(self, work: Callable[[Session], T]) -> T:
        def run() -> T:
            with writing(self._sessions) as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(None, run)

    def _queue_fault(self, error: Exception) -> None:
        self._queue_why = reason(error)
        self._queue_faults.failed(self._queue_why, None if is_outage(error) else error, outage_of(error))

    def _engine_fault(self, why: str, error: Exception | None = None) -> None:
        self._engine_why = why
        self._engine_faults.failed(why, error)


def create(runtime: Runtime) -> TranscriptionWorker | None:
    """The worker with the engine that the settings name, None for none; raises SettingsError."""
    engine = create_engine(runtime.settings.of(AudioSettings))
    return None if engine is None else TranscriptionWorker(runtime, engine)
