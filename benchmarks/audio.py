"""Audio: upload to event, files a minute, and a page of 100 from 10,000 transmissions with their waveforms."""

from __future__ import annotations

import io
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import soundfile
import sqlalchemy as sa
from webtest import TestApp

from benchmarks._people import populate
from skywatch import make_app
from skywatch.audio.models import Recording, Transmission
from skywatch.core.bus import open_bus
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import create_engine, create_session_factory, writing
from skywatch.core.runtime import Runtime
from skywatch.features import load

UPLOADS, ROWS, PAGES = 100, 10_000, 20
URL = "/api/v1/audio/transmissions"


def recording(number: int, seconds: float = 5.0, rate: int = 8000) -> bytes:
    """A transmission of five seconds of noise, each another one."""
    file = io.BytesIO()
    soundfile.write(file, np.random.default_rng(number).normal(0, 0.1, int(seconds * rate)), rate, format="MP3")
    return file.getvalue()


def main() -> None:
    """Measure on SQLite, in this process."""
    with tempfile.TemporaryDirectory() as folder:
        ini = {
            "secret": "0123456789abcdef" * 3, "database_url": f"sqlite:///{folder}/a.sqlite", "auth_mode": "public",
            "audio_directory": str(Path(folder) / "audio"), "default_throttle_rates.user": "1000000/minute",
        }  # fmt: skip
        settings = load(ini, {})
        engine = create_engine(settings.database_url)
        runtime = Runtime(settings, engine, create_session_factory(engine), open_bus(settings.bus))
        try:
            _, _, authorization = populate(runtime, "admin")["JWT"].partition(": ")
            client = TestApp(make_app(runtime), extra_environ={"HTTP_AUTHORIZATION": authorization})
            uploads(client, runtime)
            pages(client, runtime)
        finally:
            runtime.close()


def uploads(client: TestApp, runtime: Runtime) -> None:
    """The time from the begin of an upload to its event."""
    arrived: list[float] = []
    subscription = runtime.bus.subscribe(["audio"], lambda message: arrived.append(time.perf_counter()))
    files = [recording(number) for number in range(UPLOADS)]
    took = []
    for data in files:
        began = time.perf_counter()
        client.post(URL, {"channel": "Tower"}, upload_files=[("audio", "a.mp3", data)], status=201)
        took.append(arrived[-1] - began)
    subscription.close()
    p95 = float(np.percentile(took, 95))
    print(f"upload to event: median {np.median(took) * 1e3:.1f} ms, p95 {p95 * 1e3:.1f} ms (at most 1,000)")
    print(f"files a minute: {60 * UPLOADS / sum(took):,.0f} (at least 100)")


def pages(client: TestApp, runtime: Runtime) -> None:
    """The time for a page of 100 with waveforms."""
    now, rng = utcnow(), np.random.default_rng(1)
    rows = range(ROWS)
    with writing(runtime.sessions) as session:
        session.execute(
            sa.insert(Recording),
            [
                {
                    "sha256": f"{n:064x}", "path": f"x/{n}", "media_type": "audio/mpeg", "bytes": 8000,
                    "duration_s": 5.0, "peak_db": -6.0, "loudness_lufs": -20.0, "waveform": rng.bytes(200),
                    "is_truncated": False, "stored_at": now,
                }
                for n in rows
            ],
        )  # fmt: skip
        session.execute(
            sa.insert(Transmission),
            [
                {
                    "at": now - timedelta(seconds=10 * n), "received_at": now, "channel": f"Channel {n % 8}",
                    "frequency_hz": 118_100_000, "source": "upload", "sha256": f"{n:064x}", "duration_s": 5.0,
                    "bytes": 8000, "flags": [], "status": "done", "transcript": "contact ground", "segments": [],
                    "military": False, "attempts": 1,
                }
                for n in rows
            ],
        )  # fmt: skip
    took, url = [], f"{URL}?limit=100&waveform=true"
    for _ in range(PAGES):
        began = time.process_time()
        page = client.get(url).json
        took.append(time.process_time() - began)
        url = page["next"]
    print(f"a page of 100 from {ROWS:,} with waveforms, processor time: median {np.median(took) * 1e3:.1f} ms, "
          f"p95 {np.percentile(took, 95) * 1e3:.1f} ms (at most 100)")  # fmt: skip
