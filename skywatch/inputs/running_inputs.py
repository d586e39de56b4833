"""``RunningInputs``: one task for each input, and the inputs follow what the settings declare while the service runs.

An input that is newly declared is started, one that is declared no more is ended, one whose text differs is opened
again; the others are left alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Generic, TypeVar

from skywatch.core.process import tasks
from skywatch.inputs.retrying_input import one_line
from skywatch.settings import SettingsError

log = logging.getLogger(__name__)
T = TypeVar("T")
# So many inputs that have failed are named.
MAX_NAMES = 5


class RunningInputs(Generic[T]):
    """``open_one`` opens an input by its full name (``receiver.roof``) and text or raises SettingsError; ``run`` reads
    it until cancelled; ``unusable`` stands for one that cannot be opened, with the reason."""

    def __init__(
        self,
        open_one: Callable[[str, str], T],
        run: Callable[[T], Coroutine[Any, Any, None]],
        unusable: Callable[[str, str], T],
    ) -> None:
        self._open_one = open_one
        self._run = run
        self._unusable = unusable
        self._inputs: dict[str, T] = {}
        self._texts: dict[str, str] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._started = False

    def __iter__(self) -> Any:
        return iter(list(self._inputs.values()))

    def add(self, name: str, source: T, text: str = "") -> None:
        """Take an input that is open already."""
        self._inputs[name], self._texts[name] = source, text
        if self._started:
            self._tasks[name] = task = asyncio.create_task(self._run(source), name=f"input {name}")
            task.add_done_callback(_log_end)

    def start(self) -> None:
        """Start all; none is waited for."""
        self._started = True
        for name, source in list(self._inputs.items()):
            self.add(name, source, self._texts[name])

    async def follow(self, declared: Mapping[str, str], *, reopen: bool = False) -> list[str]:
        """Make the inputs those that are declared (full name -> text); returns the names of those that were ended.

        With ``reopen`` all are opened again.
        """
        ended = [name for name, text in self._texts.items() if reopen or declared.get(name) != text]
        await tasks.end(*(self._tasks[name] for name in ended if name in self._tasks))
        # Not before they have ended: whoever is cancelled meanwhile leaves them to ``stop``.
        for name in ended:
            self._tasks.pop(name, None)
            del self._inputs[name], self._texts[name]
        for name, text in declared.items():
            if name not in self._inputs:
                try:
                    source = self._open_one(name, text)
                except SettingsError as error:
                    log.error("%s", error)
                    source = self._unusable(name, error.reason)
                except Exception as error:
                    # A fault of the program in one input must not keep the others from being followed.
                    log.exception("input %s cannot be opened", name)
                    source = self._unusable(name, one_line(error))
                self.add(name, source, text)
        return ended

    async def stop(self) -> None:
        """End all of them."""
        await tasks.end(*self._tasks.values())
        self._tasks.clear()

    @property
    def failures(self) -> list[str]:
        """The names of those that have ended by a fault."""
        ended = {name: task for name, task in self._tasks.items() if task.done() and not task.cancelled()}
        return [name for name, task in ended.items() if task.exception() is not None]


def described_failures(names: Sequence[str]) -> str:
    """Inputs that have ended by a fault, for health; empty without any."""
    if not names:
        return ""
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"ended by a fault of the program: {', '.join(sorted(names)[:MAX_NAMES])}{more}"


def _log_end(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("%s ended", task.get_name(), exc_info=task.exception())
