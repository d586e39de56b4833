"""What a dump of PostgreSQL contains, as ``pg_restore`` prints it without a server.

A dump is a program: each of its entries has the SQL that restores it. None of that is run here. The tables are made by
the migrations; of the dump the rows are copied into them, and the numbers of its sequences. Its definitions are read
to compare them.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from skywatch.backup.contents.manifest import Manifest
from skywatch.backup.contents.target import POSTGRESQL_FILE
from skywatch.backup.databases.contents import REVISION_TABLE, Schema
from skywatch.backup.databases.programs import program, running
from skywatch.backup.errors import BackupError, Damaged, Refused
from skywatch.backup.progress import Progress

# Definitions are a few hundred kilobytes.
MAX_SCHEMA_BYTES = 16_000_000
MAX_STATEMENT_BYTES = 1_000_000
BATCH_BYTES = 1 << 18
_HEADER = re.compile(r"^--\n-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*\n--\n", re.MULTILINE)
_VERSION = re.compile(r"^-- Dumped from database version (\d+)", re.MULTILINE)
_NAME = r'(?:"((?:[^"]|"")+)"|([\w$]+))'
_NAMES = re.compile(_NAME)
_COPY = re.compile(rf"COPY {_NAME}\.{_NAME} \((.+)\) FROM stdin;")
_SETVAL = re.compile(rf"SELECT pg_catalog\.setval\('{_NAME}\.{_NAME}', (-?\d+), (true|false)\);")
_ENCODING = re.compile(r"SET client_encoding = '([A-Za-z0-9_-]+)';")
# What every script begins with; it sets the session that reads it, which ours is not.
_SESSION = re.compile(
    r"SET \w+ = [^;]*;|SELECT pg_catalog\.set_config\('search_path', '', false\);|\\(un)?restrict \w+"
)
# Comments are not restored, and every database has its schemas.
_IGNORED = {"COMMENT", "SCHEMA"}


@dataclass(frozen=True)
class Rows:
    """The rows of one table in the text format of COPY, in batches with their number; all have to be read."""

    table: str
    columns: list[str]
    encoding: str
    batches: Iterator[tuple[bytes, int]]


@dataclass(frozen=True)
class SequenceValue:
    """Where a sequence goes on."""

    sequence: str
    value: int
    is_called: bool


def schema_of(folder: Path) -> tuple[Schema, int]:
    """Return the definitions in the dump of a backup and the major version of its server; raises Damaged, Refused."""
    path = folder / POSTGRESQL_FILE
    command = [program("pg_restore"), "--schema-only", "--no-owner", "--no-privileges", "--file=-", str(path)]
    with running(command, os.environ, _failure_of(path), stdout=-1) as process:
        assert process.stdout is not None
        data = process.stdout.read(MAX_SCHEMA_BYTES + 1)
        if len(data) > MAX_SCHEMA_BYTES:
            raise Damaged("has more definitions than any release makes", path)
    text = data.decode(errors="replace")
    version = _VERSION.search(text)
    return definitions(text), int(version.group(1)) if version is not None else 0


def _failure_of(path: Path) -> Callable[[str], BackupError]:
    """What to raise for the last words of ``pg_restore``: a dump that it is too old for is not damaged."""
    return lambda why: Refused(why) if "unsupported version" in why else Damaged(why, path)


def definitions(script: str) -> Schema:
    """Return the entries of a script by kind and name; those of another schema than Skywatch's with its name."""
    parts = _HEADER.split(script)[1:]
    entries = list(zip(parts[::4], parts[1::4], parts[2::4], parts[3::4], strict=True))
    ours = next((schema for name, kind, schema, _ in entries if (name, kind) == (REVISION_TABLE, "TABLE")), "")
    result: dict[str, str | None] = {}
    for name, kind, schema, text in entries:
        if kind not in _IGNORED:
            key = f"{kind} {name}" if schema in (ours, "-") else f"{kind} {schema}.{name}"
            result[key] = comparable(kind, without_schema(text, ours))
    return result


def without_schema(text: str, schema: str) -> str:
    """Return definitions with names that are not qualified by this schema."""
    quoted = schema.replace('"', '""')
    return text.replace(f'"{quoted}".', "").replace(f"{schema}.", "") if schema else text


