"""Writes and reads the Parquet files of a day."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pyarrow import parquet as pq

from skywatch.archive.contents.layout import ROWS_A_GROUP
from skywatch.archive.contents.manifest import DayFile, folder_of
from skywatch.archive.errors import ArchiveStorageError, DayError, place_error
from skywatch.archive.kinds import ArchivedFile
from skywatch.archive.storage.base import CHUNK_BYTES, ArchiveStorage


def write_file(folder: Path, file: ArchivedFile, is_cancelled: Callable[[], None]) -> DayFile | None:
    """Write a file into a local folder; None where it has no rows. ``is_cancelled`` raises where the work is to end."""
    path = folder / f"{file.name}.parquet"
    writer, rows, pending = None, 0, list[Any]()
    try:
        try:
            for table in file.tables:
                is_cancelled()
                rows += len(table)
                pending.append(table)
                if sum(map(len, pending)) < ROWS_A_GROUP:
                    continue
                writer = writer or pq.ParquetWriter(path, file.schema, **file.options)
                pending = _write_groups(writer, pending)
            if rows:
                writer = writer or pq.ParquetWriter(path, file.schema, **file.options)
                _write_groups(writer, pending, to_the_end=True)
        finally:
            if writer is not None:
                writer.close()
        if not rows:
            return None
        size, sha256 = _hash(path)
    except OSError as error:
        raise place_error(error, path) from None
    return DayFile(path.name, rows, size, sha256)


def _write_groups(writer: Any, tables: list[Any], *, to_the_end: bool = False) -> list[Any]:
    """Write whole row groups; what is left for the next one."""
    import pyarrow as pa

    table = pa.concat_tables(tables) if tables else None
    if table is None or not len(table):
        return []
    whole = len(table) if to_the_end else len(table) - len(table) % ROWS_A_GROUP
    if whole:
        writer.write_table(table.slice(0, whole), row_group_size=ROWS_A_GROUP)
    return [table.slice(whole)] if whole < len(table) else []


def _hash(path: Path) -> tuple[int, str]:
    digest, size = hashlib.sha256(), 0
    with open(path, "rb") as reader:
        while data := reader.read(CHUNK_BYTES):
            digest.update(data)
            size += len(data)
    return size, digest.hexdigest()


def read_table(storage: ArchiveStorage, day: Any, file: DayFile) -> Any:
    """Rows of a file; raises DayError where it is damaged or missing, ArchiveStorageError where it cannot be read."""
    import pyarrow as pa

    filesystem, root = storage.arrow()
    try:
        return pq.read_table(f"{root}/{folder_of(day)}/{file.name}", filesystem=filesystem, use_threads=False)
    except FileNotFoundError:
        raise DayError(day, f"is damaged: {file.name} is missing", storage.url) from None
    except (pa.ArrowInvalid, EOFError) as error:
        raise DayError(day, f"is damaged: {file.name} cannot be read ({str(error)[:80]})", storage.url) from None
    except OSError as error:
        raise place_error(error, file.name) from None


def count_rows(storage: ArchiveStorage, day: Any, file: DayFile) -> int:
    """The rows of a file, each of them decoded."""
    import pyarrow as pa

    filesystem, root = storage.arrow()
    try:
        with filesystem.open_input_file(f"{root}/{folder_of(day)}/{file.name}") as source:
            batches = pq.ParquetFile(source).iter_batches(use_threads=False)
            return sum(len(batch) for batch in batches)
    except pa.ArrowInvalid as error:
        raise ArchiveStorageError(f"cannot be read back ({str(error)[:80]})", file.name) from None
    except OSError as error:
        raise place_error(error, file.name) from None


def id_range(storage: ArchiveStorage, day: Any, file: DayFile) -> tuple[int, int]:
    """The least and the greatest ``id`` of a file, by the statistics of its row groups."""
    filesystem, root = storage.arrow()
    try:
        with filesystem.open_input_file(f"{root}/{folder_of(day)}/{file.name}") as source:
            metadata = pq.ParquetFile(source).metadata
            column = metadata.schema.names.index("id")
            statistics = [metadata.row_group(n).column(column).statistics for n in range(metadata.num_row_groups)]
            return min(item.min for item in statistics), max(item.max for item in statistics)
    except OSError as error:
        raise place_error(error, file.name) from None
