"""What other packages use to read the archive: questions about days, with the limits of the installation.

A ``Reach`` belongs to one caller and one request; it is bound to the session that reads the database (``bind``), so
that whoever reads a span that the database no longer has whole finds it there (``reach_of``).
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.archive import metrics
from skywatch.archive.contents.manifest import (
    MAX_BYTES,
    DayFile,
    Manifest,
    day_of,
    folder_of,
    parse_manifest,
    read_manifest,
)
from skywatch.archive.contents.manifest import NAME as MANIFEST
from skywatch.archive.errors import ArchiveError, DayError, Uninstalled
from skywatch.archive.reader.query_limits import NoTurn, Turns
from skywatch.archive.reader.questions import (
    Answer,
    FileQuestion,
    HashQuestion,
    HotspotsQuestion,
    Opening,
    Question,
)
from skywatch.archive.settings import ArchiveSettings
from skywatch.archive.storage.folder import FolderStorage
from skywatch.archive.writer.verification import check_file
from skywatch.core.problems import Problem
from skywatch.core.process.children import Child, ChildEnded, ChildLate, ChildPool, inherited
from skywatch.core.runtime import Runtime
from skywatch.sentences import Sentence, sentence
from skywatch.settings import Settings

log = logging.getLogger(__name__)
# How long a request waits for its turn, and a stream for its next one (s).
WAIT_S, STREAM_WAIT_S = 1.0, 30.0
RETRY_AFTER_S = 5
COMMAND = [sys.executable, "-m", "skywatch.archive.reader.child"]
# What a child of the archive inherits: certificates and proxies of S3, and what the interpreter needs.
INHERITED = ("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "SYSTEMROOT", "HOME")
_INFO = "skywatch.archive"


class ArchiveReader:
    """The archive as one process reads it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings.of(ArchiveSettings)
        archive = self._settings
        self.turns = Turns(settings.database_url, archive.archive_queries)
        # Files that have the hash of their manifest, as they were then: path -> hash, time of change, size.
        self.verified: dict[str, tuple[str, int, int]] = {}
        self._children: ChildPool | None = None
        url = archive.archive_url
        self._folder = FolderStorage.of(url) if url.startswith("file:") else None
        self._lock = threading.Lock()

    @property
    def query_s(self) -> float:
        """The longest time of one query."""
        return self._settings.archive_query_s

    def folder(self) -> FolderStorage | None:
        """The folder; None where the archive is in a bucket, which the children alone read."""
        return self._folder

    def children(self) -> ChildPool:
        """The children; raises Problem where the extra is not installed."""
        with self._lock:
            if self._children is None:
                try:
                    require_extra()
                except Uninstalled as error:
                    raise _unavailable(error) from None
                opening = msgspec.msgpack.encode(opening_of(self._settings))
                self._children = ChildPool(lambda: Child(COMMAND, child_environment(), opening=opening))
            return self._children

    def close(self) -> None:
        """End the children."""
        with self._lock:
            if self._children is not None:
                self._children.close()


def opening_of(archive: ArchiveSettings) -> Opening:
    """What a child is told of the storage; keys that are not set are those of the environment."""
    access, secret = archive.archive_s3_access_key, archive.archive_s3_secret_key
    if archive.archive_url.startswith("s3:") and not access:
        access, secret = os.environ.get("AWS_ACCESS_KEY_ID", ""), os.environ.get("AWS_SECRET_ACCESS_KEY", "")
    return Opening(
        url=archive.archive_url,
        endpoint=archive.archive_s3_endpoint,
        region=archive.archive_s3_region,
        access_key=access,
        secret_key=secret,
        memory_mb=archive.archive_query_mb,
    )


def child_environment() -> dict[str, str]:
    """The environment of a process that reads the archive."""
    return inherited(INHERITED) | {"AWS_EC2_METADATA_DISABLED": "true", "OMP_NUM_THREADS": "1"}


def require_extra() -> None:
    """Raise Uninstalled where the extra ``archive`` is not installed; imports nothing large."""
    from importlib.util import find_spec

    if find_spec("duckdb") is None or find_spec("pyarrow") is None:
        raise Uninstalled


class UnreadableDay(Problem):
    """A day is damaged, missing or newer than this release (503)."""


def _unavailable(error: ArchiveError) -> Problem:
    if isinstance(error, DayError):
        day, why = error.day.isoformat(), error.why
        detail = sentence("archive.day_fault", "The archived day {day} {why}.", day=day, why=why)
        return UnreadableDay("unavailable", detail, headers={"Retry-After": "60"})
    return Problem("unavailable", _of_archive(error.public), headers={"Retry-After": "60"})


def _of_archive(fault: str) -> Sentence:
    return sentence("archive.fault", "{detail}.", detail=f"{fault[0].upper()}{fault[1:]}")


