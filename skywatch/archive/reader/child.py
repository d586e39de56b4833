"""The child process that reads the archive: ``python -m skywatch.archive.reader.child``.

It is given its settings and questions on standard input, so that no key is in an argument, and ends with its input.
DuckDB reads what Arrow has read: it opens no file, loads no extension and gets every value bound.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

# The interpreter's other libraries need none of this, and each thread would take memory.
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"
os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")

import duckdb
import msgspec
import numpy as np
import pyarrow as pa
from pyarrow import dataset, parquet

from skywatch.archive.errors import ArchiveError, DayError, MissingFile
from skywatch.archive.reader import queries, questions
from skywatch.archive.reader.hotspots import hotspots
from skywatch.archive.reader.questions import Answer, Opening, Question
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage import open_storage
from skywatch.archive.storage.base import fingerprint
from skywatch.archive.storage.folder import FolderStorage
from skywatch.core.arrays import distinct
from skywatch.core.process.children import answer_questions, read_frame

# What DuckDB may use of the memory of a query; the rest is for what Arrow has read.
DUCKDB_SHARE = 0.6
# What errors of a damaged file say.
DAMAGE = ("Invalid", "deserialize", "ZSTD", "CRC", "orrupt", "Unexpected end", "decompress", "Parquet")
DAMAGE_BEHIND_DUCKDB = ("Invalid", "deserialize", "ZSTD", "Corrupt", "Unexpected end")
NO_MEMORY = ("Out of memory", "out of memory", "bad_alloc", "malloc of size")
# Arrow's client of S3 reads in a thread of its own.
IO_THREADS = 2
# How files are read: a batch at a time, in the thread that asks.
_SPARINGLY: dict[str, Any] = {
    "batch_size": queries.BATCH_ROWS, "batch_readahead": 1, "fragment_readahead": 1, "use_threads": False,
}  # fmt: skip


class Reader:
    """Reads files of the storage for one question after the other."""

    def __init__(self, opening: Opening) -> None:
        self.settings = settings = ArchiveSettings(
            archive_url=opening.url,
            archive_s3_endpoint=opening.endpoint,
            archive_s3_region=opening.region,
            archive_s3_access_key=opening.access_key,
            archive_s3_secret_key=opening.secret_key,
        )
        pa.set_cpu_count(1)
        pa.set_io_thread_count(IO_THREADS)
        self._storage = open_storage(settings)
        self._filesystem, self._root = self._storage.arrow()
        self.database = duckdb.connect(":memory:", config={"threads": 1})
        for name, value in (
            ("memory_limit", f"{max(16, int(opening.memory_mb * DUCKDB_SHARE))}MB"),
            # Nothing is put on the disk: what does not fit into the memory is refused.
            ("temp_directory", ""),
            ("autoinstall_known_extensions", False),
            ("autoload_known_extensions", False),
            ("python_enable_replacements", False),
            ("enable_external_access", False),
            ("lock_configuration", True),
        ):
            shown = f"'{value}'" if isinstance(value, str) else str(value).lower()
            self.database.execute(f"SET {name} = {shown}")

    def read_small(self, question: questions.FileQuestion) -> bytes:
        """The bytes of a small file."""
        return self._storage.read(question.files[0], question.most)

    def hashes(self, question: questions.HashQuestion) -> list[tuple[int, int, str | None]]:
        """What each file is; those that are not as they were known are read and hashed."""
        found = []
        infos = self._filesystem.get_file_info([f"{self._root}/{file}" for file in question.files])
        for file, known, info in zip(question.files, question.known, infos, strict=True):
            if info.size is None:
                raise MissingFile("is missing", file)
            stamp = (info.mtime_ns or 0, info.size)
            sha256 = None if known is not None and stamp == tuple(known) else fingerprint(self._storage, file)[1]
            found.append((*stamp, sha256))
        return found

    def read_whole(self, file: str) -> None:
        """Decode all of a file; raises what is wrong with it."""
        for batch in self._dataset([file]).scanner(use_threads=False, batch_size=queries.BATCH_ROWS).to_reader():
            del batch

    def _dataset(self, files: list[str], schema: Any = None) -> Any:
        paths = [f"{self._root}/{file}" for file in files]
        return dataset.dataset(paths, schema=schema, format=_form(), filesystem=self._filesystem)

    def read(self, files: list[str], columns: dict[str, Any], condition: Any, schema: Any) -> Any:
        """The rows of some files in which a condition holds, as a table of these expressions."""
        return self._dataset(files, schema).to_table(columns=columns, filter=condition, **_SPARINGLY)

    def read_aircraft(
        self, files: list[str], columns: dict[str, Any], condition: Any, schema: Any, aircraft: list[int]
    ) -> Any:
        """The same of a few aircraft alone, which are in few row groups: of the others only addresses are read.

        In a bucket a request takes longer than the decoding that it saves: there all is read at once.
        """
        if not isinstance(self._storage, FolderStorage):
            return self.read(files, columns, condition, schema)
        form = _form()
        fragments = []
        for path in (f"{self._root}/{file}" for file in files):
            with parquet.ParquetFile(path, filesystem=self._filesystem, page_checksum_verification=True) as file:
                addresses = file.read(columns=["icao"], use_threads=False)["icao"].to_numpy()
                sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            rows = np.flatnonzero(np.isin(addresses, aircraft))
            groups = distinct(np.searchsorted(np.cumsum(sizes), rows, "right")).tolist()
            if groups:
                fragments.append(form.make_fragment(path, self._filesystem, row_groups=groups))
        chosen = dataset.FileSystemDataset(fragments, schema, form, self._filesystem)
        return chosen.to_table(columns=columns, filter=condition, **_SPARINGLY)

    def scan(
        self,
        name: str,
        files: list[str],
        columns: list[str],
        condition: Any = None,
        schema: Any = None,
        later: Sequence[str] = (),
    ) -> None:
        """Register the columns of some files as a table of DuckDB; row groups without a match are not read.

        A column of ``schema`` that a file does not have is null there; without one all have those of the first, but for
        the truth values ``later``, which need not be in any.
        """
        data = self._dataset(files, schema)
        if later:
            fields = [field for field in data.schema if field.name not in later]
            data = data.replace_schema(pa.schema([*fields, *(pa.field(column, pa.bool_()) for column in later)]))
        scanner = data.scanner(columns=columns, filter=condition, **_SPARINGLY)
        self.database.register(name, scanner.to_reader())


def _form() -> Any:
    """Parquet whose pages are compared with their checksums: one that was changed is found."""
    options = dataset.ParquetFragmentScanOptions(page_checksum_verification=True)
    return dataset.ParquetFileFormat(default_fragment_scan_options=options)


ANSWERS: dict[type, Callable[[Any, Any], Any]] = {
    questions.FileQuestion: lambda reader, question: reader.read_small(question),
    questions.HashQuestion: lambda reader, question: reader.hashes(question),
    questions.PositionsQuestion: queries.positions,
    questions.SlicesQuestion: queries.slices,
    questions.FlightsQuestion: queries.flights,
    questions.StatisticsQuestion: queries.statistics,
    questions.HotspotsQuestion: hotspots,
}


def respond(reader: Reader, question: Any) -> Answer:
    """The answer to a question, or what prevented it."""
    try:
        return Answer(value=ANSWERS[type(question)](reader, question))
    except (MemoryError, pa.ArrowMemoryError, duckdb.OutOfMemoryException):
        return Answer(fault="memory")
    except DayError as error:
        return Answer(fault="day", detail=error.public)
    except (FileNotFoundError, MissingFile) as error:
        return Answer(fault="damaged", detail="a file is missing", file=_named(reader, error, question))
    except (pa.ArrowInvalid, EOFError) as error:
        return Answer(fault="damaged", detail="a file cannot be read", file=_named(reader, error, question))
    except (OSError, duckdb.Error, pa.ArrowException) as error:
        return _failed(reader, error, question)
    except ArchiveError as error:
        return Answer(fault="storage", detail=str(error)[:200])
    except Exception as error:
        return Answer(fault="fault", detail=f"{type(error).__name__}: {error}"[:300])


def _failed(reader: Reader, error: BaseException, question: Any) -> Answer:
    """What an error of Arrow or DuckDB means: each passes on those of the other as texts."""
    text = " ".join(str(error).split())
    if any(word in text for word in NO_MEMORY):
        return Answer(fault="memory")
    if isinstance(error, OSError):
        # A damaged page is an error of reading, too.
        if any(word in text for word in DAMAGE):
            return Answer(fault="damaged", detail="a file cannot be read", file=_named(reader, error, question))
        return Answer(fault="storage", detail=text[:200])
    if "No such file" in text or "does not exist" in text:
        return Answer(fault="damaged", detail="a file is missing", file=_named(reader, error, question))
    if "AWS Error" in text or "Timeout" in text or "curlCode" in text:
        return Answer(fault="storage", detail=text[:200])
    if any(word in text for word in DAMAGE_BEHIND_DUCKDB):
        return Answer(fault="damaged", detail="a file cannot be read", file=_named(reader, error, question))
    return Answer(fault="fault", detail=text[:300])


def _named(reader: Reader, error: BaseException, question: Any) -> str:
    """The file of the question that an error names, or else the first one that cannot be read."""
    files: list[str] = question.files
    named = next((file for file in files if file in str(error)), "")
    if named or len(files) == 1:
        return named or files[0]
    for file in files:
        try:
            reader.read_whole(file)
        except (OSError, EOFError, pa.ArrowException):
            return file
    return ""


def limit_memory(megabytes: int) -> None:
    """Let this process use so much more memory than it has now; beyond it the system refuses."""
    try:
        import resource

        with open("/proc/self/status", encoding="ascii") as status:
            used = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmData"))
        limit = used + (megabytes << 20)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    except (ImportError, OSError, StopIteration, ValueError):
        # Only Linux counts it; elsewhere DuckDB's own limit holds.
        return


def main() -> None:
    """Answer questions until the input ends."""
    first = read_frame(sys.stdin.buffer)
    if first is None:
        return
    opening = msgspec.msgpack.decode(first, type=Opening)
    try:
        reader = Reader(opening)
    except (ArchiveError, OSError, duckdb.Error) as error:
        reader, fault = None, Answer(fault="storage", detail=str(error)[:200])
    limit_memory(opening.memory_mb)
    decoder = msgspec.msgpack.Decoder(Question)

    def answer(data: bytes) -> bytes:
        return msgspec.msgpack.encode(fault if reader is None else respond(reader, decoder.decode(data)))

    answer_questions(answer)


if __name__ == "__main__":
    main()
