"""One task: the work of a job over one day. It reads the archive and returns the bytes of its result.

A task travels to its worker as MessagePack, to a process of this machine or to another host, and so does its outcome.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

import msgspec

from skywatch.archive.contents.manifest import DayFile, Station
from skywatch.archive.errors import ArchiveError, MissingFile
from skywatch.archive.hooks import PastDays
from skywatch.archive.reader.questions import Opening
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.core.batch import BatchJob, batch_jobs
from skywatch.core.feature import FeatureSet
from skywatch.core.process.version import VERSION

ROWS_A_PAGE = 10_000


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """The work of ``job`` over ``day``; ``files`` are those of the day and of the days around it that it reads.

    ``opening`` names the storage; without keys the worker takes those of its environment. ``military`` says by address
    whether an aircraft is military, of those that archived rows say otherwise of.
    """

    job: str
    day: date
    opening: Opening
    files: dict[date, tuple[DayFile, ...]]
    station: Station | None
    options: bytes
    military: dict[str, bool] = {}
    release: str = VERSION


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a task: the Parquet file (empty: no rows) and its rows, or why there is none.

    ``is_renewed``: a file was not there; its day may have been archived again meanwhile. ``left_out`` are days around
    it that could not be read, and why.
    """

    data: bytes = b""
    rows: int = 0
    fault: str = ""
    is_renewed: bool = False
    left_out: dict[date, str] = {}
    worker: str = ""
    cpu_s: float = 0.0


def run_encoded(features: FeatureSet, data: bytes) -> bytes:
    """Do an encoded task; the encoded outcome."""
    return msgspec.msgpack.encode(run_task(features, msgspec.msgpack.decode(data, type=Task)))


def run_task(features: FeatureSet, task: Task) -> Outcome:
    """Do a task; whatever goes wrong is the fault of its outcome."""
    import os
    import socket
    import time

    worker, began = f"{socket.gethostname()} process {os.getpid()}", time.process_time()
    try:
        if task.release != VERSION:
            return Outcome(fault=f"the worker has release {VERSION} instead of {task.release}", worker=worker)
        data, rows, left_out = _work(features, task)
    except MissingFile as error:
        return Outcome(fault=error.public if not str(error) else str(error), is_renewed=True, worker=worker)
    except ArchiveError as error:
        return Outcome(fault=str(error), worker=worker)
    except MemoryError:
        return Outcome(fault="the worker has too little memory", worker=worker)
    except ImportError as error:
        return Outcome(fault=f"the worker lacks a library: {error}", worker=worker)
    except Exception as error:
        return Outcome(fault=f"has a fault: {type(error).__name__}: {error}"[:500], worker=worker)
    return Outcome(data=data, rows=rows, left_out=left_out, worker=worker, cpu_s=time.process_time() - began)


def _work(features: FeatureSet, task: Task) -> tuple[bytes, int, dict[date, str]]:
    from skywatch.archive.batch.archived_rows import ArchivedRows

    job = batch_jobs(features)[task.job]
    opening = task.opening
    storage = open_storage(
        ArchiveSettings(
            archive_url=opening.url,
            archive_s3_endpoint=opening.endpoint,
            archive_s3_region=opening.region,
            archive_s3_access_key=opening.access_key,
            archive_s3_secret_key=opening.secret_key,
        )
    )
    station = (task.station.lat, task.station.lon) if task.station is not None else None
    archived = ArchivedRows(storage, task.files, task.day)
    past_days = features.only(PastDays)
    if past_days is None:
        raise ArchiveError("no feature of this installation makes days of archived rows")
    day = past_days.day(archived, task.day, station, task.military)
    return *encode_rows(job, job.run(day, task.options)), archived.left_out


def encode_rows(job: BatchJob, rows: Iterable[tuple[Any, ...]]) -> tuple[bytes, int]:
    """Rows of a job as the bytes of a Parquet file, and how many there are; no bytes for no rows."""
    import pyarrow as pa
    from pyarrow import parquet as pq

    from skywatch.archive.contents.layout import ROWS_OPTIONS

    types = {
        "int": pa.int64(),
        "float": pa.float64(),
        "text": pa.string(),
        "bool": pa.bool_(),
        "moment": pa.timestamp("ms", tz="UTC"),
    }
    schema = pa.schema([pa.field(name, types[kind]) for name, kind in job.columns.items()])
    moments = [index for index, kind in enumerate(job.columns.values()) if kind == "moment"]
    sink, count, writer = pa.BufferOutputStream(), 0, None
    page: list[tuple[Any, ...]] = []

    def write() -> None:
        columns: list[Any] = [list(column) for column in zip(*page, strict=True)]
        for index in moments:
            columns[index] = [None if value is None else round(value * 1000) for value in columns[index]]
        arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
        assert writer is not None
        writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
        page.clear()

    for row in rows:
        page.append(row)
        count += 1
        if len(page) == ROWS_A_PAGE:
            writer = writer or pq.ParquetWriter(sink, schema, **ROWS_OPTIONS)
            write()
    if page:
        writer = writer or pq.ParquetWriter(sink, schema, **ROWS_OPTIONS)
        write()
    if writer is None:
        return b"", 0
    writer.close()
    return sink.getvalue().to_pybytes(), count
