"""The process that ``tests.prefork`` starts: it has imported Skywatch, and forks to run a module on request.

A request is one datagram: module, arguments, environment and folder as JSON, with the three standard files. Each
answer is one, too: ``{"pid"}`` of what was started, and ``{"pid", "code", "processor_s"}`` once it has ended. The
process ends with the socket of the tests, and ends what is still running.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import importlib
import json
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Iterator
from typing import Any

import skywatch

FILES = 3
MAX_BYTES = 1 << 16
# Their imports are for people who work on Skywatch, or their packages are not installed everywhere.
# Start threads of their own when they are imported, which a fork does not have: its end would abort.
THREADED = ("pyarrow", "ctranslate2", "faster_whisper", "soundfile")
LEFT_OUT = ("skywatch.__main__", "skywatch.client", "skywatch.cli.new_feature")


def main() -> None:
    """Serve the socket of file descriptor ``argv[1]``; in a process that was forked, run its module."""
    import_all()
    with socket.socket(fileno=int(sys.argv[1])) as channel:
        request = serve(channel)
    if request is not None:
        sys.argv = [request["module"], *request["arguments"]]
        os._exit(run(request["module"]))


def run(module: str) -> int:
    """Run a module to its end, with that of its threads and exit functions; its exit code.

    The interpreter ends without destructors of C++: they abort where a library has lost its threads by the fork.
    """
    code: object = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return code or 0


def import_all() -> None:
    """Import what a service and the commands may need; what cannot be imported is left to who needs it."""
    sys.modules.update(dict.fromkeys(THREADED))  # type: ignore[arg-type]
    for module in pkgutil.walk_packages(skywatch.__path__, "skywatch.", onerror=lambda name: None):
        if not module.name.startswith(LEFT_OUT):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    for name in THREADED:
        del sys.modules[name]


def serve(channel: socket.socket) -> dict[str, Any] | None:
    """Fork for each request; the request in a child, None when the tests are over."""
    wake, waker = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(waker, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    # What interrupts the tests at a terminal ends them, and then this.
    interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    running: set[int] = set()
    signal.set_wakeup_fd(waker)
    while True:
        ready, _, _ = select.select([channel, wake], [], [])
        if wake in ready:
            with contextlib.suppress(BlockingIOError):
                os.read(wake, MAX_BYTES)
        for pid, code, processor_s in ended():
            running.discard(pid)
            channel.send(json.dumps({"pid": pid, "code": code, "processor_s": processor_s}).encode())
        if channel not in ready:
            continue
        request, files = receive(channel)
        if not request:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
            return None
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, interrupt)
            os.close(wake)
            os.close(waker)
            return take_over(json.loads(request), files)
        running.add(pid)
        for file in files:
            os.close(file)
        channel.send(json.dumps({"pid": pid}).encode())


def receive(channel: socket.socket) -> tuple[bytes, list[int]]:
    """A request and its files; empty at the end."""
    files = array.array("i")
    data, ancillary, _, _ = channel.recvmsg(MAX_BYTES, socket.CMSG_SPACE(FILES * files.itemsize))
    for level, kind, content in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            files.frombytes(content)
    return data, list(files)


def ended() -> Iterator[tuple[int, int, float]]:
    """Processes that have ended, with their exit codes as ``subprocess`` gives them, and their processor seconds."""
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status, used = os.wait4(-1, os.WNOHANG)
            if not pid:
                return
            yield pid, os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime


def take_over(request: dict[str, Any], files: list[int]) -> dict[str, Any]:
    """Take over files, folder and environment of a request."""
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    return request


if __name__ == "__main__":
    main()
