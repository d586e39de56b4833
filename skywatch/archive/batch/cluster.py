"""A Dask cluster: tasks go to its scheduler, which tries those of a worker that dies with another one."""

from __future__ import annotations

import importlib
import logging
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from skywatch.archive.batch.planner import Planned
from skywatch.archive.batch.pool import Result, Tell
from skywatch.archive.batch.task import Outcome
from skywatch.archive.errors import ArchiveError

CONNECT_S, WORKERS_S, LOOK_S = 10.0, 30.0, 2.0
# Tasks that wait with the scheduler for each thread of a worker, so that none is idle.
WAITING = 2


class ClusterError(ArchiveError):
    """The cluster cannot be used; ``str()`` is one line."""


def require_dask() -> None:
    """Raise ClusterError where the extra is not installed."""
    from importlib.util import find_spec

    if find_spec("distributed") is None:
        raise ClusterError("--scheduler needs the extra: pip install 'skywatch[batch]'")


class DaskCluster:
    """The workers of the scheduler at ``url``; ``function`` does an encoded task and can be imported by all of them."""

    def __init__(self, url: str, function: Callable[[bytes], bytes], tell: Tell) -> None:
        require_dask()
        # Partly typed: what it returns is checked here.
        self._dask: Any = importlib.import_module("distributed")
        # What it logs at the end of connections is told in a line of ours.
        for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self._url, self._function, self._tell = url, function, tell
        try:
            self._client = self._dask.Client(url, timeout=CONNECT_S)
        except (OSError, ValueError, TimeoutError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:150]
            raise ClusterError(f"there is no Dask scheduler at {url}: {reason}") from None
        try:
            self._client.wait_for_workers(1, timeout=WORKERS_S)
        except TimeoutError:
            self.close()
            raise ClusterError(f"the Dask scheduler at {url} has no workers") from None
        self._workers = self._threads()

    def run(self, tasks: Iterator[Planned]) -> Iterator[Result]:
        """The outcome of each task as it comes."""
        running: dict[Any, Planned] = {}
        is_over = False
        try:
            while True:
                while not is_over and len(running) < max(1, WAITING * sum(self._workers.values())):
                    planned = next(tasks, None)
                    is_over = planned is None
                    if planned is not None:
                        running[self._submit(planned)] = planned
                if not running:
                    return
                try:
                    done = self._dask.wait(list(running), timeout=LOOK_S, return_when="FIRST_COMPLETED").done
                except TimeoutError:
                    done = set()
                self._look()
                for future in done:
                    yield running.pop(future), self._outcome(future)
        finally:
            for future in running:
                future.cancel(force=True)

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close(timeout=5)

    def _submit(self, planned: Planned) -> Any:
        key = f"skywatch-{planned.task.job}-{planned.day.isoformat()}-{uuid.uuid4().hex[:12]}"
        data = msgspec.msgpack.encode(planned.task)
        return self._client.submit(self._function, data, key=key, pure=False)

    def _outcome(self, future: Any) -> Outcome:
        if future.status in ("cancelled", "lost"):
            raise ClusterError(f"the Dask scheduler at {self._url} has gone")
        try:
            return msgspec.msgpack.decode(future.result(), type=Outcome)
        except self._dask.KilledWorker as error:
            count = error.allowed_failures + 1
            return Outcome(fault=f"its workers ended {count} times: they were killed, or had too little memory")
        except Exception as error:
            text = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            return Outcome(fault=f"the workers cannot do it: {text} (is Skywatch installed there?)")

    def _threads(self) -> dict[str, int]:
        try:
            threads: dict[str, int] = self._client.nthreads()
        except Exception as error:
            # Whatever its client raises when the scheduler has gone.
            raise ClusterError(f"the Dask scheduler at {self._url} has gone: {type(error).__name__}") from None
        return threads

    def _look(self) -> None:
        """Tell of workers that have gone or come."""
        before, self._workers = self._workers, self._threads()
        for worker in sorted(before.keys() - self._workers.keys()):
            self._tell(f"The Dask worker {worker} has gone; its days are tried again by others.")
        for worker in sorted(self._workers.keys() - before.keys()):
            self._tell(f"The Dask worker {worker} has come.")
