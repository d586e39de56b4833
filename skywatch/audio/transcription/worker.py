"""The service of the worker role that transcribes what is queued, one recording at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from sqlalchemy.orm import Session

from skywatch.audio import metrics
from skywatch.audio.recordings.store import RecordingStore
from skywatch.audio.settings import AudioSettings
from skywatch.audio.transcription import claims
from skywatch.audio.transcription.activity import has_voice
from skywatch.audio.transcription.claims import Claim
from skywatch.audio.transcription.engines import create_engine
from skywatch.audio.transcription.engines.base import Engine, EngineFailed, Segment
from skywatch.audio.transcription.guards import believable
from skywatch.core import health
from skywatch.core.db import reason, writing
from skywatch.core.fault_log import FaultLog
from skywatch.core.runtime import Runtime

log = logging.getLogger(__name__)
COMPONENT = "transcription"
T = TypeVar("T")
# How often the queue is looked at while it is empty (s), and after a fault.
POLL_S, PAUSE_S = 0.5, 2.0
NO_VOICE, NO_WORDS = "No voice was found.", "The engine found no words."
GONE = "The recording is not there any more."


class TranscriptionWorker:
    """Transcribes; without an engine it does nothing."""

    def __init__(self, runtime: Runtime, engine: Engine | None) -> None:
        self._sessions, self._engine = runtime.sessions, engine
        self._store = RecordingStore(runtime.settings)
        self._lease_s = runtime.settings.of(AudioSettings).transcription_lease_s
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="transcription")
        self._task: asyncio.Task[None] | None = None
        self._faults = FaultLog(log, "transcription: failed", "transcription: works again")

    async def start(self) -> None:
        """Begin."""
        if self._engine is not None:
            health.report(COMPONENT, True)
            self._task = asyncio.create_task(self._run(), name="transcription")

    async def stop(self) -> None:
        """End; what is at work is put back."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            health.withdraw(COMPONENT)
        # An engine cannot be interrupted: its thread is left behind, and what it returns is not stored.
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _run(self) -> None:
        while True:
            pause = 0.0
            try:
                held = await self._claim()
                if held is None:
                    pause = POLL_S
                else:
                    await self._transcribe(held)
                if not self._faults.count:
                    health.report(COMPONENT, True)
            except Exception as error:
                # Whatever is wrong with one pass, the queue must be looked at again; a lease runs out by itself.
                self._fault(reason(error), error)
                pause = PAUSE_S
            await asyncio.sleep(pause)

    async def _claim(self) -> Claim | None:
        def run() -> Claim | None:
            # Looks first: an empty queue must not take SQLite's write lock twice a second.
            with self._sessions() as session:
                if not claims.is_anything_due(session):
                    return None
            with writing(self._sessions) as session:
                return claims.claim(session, self._lease_s)

        return await asyncio.get_running_loop().run_in_executor(None, run)

    async def _transcribe(self, held: Claim) -> None:
        renewing = asyncio.create_task(self._renew(held), name="lease of a transmission")
        began = time.perf_counter()
        try:
            segments, why = await asyncio.get_running_loop().run_in_executor(self._threads, self._listen, held)
        except EngineFailed as error:
            metrics.TRANSCRIPTIONS.labels("failed").inc()
            said = str(error)
            self._fault(said)
            await self._in_database(lambda session: claims.fail(session, held, said))
            return
        except FileNotFoundError:
            metrics.TRANSCRIPTIONS.labels("failed").inc()
            await self._in_database(lambda session: claims.fail(session, held, GONE, for_good=True))
            return
        except asyncio.CancelledError:
            await asyncio.shield(self._in_database(lambda session: claims.give_back(session, held)))
            raise
        except Exception as error:
            # A fault of ours or of the engine: the transmission is tried again, and then given up with this reason.
            self._fault(type(error).__name__, error)
            failed = "The service has a fault; see its log."
            await self._in_database(lambda session: claims.fail(session, held, failed))
            return
        finally:
            renewing.cancel()
        metrics.TRANSCRIPTION_SECONDS.observe(time.perf_counter() - began)
        metrics.TRANSCRIPTIONS.labels("done" if segments else "no_speech").inc()
        if segments:
            await self._in_database(lambda session: claims.succeed(session, held, segments))
        else:
            await self._in_database(lambda session: claims.end_without_speech(session, held, why))
        self._faults.succeeded()

    def _listen(self, held: Claim) -> tuple[list[Segment], str]:
        """The segments that were spoken, or why there are none."""
        assert self._engine is not None
        path = self._store.path(held.path)
        if not path.is_file():
            raise FileNotFoundError(path.name)
        if not has_voice(path):
            return [], NO_VOICE
        segments, why = believable(self._engine.transcribe(path, held.media_type))
        return segments, why or NO_WORDS

    async def _renew(self, held: Claim) -> None:
        while True:
            await asyncio.sleep(self._lease_s / 3)
            try:
                await self._in_database(lambda session: claims.renew(session, held, self._lease_s))
            except Exception as error:
                # Tried again at the next turn; a lease that is lost shows when the result is stored.
                self._fault(reason(error), error)

    async def _in_database(self, work: Callable[[Session], T]) -> T:
        def run() -> T:
            with writing(self._sessions) as session:
                return work(session)

        return await asyncio.get_running_loop().run_in_executor(None, run)

    def _fault(self, why: str, error: BaseException | None = None) -> None:
        self._faults.failed(why, error)
        health.report(COMPONENT, False, why)


def create(runtime: Runtime) -> TranscriptionWorker:
    """The worker with the engine that the settings name; raises SettingsError."""
    return TranscriptionWorker(runtime, create_engine(runtime.settings.of(AudioSettings)))