class Reach:
    """The archive for one caller.

    All questions of a request together have ``archive_query_s``, of a stream each one has it. ``asked`` are the first
    and last day that are asked for (None: all): days around them are read for what reaches over, and one that cannot
    be read is left out and is in ``left_out``.
    """

    def __init__(
        self,
        reader: ArchiveReader,
        person: str,
        *,
        is_stream: bool = False,
        asked: tuple[date, date] | None = None,
    ) -> None:
        self.asked = asked
        self.left_out: set[date] = set()
        self._reader = reader
        self._person = person
        self._is_stream = is_stream
        self._left_s = reader.query_s
        self._manifests: dict[date, Manifest] = {}

    def files(self, days: Iterable[date], stems: Sequence[str]) -> list[str]:
        """The files of days by their names without ending, those there are; raises Problem."""
        files = []
        for day in days:
            try:
                files += self._files(day, stems)
            except UnreadableDay as problem:
                if self.asked is None or self.asked[0] <= day <= self.asked[1]:
                    raise
                if day not in self.left_out:
                    self.left_out.add(day)
                    log.warning("what reaches over from %s is left out of an answer: %s", day, problem.detail)
        return files

    def _files(self, day: date, stems: Sequence[str]) -> list[str]:
        manifest = self._manifest(day)
        try:
            return self._verified(day, manifest, stems)
        except Problem:
            # The day may have been archived again since this caller read its manifest.
            del self._manifests[day]
            if self._manifest(day) == manifest:
                raise
            return self._verified(day, self._manifest(day), stems)

    def _verified(self, day: date, manifest: Manifest, stems: Sequence[str]) -> list[str]:
        chosen = [file for file in manifest.files if file.stem in stems]
        if self._reader.folder() is not None:
            for file in chosen:
                self._verify(day, file)
        elif chosen:
            self._verify_in_bucket(day, chosen)
        return [f"{folder_of(day)}/{file.name}" for file in chosen]

    def _verify(self, day: date, file: DayFile) -> None:
        """Hash a file of a folder when this process reads it first or it has changed; raises Problem."""
        storage = self._reader.folder()
        assert storage is not None
        path = storage.folder / folder_of(day) / file.name
        try:
            status = path.stat()
            stamp = (file.sha256, status.st_mtime_ns, status.st_size)
            if self._reader.verified.get(str(path)) != stamp:
                check_file(storage, day, file)
                self._reader.verified[str(path)] = stamp
        except OSError:
            raise _unavailable(
                DayError(day, sentence("archive.file_missing", "is damaged: {name} is missing", name=file.name))
            ) from None
        except ArchiveError as error:
            raise _unavailable(error) from None

    def _verify_in_bucket(self, day: date, files: Sequence[DayFile]) -> None:
        """The same in a bucket, by a child: pages have checksums, but the footer, which says what to read, has none."""
        names = [f"{folder_of(day)}/{file.name}" for file in files]
        known = [self._known(name, file) for name, file in zip(names, files, strict=True)]
        answer = self.ask(HashQuestion(files=names, known=known))
        for name, file, (changed_ns, size, sha256) in zip(names, files, answer, strict=True):
            if sha256 is not None and sha256 != file.sha256:
                log.warning("the archive is damaged: %s does not have the hash of the manifest", name)
                raise _unavailable(
                    DayError(
                        day,
                        sentence(
                            "archive.file_hash",
                            "is damaged: {name} does not have the hash of the manifest",
                            name=file.name,
                        ),
                    )
                )
            self._reader.verified[name] = (file.sha256, changed_ns, size)

    def _known(self, name: str, file: DayFile) -> tuple[int, int] | None:
        sha256, *stamp = self._reader.verified.get(name, ("", 0, 0))
        return (stamp[0], stamp[1]) if sha256 == file.sha256 else None

    def _manifest(self, day: date) -> Manifest:
        if day not in self._manifests:
            try:
                self._manifests[day] = self._read_manifest(day)
            except ArchiveError as error:
                raise _unavailable(error) from None
        return self._manifests[day]

    def _read_manifest(self, day: date) -> Manifest:
        """The manifest of a day; that of a bucket is read by the child, whose time is limited."""
        folder = self._reader.folder()
        if folder is not None:
            return read_manifest(folder, day)
        name = f"{folder_of(day)}/{MANIFEST}"
        return parse_manifest(self.ask(FileQuestion(files=[name], most=MAX_BYTES)), day)

    def ask(self, question: Question) -> Any:
        """The answer of a child; raises Problem (503) with the reason where there is none."""
        if not question.files:
            raise ValueError("a question about no file")
        answer = self._ask(question)
        if (
            answer.fault == "damaged"
            and not isinstance(question, FileQuestion | HashQuestion | HotspotsQuestion)
            and self._is_renewed(question)
        ):
            # The day was archived again meanwhile: its new manifest names other files.
            answer = self._ask(question)
        metrics.ARCHIVE_QUERIES.labels(answer.fault or "answered").inc()
        if answer.fault == "memory":
            raise Problem(
                "unavailable",
                sentence(
                    "archive.query_memory", "The query over the archive needs more memory than archive_query_mb allows."
                ),
            )
        if answer.fault == "damaged":
            log.warning("the archive is damaged: %s %s", answer.detail, answer.file)
            day = day_of(answer.file.split("/")[0])
            detail = (
                sentence(
                    "archive.day_damaged",
                    "The archived day {day} is damaged: {detail}.",
                    day=day.isoformat(),
                    detail=answer.detail,
                )
                if day is not None
                else sentence("archive.damaged", "A day of the archive is damaged: {detail}.", detail=answer.detail)
            )
            raise Problem("unavailable", detail, headers={"Retry-After": "60"})
        if answer.fault == "day":
            log.warning("the archive is damaged: %s", answer.detail)
            detail = _of_archive(answer.detail)
            raise Problem("unavailable", detail, headers={"Retry-After": "60"})
        if answer.fault == "storage":
            log.warning("the archive cannot be read: %s", answer.detail)
            raise Problem(
                "unavailable",
                sentence("archive.unreadable", "The archive cannot be read at present."),
                headers={"Retry-After": "10"},
            )
        if answer.fault:
            raise RuntimeError(f"a query over the archive failed: {answer.detail}")
        return answer.value

    def _is_renewed(self, question: Question) -> bool:
        """Name the files of a question by the manifests as they are now; whether that changed any."""
        self._manifests.clear()
        renewed = []
        for file in question.files:
            folder, name = file.split("/")
            day = day_of(folder)
            renewed += self.files([day], [name.split(".")[0]]) if day is not None else []
        is_changed = renewed != question.files
        question.files = renewed
        return is_changed and bool(renewed)

    def _ask(self, question: Question) -> Answer:
        children = self._reader.children()
        try:
            turn = self._reader.turns.turn(self._person, STREAM_WAIT_S if self._is_stream else WAIT_S)
            with turn, children.lend() as child:
                answer = self._ask_child(child, question)
                if answer.fault == "memory":
                    # What it has allocated does not come back: the next question gets another child.
                    child.close()
        except NoTurn as error:
            metrics.ARCHIVE_QUERIES.labels("refused").inc()
            why = str(error)
            detail = sentence("archive.no_turn", "{why}; try again in a moment.", why=f"{why[0].upper()}{why[1:]}")
            raise Problem("unavailable", detail, headers={"Retry-After": str(RETRY_AFTER_S)}) from None
        except ChildLate:
            metrics.ARCHIVE_QUERIES.labels("late").inc()
            detail = sentence(
                "archive.query_late",
                "The query over the archive took longer than {seconds} s (archive_query_s).",
                seconds=f"{self._reader.query_s:g}",
            )
            raise Problem("unavailable", detail, headers={"Retry-After": str(RETRY_AFTER_S)}) from None
        except ChildEnded:
            # What the system refuses memory to ends where it stands.
            return Answer(fault="memory")
        return answer

    def _ask_child(self, child: Child, question: Question) -> Answer:
        begun = time.monotonic()
        within_s = self._reader.query_s if self._is_stream else self._left_s
        try:
            return msgspec.msgpack.decode(child.ask(msgspec.msgpack.encode(question), within_s), type=Answer)
        finally:
            self._left_s = max(0.001, self._left_s - (time.monotonic() - begun))


