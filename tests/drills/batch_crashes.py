"""``make drill NAME=batch-crashes``: kills a batch and its workers; the results are those of an undisturbed run.

The command is killed (-9) at any time and run again until it ends by itself; then workers of a pool and of a Dask
cluster are killed, which the command has to tell and to mend by itself.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.migrations import upgrade
from skywatch.features import load
from tests.archives import FIRST, LATER, archive, fill
from tests.batches import cluster, results

CODE = "from skywatch.cli import main; main()"
DAYS, AIRCRAFT, JOB = 12, 12, "patterns"
KILLS = 10


def command(ini, *options):
    """The command, running."""
    span = [FIRST.isoformat(), (FIRST + timedelta(days=DAYS)).isoformat()]
    line = [sys.executable, "-c", CODE, "batch", str(ini), JOB, *span, *options]
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def children_of(pid):
    """The processes that a process has started."""
    files = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for file in files for child in file.read_text().split()]


def install(folder):
    """An installation with some archived days; its ini file."""
    values = {
        "secret": "x" * 40,
        "database_url": f"sqlite:///{folder}/a.sqlite",
        "archive_url": f"file://{folder}/archive",
    }
    engine = create_engine(values["database_url"])
    upgrade(engine)
    sessions = create_session_factory(engine)
    fill(sessions, days=DAYS, aircraft=AIRCRAFT)
    archive(sessions, load(values), now=LATER + timedelta(days=DAYS))
    engine.dispose()
    ini = Path(folder, "sky.ini")
    ini.write_text("[app:main]\nuse = egg:skywatch\n" + "".join(f"{k} = {v}\n" for k, v in values.items()))
    return ini


def undisturbed(ini, place):
    """The results of a run that nothing happens to."""
    process = command(ini, "--workers", "2")
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(output)
    found = results(place, JOB)
    shutil.rmtree(place / "batch")
    return found


def kill_commands(ini, place, kills):
    """Kill the command again and again, once between results; how often, and whether workers outlived it."""
    killed, left = 0, 0
    while True:
        process = command(ini, "--workers", "2")
        done = len(results(place, JOB))
        while process.poll() is None and killed < kills and len(results(place, JOB)) == done:
            time.sleep(0.02)
        if process.poll() is None and killed < kills:
            time.sleep(random.uniform(0, 0.3))
            workers = children_of(process.pid)
            process.kill()
            process.communicate()
            killed += 1
            deadline = time.monotonic() + 60
            while any(Path(f"/proc/{pid}").exists() for pid in workers) and time.monotonic() < deadline:
                time.sleep(0.05)
            left += sum(Path(f"/proc/{pid}").exists() for pid in workers)
            continue
        output, _ = process.communicate()
        if process.returncode:
            raise SystemExit(output)
        return killed, left


def kill_worker(ini, place, options, victim):
    """Kill one worker after the first result; what the command told."""
    shutil.rmtree(place / "batch", ignore_errors=True)
    process = command(ini, *options)
    while process.poll() is None and not results(place, JOB):
        time.sleep(0.02)
    if process.poll() is None:
        os.kill(victim(process), signal.SIGKILL)
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(output)
    return output


def main(kills=KILLS):
    """The command."""
    with tempfile.TemporaryDirectory() as folder:
        place, ini = Path(folder, "archive"), install(folder)
        expected = undisturbed(ini, place)
        killed, left = kill_commands(ini, place, kills)
        same = results(place, JOB) == expected
        print(f"command killed {killed} times; results the same: {same}; workers left: {left}", flush=True)
        told = kill_worker(ini, place, ["--workers", "2"], lambda process: children_of(process.pid)[0])
        mended = results(place, JOB) == expected and "is tried again" in told
        print(f"worker of the pool killed: told and the same: {mended}", flush=True)
        with cluster() as (scheduler, workers):
            told = kill_worker(ini, place, ["--scheduler", scheduler], lambda process: workers[0].pid)
        mended_too = results(place, JOB) == expected and "has gone" in told
        print(f"worker of the cluster killed: told and the same: {mended_too}", flush=True)
    if left or not (same and mended and mended_too):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
