"""ACARS: a minute of 1,000 bursts a second through one UDP socket on one core, and the search of many messages."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import datetime

import sqlalchemy as sa

from benchmarks import _acars_search
from benchmarks._cores import on_core
from skywatch.acars.intake import AcarsIntake, open_input
from skywatch.acars.models import AcarsMessage
from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.database.migrations import upgrade
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.inputs.transports.udp import UdpInput

RATE_PER_S = 1000
SECONDS = float(os.environ.get("SKYWATCH_BENCH_ACARS_S", "15"))


def main() -> None:
    """Print both."""
    with tempfile.TemporaryDirectory() as folder, on_core(0):
        asyncio.run(receive(f"sqlite:///{folder}/a.sqlite"))
    _acars_search.main()


async def receive(database_url: str) -> None:
    """Send from another process; the intake has one core."""
    ini = {"secret": "0123456789abcdef" * 3, "database_url": database_url, "auth_mode": "public"}
    settings = load({**ini, "acars.vhf": "udp 127.0.0.1:0"}, {})
    engine = create_engine(settings.database_url)
    upgrade(engine)
    runtime = Runtime(settings, engine, create_session_factory(engine), open_bus(settings.bus))
    intake = runtime.shared(AcarsIntake)
    latencies: list[float] = []
    runtime.bus.subscribe(["acars"], lambda message: latencies.append(_age(message.data)))
    source = open_input(runtime, "vhf", "udp 127.0.0.1:0")
    assert isinstance(source, UdpInput)
    intake.start()
    running = asyncio.create_task(source.run())
    while source.status.state != "listening":
        await asyncio.sleep(0.01)
    began_cpu = time.process_time()
    child = [sys.executable, "-m", "benchmarks._acars_sender", str(source.port), str(RATE_PER_S), str(SECONDS)]
    sender = await asyncio.create_subprocess_exec(*child, stdout=subprocess.PIPE)
    output, _ = await sender.communicate()
    sent = json.loads(output)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and (source.status.messages < sent["sent"] or intake.waiting):
        await asyncio.sleep(0.05)
    cpu, status = time.process_time() - began_cpu, source.status
    running.cancel()
    intake.close()
    with runtime.sessions() as session:
        stored = session.scalar(sa.select(sa.func.count()).select_from(AcarsMessage))
    runtime.close()
    latencies.sort()
    lost = sent["sent"] - status.messages - status.dropped
    print(
        f"{sent['sent']:,} bursts in {sent['took_s']:.1f} s: received {status.messages:,}, dropped {status.dropped:,}"
    )
    print(f"lost unseen {lost:,}; {stored:,} messages of {sent['messages']:,} stored")
    print(f"processor time: {1e6 * cpu / sent['sent']:.0f} us a burst, {100 * cpu / sent['took_s']:.0f} % of one core")
    median, p95 = latencies[len(latencies) // 2], latencies[int(len(latencies) * 0.95)]
    print(f"burst to event: median {median:.2f} s, p95 {p95:.2f} s")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


def _age(data: bytes) -> float:
    """Seconds since the burst was sent, whose time stamp is the event's."""
    at = json.loads(data)["at"]
    return time.time() - datetime.fromisoformat(at).timestamp()
