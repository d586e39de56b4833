"""``skywatch`` with a ledger of its processor time: ``python measured.py FIGURES serve FILE.ini [--role ROLE]``.

It is run as a file, with ``PYTHONPATH`` naming the checkout that is measured, so that two releases are measured by the
same ledger. Every thread's time is the system's own (``/proc/self/task``); within the threads that do several things
(the loop, the pool) it is charged to the part that runs: a package of ``skywatch``, a monitor, the collection of
garbage. The sums are written to the file FIGURES once a second.
"""

from __future__ import annotations

import asyncio
import concurrent.futures.thread
import contextlib
import functools
import gc
import importlib
import json
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

EVERY_S = 1.0
# Methods that are parts of their own: module, class, method, label.
PARTS = (
    ("skywatch.receivers.reports.documents", "DocumentReader", "read", "receivers: read aircraft.json"),
    ("skywatch.picture.picture", "Picture", "put", "picture: merge"),
    ("skywatch.picture.picture", "Picture", "tick", "picture: tick"),
    ("skywatch.picture.distribution.publisher", "SkyPublisher", "publish", "picture: publish"),
    ("skywatch.picture.tracker", "Tracker", "_publish_report", "picture: report"),
)


class Ledger:
    """Processor time of this process by thread and part; what runs inside a part is charged to the inner one."""

    def __init__(self) -> None:
        self._local = threading.local()
        # thread -> part -> nanoseconds
        self.times: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))

    def enter(self, part: str) -> None:
        """From now on this thread works on a part."""
        stack = self._stack()
        now = time.thread_time_ns()
        if stack:
            self._charge(stack, now)
        self._local.since = now
        stack.append(part)

    def leave(self) -> None:
        """Back to the part before."""
        stack = self._stack()
        now = time.thread_time_ns()
        self._charge(stack, now)
        self._local.since = now
        stack.pop()

    @contextlib.contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Everything within is a part."""
        self.enter(name)
        try:
            yield
        finally:
            self.leave()

    def _stack(self) -> list[str]:
        stack: list[str] | None = getattr(self._local, "stack", None)
        if stack is None:
            stack = self._local.stack = []
            self._local.times = self.times[kind_of(threading.current_thread().name)]
        return stack

    def _charge(self, stack: list[str], now: int) -> None:
        self._local.times[stack[-1]] += now - self._local.since


def kind_of(name: str) -> str:
    """The name of a thread without its number: ``waitress-3`` and ``waitress-1`` are one kind."""
    return name.rstrip("0123456789").rstrip("-_.") or name


def package_of(work: Any) -> str:
    """What a callback, a task or a connection works for: the package of ``skywatch`` whose code it is."""
    while isinstance(work, functools.partial):
        # contextvars' Context.run is around what asyncio.to_thread runs.
        work = work.args[0] if work.args and getattr(work.func, "__name__", "") == "run" else work.func
    owner = getattr(work, "__self__", None)
    if isinstance(owner, asyncio.Task):
        coroutine = owner.get_coro()
        code = getattr(coroutine, "cr_code", None) or getattr(coroutine, "gi_code", None)
        return package_of_file(code.co_filename) if code is not None else "asyncio"
    protocol = getattr(owner, "_protocol", None)
    if protocol is not None:
        return package_of_module(type(protocol).__module__)
    module = type(owner).__module__ if owner is not None else getattr(work, "__module__", "") or ""
    return package_of_module(module)


def package_of_module(module: str) -> str:
    """``skywatch.realtime.subscribers.hub`` is ``realtime``."""
    words = module.split(".")
    return words[1] if words[0] == "skywatch" and len(words) > 1 else words[0] or "asyncio"


def package_of_file(path: str) -> str:
    """The same of a file of code."""
    words = Path(path).parts
    if "skywatch" in words:
        within = words[len(words) - words[::-1].index("skywatch") :]
        return within[0].removesuffix(".py") if within else "skywatch"
    return "asyncio" if "asyncio" in words else Path(path).stem


def _around(ledger: Ledger, owner: Any, name: str, label: Callable[..., str]) -> None:
    """Make a method of a class a part of its own."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def within(*arguments: Any, **named: Any) -> Any:
        ledger.enter(label(*arguments))
        try:
            return original(*arguments, **named)
        finally:
            ledger.leave()

    setattr(owner, name, within)


def install(ledger: Ledger) -> None:
    """Let the loop, the pool, the monitors and the parts above charge their time."""
    from waitress.task import WSGITask

    from skywatch.picture.running_monitors import RunningMonitors

    _around(ledger, asyncio.Handle, "_run", lambda handle: package_of(handle._callback))
    work_item: Any = concurrent.futures.thread._WorkItem
    _around(ledger, work_item, "run", lambda item: package_of(functools.partial(item.fn, *item.args)))
    _around(ledger, RunningMonitors, "_observe", lambda monitors, name, *others: f"monitor {name}")
    _around(ledger, WSGITask, "service", lambda task: f"api: {task.request.command} {_kind_of_path(task.request.path)}")
    for module, owner, name, label in PARTS:
        _around(ledger, getattr(importlib.import_module(module), owner), name, functools.partial(_named, label))

    def collecting(phase: str, information: dict[str, int]) -> None:
        if phase == "start":
            ledger.enter("garbage collection")
        else:
            ledger.leave()

    gc.callbacks.append(collecting)


def _kind_of_path(path: str) -> str:
    """Without the API's prefix, and with ``-`` for what names one thing."""
    words = path.removeprefix("/api/v1").strip("/").split("/")
    return "/" + "/".join("-" if set(word) & set("0123456789") else word for word in words)


def _named(label: str, *arguments: Any) -> str:
    return label


def threads() -> dict[str, float]:
    """Processor seconds of the living threads by their kind, as the system counts them."""
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    found: dict[str, float] = defaultdict(float)
    for task in Path("/proc/self/task").iterdir():
        try:
            on_processor_ns = int((task / "schedstat").read_text().split()[0])
        except OSError:
            continue  # it has ended
        found[kind_of(names.get(int(task.name), "without Python"))] += on_processor_ns / 1e9
    return found


def figures(ledger: Ledger) -> dict[str, Any]:
    """What there is to say now."""
    memory = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    parts = {thread: {part: ns / 1e9 for part, ns in times.copy().items()} for thread, times in ledger.times.items()}
    return {
        "at": time.time(),
        "process_s": time.process_time(),
        "threads": threads(),
        "parts": parts,
        "rss_mb": int(memory["VmRSS"].split()[0]) / 1024,
        "anon_mb": int(memory["RssAnon"].split()[0]) / 1024,
        "peak_mb": int(memory["VmHWM"].split()[0]) / 1024,
    }


def report(ledger: Ledger, path: Path) -> None:
    """Write the figures again and again."""
    written = path.with_suffix(".new")
    while True:
        written.write_text(json.dumps(figures(ledger)))
        written.replace(path)
        time.sleep(EVERY_S)


def main() -> None:
    """Run the command with the ledger."""
    path = Path(sys.argv.pop(1))
    # The folder of this file must not be searched for modules.
    sys.path[:] = [entry for entry in sys.path if Path(entry or os.curdir).resolve() != Path(__file__).parent]
    from skywatch.cli import main as skywatch

    ledger = Ledger()
    install(ledger)
    threading.Thread(target=report, args=(ledger, path), name="ledger", daemon=True).start()
    skywatch()


if __name__ == "__main__":
    main()
