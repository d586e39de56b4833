"""A month of history in the hot store, and the same month in the archive: in a folder and in a bucket (moto's server).

Questions go through the code that answers the API, with the code of the child process in this one, so that its
processor time counts. The server of the bucket is a process of its own: only the bytes of its answers count.
"""

from __future__ import annotations

import math
import multiprocessing
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.fs
import sqlalchemy as sa

from benchmarks._history import START, Copies, Database
from skywatch.archive.reader import child
from skywatch.archive.reader.archive_reader import _INFO, ArchiveReader, Reach, opening_of
from skywatch.archive.reader.questions import Question
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.core.bus import open_bus
from skywatch.core.database.engine import create_engine, create_session_factory
from skywatch.core.process.children import ChildPool
from skywatch.core.runtime import Runtime
from skywatch.features import load
from skywatch.history.analysis.service import heatmap
from skywatch.history.models import Flight
from skywatch.history.storage.reader import Span, read
from skywatch.history.tracks import of_aircraft
from skywatch.security.visibility import EVERYTHING
from skywatch.settings import Settings
from tests.archives import archive, prune
from tests.buckets import KEYS, create_bucket

DAYS, ROUNDS = 30, 3
DAY_S = 86_400
# West, south, east and north of two degrees in the middle of the traffic.
BOX = (7.0, 46.5, 9.0, 48.5)
CELL_DEG = 0.25
HOT, FOLDER, BUCKET = "hot store", "archive, folder", "archive, S3"
GOALS = {"area of an hour": 1.5, "sky at a moment": 1.5, "one aircraft over the month": 10.0}


class _Here:
    """The child in this process, which stays."""

    is_alive, used_at = True, math.inf

    def __init__(self, settings: ArchiveSettings) -> None:
        self._reader = child.Reader(opening_of(settings))

    def ask(self, question: bytes, within_s: float) -> bytes:
        """The answer of the child's code."""
        asked: Any = msgspec.msgpack.decode(question, type=Question)
        return msgspec.msgpack.encode(child.respond(self._reader, asked))

    def close(self) -> None:
        """Do nothing."""


@contextmanager
def bucket_server() -> Iterator[tuple[str, Callable[[], int]]]:
    """The address of a server in a process of its own, and the bytes that it has answered."""
    context = multiprocessing.get_context("spawn")
    sent, port = context.Value("q", 0), context.Queue()
    process = context.Process(target=_serve, args=(sent, port), daemon=True)
    process.start()
    try:
        address = f"http://127.0.0.1:{port.get(timeout=300)}"
        create_bucket(address, "sky")
        yield address, lambda: int(sent.value)
    finally:
        process.kill()
        process.join()


def _serve(sent: Synchronized, port: Any) -> None:
    import logging

    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = DomainDispatcherApplication(create_backend_app)

    def counted(environ: Any, start: Any) -> Iterator[bytes]:
        for part in application(environ, start):
            with sent.get_lock():
                sent.value += len(part)
            yield part

    server = make_server("127.0.0.1", 0, counted, threaded=True)
    port.put(server.server_port)
    server.serve_forever()


def read_by_process() -> int:
    """The bytes that this process has read, but for those of sockets."""
    text = Path("/proc/self/io").read_text(encoding="ascii")
    return int(text.split("rchar:")[1].split()[0])


def show_month(base: Database, folder: Path, flown_s: int, show: Callable[[str, str], None]) -> None:
    """``base`` has what was flown once: it is flown again each day, archived, and asked for."""
    Copies(base, DAY_S).make(DAYS - 1)
    base.settle()
    archived = Path(shutil.copy(folder / "history.sqlite", folder / "archived.sqlite"))
    with bucket_server() as (address, answered):
        place = {"archive_url": (folder / "month").as_uri()}
        settings = _settings(archived, **place)
        count = _archive(settings)
        show(f"a month: {DAYS} days of {flown_s / 3600:g} h", f"{count:,} points")
        bucket = _settings(archived, archive_url="s3://sky/month", archive_s3_endpoint=address, **KEYS)
        target, root = open_storage(bucket.of(ArchiveSettings)).arrow()
        pyarrow.fs.copy_files(str(folder / "month"), root, pyarrow.fs.LocalFileSystem(), target)
        _ask(base, {FOLDER: (settings, read_by_process), BUCKET: (bucket, answered)}, show)


