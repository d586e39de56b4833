"""A fault that repeats takes a few lines of the log, and none of them is lost without a count."""

import io
import logging

import pytest

from skywatch.core.telemetry import log_limiter, logs


@pytest.fixture
def lines(monkeypatch):
    root = logging.getLogger()
    handlers, filters, level = list(root.handlers), list(root.filters), root.level
    stream, clock = io.StringIO(), [1000.0]
    monkeypatch.setattr(log_limiter.time, "monotonic", lambda: clock[0])
    logs.set_up("info", "text", stream)
    yield clock, lambda: stream.getvalue().splitlines()
    logging.captureWarnings(False)
    root.handlers[:], root.filters[:] = handlers, filters
    root.setLevel(level)


def fail(number=0):
    try:
        raise ValueError(number)
    except ValueError:
        logging.getLogger("t").exception("request %s failed: %s", f"id-{number}", "x")


@pytest.mark.deep("costs over a processor second")
def test_one_fault_takes_a_few_lines_a_minute_and_is_counted(lines):
    clock, read = lines
    for number in range(5000):
        fail(number)
    assert len([line for line in read() if line.startswith("20")]) == log_limiter.OF_CALL_SITE["fault"]
    assert sum("Traceback" in line for line in read()) == 1
    clock[0] += 60
    fail(1)
    assert f"({5000 - log_limiter.OF_CALL_SITE['fault']} more like it were not logged in 60 s)" in read()[-1]


def test_all_faults_together_stay_under_twenty_lines_and_each_is_shown_once(lines):
    _, read = lines
    program = "\n".join(f"log.error('fault %s %d', 'part', {n})" for n in range(15))
    code = compile(program, "many.py", "exec")
    for _ in range(100):
        exec(code, {"log": logging.getLogger("many")})
    assert len(read()) <= 20
    assert {line.rpartition(" ")[2] for line in read()} == {str(n) for n in range(15)}


def test_different_parts_at_one_place_are_told_apart(lines):
    _, read = lines
    for _ in range(10):
        for part in ("roof", "barn"):
            logging.getLogger("t").warning("%s: cannot connect", part)
    assert [line.split()[3] for line in read()] == ["roof:", "barn:", "roof:", "barn:"]


def test_ordinary_lines_and_the_end_of_a_process_are_shown(lines):
    _, read = lines
    for number in range(50):
        logging.getLogger("t").info("receiver %d connected", number)
        logging.getLogger("t").critical("ends")
    assert len(read()) == 100
