"""A signal ends the process, whichever of its threads the system gives it to."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.deep("starts a process")

SERVICE = """
    import signal, sys, threading
    from skywatch.serving.shutdown import Shutdown

    Shutdown().install()
    other = threading.Thread(target=threading.Event().wait, daemon=True)
    other.start()
    try:
        print("waits", flush=True)
        threading.Timer(0.2, lambda: signal.pthread_kill(other.ident, {number})).start()
        threading.Event().wait()
    except KeyboardInterrupt:
        print("ends", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_that_another_thread_gets_ends_the_main_thread(number):
    code = textwrap.dedent(SERVICE.format(number=int(number)))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "waits\nends\n", "")