def _reader_of(runtime: Runtime) -> ArchiveReader:
    reader = ArchiveReader(runtime.settings)
    runtime.at_close(reader.close)
    return reader


_creating = threading.Lock()


def reach_of(session: Session) -> Reach | None:
    """The archive that a session reaches into; None where it reads the database alone."""
    reach: Reach | None = session.info.get(_INFO)
    return reach


def days_of(begin: datetime | float, end: datetime | float) -> tuple[date, date]:
    """The days (UTC) of two moments; numbers are unix seconds."""
    first, last = (
        datetime.fromtimestamp(at, UTC) if isinstance(at, int | float) else at.astimezone(UTC) for at in (begin, end)
    )
    return first.date(), last.date()


def bind(
    session: Session,
    runtime: Runtime,
    person: str,
    *,
    is_stream: bool = False,
    asked: tuple[date, date] | None = None,
) -> Session:
    """Let a session reach into the archive for a person, where the installation has one; returns it.

    ``asked`` as for ``Reach``.
    """
    if runtime.settings.of(ArchiveSettings).archive_url:
        with _creating:
            reader = runtime.shared(_reader_of)
        session.info[_INFO] = Reach(reader, person, is_stream=is_stream, asked=asked)
    return session


@contextmanager
def reaching(settings: Settings, user: str) -> Iterator[Callable[[Session], Session]]:
    """A function that lets sessions of a command reach into the archive, where there is one; its children end with it.

    Each question has ``archive_query_s``, and waits for its turn as a stream does.
    """
    if not settings.of(ArchiveSettings).archive_url:
        yield lambda session: session
        return
    reader = ArchiveReader(settings)

    def bound(session: Session) -> Session:
        session.info[_INFO] = Reach(reader, user, is_stream=True)
        return session

    try:
        yield bound
    finally:
        reader.close()