def _settings(database: Path, **place: str) -> Settings:
    ini = {"secret": "x" * 40, "bus": "memory", "database_url": f"sqlite:///{database}", "archive_query_s": "600"}
    return load(ini | {"retention_positions_days": "1", "retention_flights_days": "1"} | place, {})


def _archive(settings: Settings) -> int:
    """Archive all days, and delete them from the database; returns the points archived."""
    engine = create_engine(settings.database_url)
    runtime = Runtime(settings, engine, create_session_factory(engine), open_bus("memory"))
    try:
        now = datetime.fromtimestamp(START, UTC) + timedelta(days=5)
        outcome = archive(runtime.sessions, settings, now=now)
        prune(runtime, settings)
        files = [file for day in outcome.days if day.manifest for file in day.manifest.files]
        return sum(file.rows for file in files if file.stem.startswith("positions"))
    finally:
        runtime.close()


def _ask(
    base: Database, places: dict[str, tuple[Settings, Callable[[], int]]], show: Callable[[str, str], None]
) -> None:
    stores = {HOT: (base.sessions, None, read_by_process)}
    for name, (settings, counted) in places.items():
        reader = ArchiveReader(settings)
        here: Any = _Here(settings.of(ArchiveSettings))
        reader._children = ChildPool(lambda here=here: here)  # type: ignore[misc]
        engine = create_engine(settings.database_url)
        stores[name] = (create_session_factory(engine), reader, counted)
    # In the middle of the month, some minutes after take-off.
    hour = (START - DAYS // 2 * DAY_S) // 3600 * 3600
    moment = START - DAYS // 2 * DAY_S + 300
    begin, end = START - (DAYS - 1) * DAY_S - 3600, START + 7200
    with base.sessions() as session:
        address = str(session.scalar(sa.select(Flight.icao_hex).order_by(Flight.positions.desc()).limit(1)))
    month = tuple(datetime.fromtimestamp(at, UTC) for at in (begin, end))
    questions: dict[str, Callable[[Any], Any]] = {
        "area of an hour": lambda session: read(session, Span(hour, hour + 3599, box=BOX)).tobytes(),
        "sky at a moment": lambda session: read(session, Span(moment - 600, moment + 599)).tobytes(),
        "one aircraft over the month": lambda session: of_aircraft(session, address, *month, EVERYTHING).tobytes(),
        "heat map of the month": lambda session: heatmap(session, Span(begin, end), CELL_DEG, None, None, None),
    }
    for what, question in questions.items():
        results = {name: _measured(question, *store) for name, store in stores.items()}
        answers = [result[-1] for result in results.values()]
        if not answers[0] or any(answer != answers[0] for answer in answers):
            raise SystemExit(f"{what}: the answers of the stores differ, or are empty")
        for name, (milliseconds, size, first_size, _) in results.items():
            ratio = f", {milliseconds / results[HOT][0]:.1f} times" if name != HOT else ""
            goal = f" (goal {GOALS[what]:g})" if name != HOT and what in GOALS else ""
            first = f", {first_size / 1e3:,.0f} kB the first time" if name != HOT else ""
            show(f"{what}: {name}", f"{milliseconds:.1f} ms{ratio}{goal}, {size / 1e3:,.0f} kB read{first}")


def _measured(
    question: Callable[[Any], Any], sessions: Any, reader: ArchiveReader | None, counted: Callable[[], int]
) -> tuple[float, int, int, Any]:
    """Processor time of the fastest round (ms), bytes read by the last and by the first, and the answer.

    The first round hashes the files, and is not one of those that are timed.
    """
    times, sizes = [], []
    for _ in range(ROUNDS + 1):
        with sessions() as session:
            if reader is not None:
                session.info[_INFO] = Reach(reader, "benchmark", is_stream=True)
            before, began = counted(), time.process_time()
            answer = question(session)
            times.append(time.process_time() - began)
            sizes.append(counted() - before)
    return min(times[1:]) * 1000, sizes[-1], sizes[0], answer
