"""Detectors over archived days: one process, two, and a Dask cluster of two workers; days a minute and speed-up.

Some simulated aircraft fly over midnight and are copied to each day. Every run is that of the command, with its start;
processor time is that of the tasks. The results of all runs, and those of history's rows, have to be the same.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks._history import Copies, database, land_in, new_writer, record
from benchmarks._traffic import Traffic
from skywatch.core.feature import load as load_path
from skywatch.features import FEATURES, load
from tests.archives import archive
from tests.batches import StoredRows, cluster, result_of_rows, results

AIRCRAFT, FLOWN_S, DAYS, ROW_DAYS = 48, 1800, 30, 10
JOBS = ("safety", "patterns")
WAYS = ("one process", "two processes", "Dask, two workers")
# Before midnight, so that half of it is on the next day.
START = datetime(2026, 3, 1, 23, 45, tzinfo=UTC)
GOAL = 1.8
CODE = "from skywatch.cli import main; main()"


def show(what: str, text: str) -> None:
    """One figure."""
    print(f"  {what:<44}{text}", flush=True)


def main() -> None:
    """The command."""
    with tempfile.TemporaryDirectory() as folder, database("sqlite", Path(folder)) as base:
        begin = START + timedelta(days=DAYS)
        writer, traffic = new_writer(base), Traffic(AIRCRAFT, begin.timestamp())
        record(base, traffic, FLOWN_S, writer)
        land_in(writer, traffic.now)
        Copies(base, 86_400).make(DAYS)
        values = {"secret": "x" * 40, "database_url": base.url, "archive_url": Path(folder, "archive").as_uri()}
        settings = load(values, {})
        outcome = archive(base.sessions, settings, now=begin + timedelta(days=5))
        rows = sum(file.rows for day in outcome.days if day.manifest for file in day.manifest.files)
        show(
            "archived", f"{rows:,} rows of {len(outcome.days)} days, {AIRCRAFT} aircraft for {FLOWN_S / 3600:g} h a day"
        )
        ini = Path(folder, "sky.ini")
        ini.write_text("[app:main]\nuse = egg:skywatch\n" + "".join(f"{k} = {v}\n" for k, v in values.items()))
        days = [START.date() + timedelta(days=number) for number in range(1, DAYS + 1)]
        with cluster(2 if len(WAYS) > 2 else 0) as (scheduler, _):
            for job in JOBS:
                judge(base, settings, ini, Path(folder, "archive"), job, days, scheduler)


def judge(base: Any, settings: Any, ini: Path, place: Path, job: str, days: list[date], scheduler: str) -> None:
    """A job in each of the three ways, and from history's rows."""
    found, alone_s = [], 0.0
    for name, options in zip(WAYS, (["--workers", "1"], ["--workers", "2"], ["--scheduler", scheduler]), strict=False):
        shutil.rmtree(place / "batch", ignore_errors=True)
        took_s, cpu_s = command(ini, job, days, options)
        alone_s = alone_s or took_s
        ratio = f", speed-up {alone_s / took_s:.2f} (goal {GOAL})" if found else ""
        show(f"{job}: {name}", f"{len(days) / took_s * 60:,.1f} days a minute, {cpu_s:.1f} s of processors{ratio}")
        found.append(results(place, job))
    idle_s, _ = command(ini, job, days, ["--workers", "2"])
    show(f"{job}: nothing to do", f"{idle_s:.2f} s on the clock")
    if any(other != found[0] for other in found) or len(found[0]) != len(days):
        raise SystemExit(f"{job}: the results differ")
    around = [days[0] - timedelta(days=1), *days, days[-1] + timedelta(days=1)]
    with base.sessions() as session:
        prepare = FEATURES.batch_jobs()[job].prepare
        options = load_path(prepare)(session, settings).data if prepare else b""
    stored = StoredRows(base.sessions, around)
    began = time.process_time()
    for day in days[:ROW_DAYS]:
        if result_of_rows(stored, job, day, options=options) != found[0][day.isoformat()]:
            raise SystemExit(f"{job}: {day} differs from what history's rows give")
    compared = len(days[:ROW_DAYS])
    size = sum(map(len, found[0].values()))
    show(
        f"{job}: the same in all, and from history's rows",
        f"{compared} days, {size / 1e3:,.0f} kB; from rows {time.process_time() - began:.1f} s of a processor",
    )


def command(ini: Path, job: str, days: list[date], options: list[str]) -> tuple[float, float]:
    """Run the command; seconds on the clock, and the processor time of the tasks that it tells."""
    span = [days[0].isoformat(), (days[-1] + timedelta(days=1)).isoformat()]
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", CODE, "batch", str(ini), job, *span, *options], capture_output=True, text=True
    )
    took_s = time.perf_counter() - began
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    told = re.search(r"([\d,.]+) s of processors", done.stdout)
    return took_s, float(told.group(1).replace(",", "")) if told else 0.0


if __name__ == "__main__":
    main()
