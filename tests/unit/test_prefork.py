"""Forked commands behave as those that a new interpreter runs: output, exit code, environment, signals."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import prefork, shortcuts
from tests.prefork import ROOT
from tests.processes import ENVIRONMENT, SKYWATCH, run_command
from tests.waiting import until

WRONG = ("settings", "/nowhere/skywatch.ini")


@pytest.mark.deep("costs over a processor second")
def test_a_command_answers_as_in_a_new_interpreter():
    fresh = subprocess.run([*SKYWATCH, *WRONG], env=ENVIRONMENT, capture_output=True, text=True, check=False)
    forked = run_command(*WRONG)
    assert fresh.returncode == 1
    assert (forked.returncode, forked.stdout, forked.stderr) == (fresh.returncode, fresh.stdout, fresh.stderr)


def test_a_command_reads_its_input_and_its_environment():
    frame = "8D40621D58C382D690C8AC2863A7"
    assert "40621d" in run_command("decode", "-", stdin=f"*{frame};\n").stdout.lower()
    assert "_SKYWATCH_COMPLETE" in run_command(_SKYWATCH_COMPLETE="bash_source").stdout


def test_the_processor_time_of_what_has_ended_is_counted():
    if not shortcuts.taken:
        pytest.skip("--plain: nothing is forked")
    before = prefork.processor_s()
    run_command("decode", "-", stdin="*8D40621D58C382D690C8AC2863A7;\n")
    assert prefork.processor_s() > before


@pytest.fixture
def waiting(tmp_path):
    """A command that waits for input, and where it may write."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as nothing, (tmp_path / "log.txt").open("wb") as log:
        process = prefork.start(["decode", "-"], ENVIRONMENT, [nothing, log, log])
        yield process
        process.kill()
        process.wait()
    os.close(writing)


def test_a_running_command_has_no_exit_code(waiting):
    assert waiting.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        waiting.wait(0.01)


def test_the_exit_code_of_a_killed_command_is_its_signal(waiting):
    waiting.kill()
    assert waiting.wait() == waiting.poll() == -signal.SIGKILL
    # What has ended gets no signal.
    waiting.terminate()


def test_what_a_module_prints_is_read():
    process = prefork.start_module("this", environment=ENVIRONMENT)
    assert "Zen of Python" in process.stdout.read()
    assert process.wait() == 0
    process.stdout.close()


LEAVE = """
import os
from tests import prefork, shortcuts
print(prefork.start(["decode", "-"], dict(os.environ), [0, 2, 2]).pid, flush=True)
os._exit(0)
"""


def test_nothing_outlives_the_tests():
    command = [sys.executable, "-c", LEAVE]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as left:
        pid = int(left.stdout.readline())
        until(lambda: not Path(f"/proc/{pid}").exists(), "the end of what was started")