def comparable(kind: str, text: str) -> str | None:
    """Return the part of a definition that is compared; None where its name alone is."""
    if kind == "TABLE":
        # The columns and conditions; their order, and how the table is stored, do not matter.
        columns = text.partition("(\n")[2].partition("\n)")[0].split(",\n")
        return "\n".join(sorted(column.strip() for column in columns))
    if kind == "FUNCTION":
        return text.partition("$")[2].partition("$;")[0].strip("$").strip()
    if kind in ("INDEX", "CONSTRAINT", "FK CONSTRAINT", "DEFAULT"):
        return " ".join(text.partition(";\n")[0].split()).removesuffix(";")
    return None


@contextmanager
def data_of(folder: Path, manifest: Manifest, progress: Progress) -> Iterator[Iterator[Rows | SequenceValue]]:
    """Read the rows of a dump. Raises Damaged where it has anything else, or is no longer the manifest's."""
    path = folder / POSTGRESQL_FILE
    command = [program("pg_restore"), "--data-only", "--file=-"]
    try:
        # The thread ends with the program, whose input it writes.
        with (
            ThreadPoolExecutor(1) as threads,
            open(path, "rb") as file,
            running(command, os.environ, _failure_of(path), stdin=-1, stdout=-1) as process,
        ):
            assert process.stdin is not None
            assert process.stdout is not None
            feeding = threads.submit(_feed, file, process.stdin, progress)
            yield read_data(process.stdout)
            if feeding.result() != next(file.sha256 for file in manifest.files if file.name == POSTGRESQL_FILE):
                raise Damaged("was changed meanwhile", path)
    except DumpError as error:
        raise Damaged(str(error), path) from None


class DumpError(Exception):
    """A dump has what no dump of ours has."""


def _feed(file: IO[bytes], program_input: IO[bytes], progress: Progress) -> str:
    """Write a file into a program until the input is closed; return its SHA-256."""
    digest = hashlib.sha256()
    while not program_input.closed and (data := file.read(1 << 20)):
        digest.update(data)
        # The program may have all that it needs.
        with suppress(BrokenPipeError):
            program_input.write(data)
        progress.advance(len(data))
    with suppress(BrokenPipeError):
        program_input.close()
    return digest.hexdigest()


def read_data(script: IO[bytes]) -> Iterator[Rows | SequenceValue]:
    """Parse the rows and sequences of a script; raises DumpError where there is anything else in it."""
    encoding = "UTF8"
    while line := script.readline(MAX_STATEMENT_BYTES):
        text = line.decode(errors="replace").rstrip("\n")
        if not text or text.startswith("--"):
            continue
        if match := _ENCODING.fullmatch(text):
            encoding = match.group(1)
        elif match := _COPY.fullmatch(text):
            columns = [_unquoted(*column.groups()) for column in _NAMES.finditer(match.group(5))]
            yield Rows(_unquoted(match.group(3), match.group(4)), columns, encoding, _batches(script))
        elif match := _SETVAL.fullmatch(text):
            sequence = _unquoted(match.group(3), match.group(4))
            yield SequenceValue(sequence, int(match.group(5)), match.group(6) == "true")
        elif not _SESSION.fullmatch(text):
            raise DumpError(f"contains something else than rows ({text[:80]!a})")


def _batches(script: IO[bytes]) -> Iterator[tuple[bytes, int]]:
    """Read the lines up to the one that ends a table."""
    lines: list[bytes] = []
    size = count = 0
    is_whole = True
    while line := script.readline(BATCH_BYTES):
        if is_whole and line == b"\\.\n":
            yield b"".join(lines), count
            return
        is_whole = line.endswith(b"\n")
        lines.append(line)
        size += len(line)
        count += is_whole
        if size >= BATCH_BYTES:
            yield b"".join(lines), count
            lines, size, count = [], 0, 0
    raise DumpError("ends within a table")


def _unquoted(quoted: str | None, plain: str | None) -> str:
    return quoted.replace('""', '"') if quoted is not None else plain or ""


def count_rows(folder: Path, manifest: Manifest, progress: Progress) -> dict[str, int]:
    """Decode the whole dump without a server, and count the rows of each table; raises Damaged."""
    rows: dict[str, int] = {}
    with data_of(folder, manifest, progress) as data:
        for part in data:
            if isinstance(part, Rows):
                rows[part.table] = sum(count for _, count in part.batches)
    return rows
