"""What a path names: traces of readsb, tars of them, state vectors, recordings; each is recognised by its content.

Nothing is unpacked to the disk: a tar is read from its beginning to its end, and links in it are not followed.
"""

from __future__ import annotations

import io
import re
import tarfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Self, cast

from skywatch.history.imports import opensky, readsb, receiver_recordings
from skywatch.history.imports.imported_points import Rows
from skywatch.inputs.options import Station
from skywatch.receivers import recordings
from skywatch.receivers.framing.bounded_gzip import unpacked
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM
from skywatch.receivers.reports.traces import PATTERN, TraceError, begins_trace

BUFFER_BYTES = 1 << 17
# In a folder these are looked at, packed with gzip or not. readsb keeps other files beside its traces.
ENDINGS = (PATTERN, "*.csv", "*.tar", "*.tgz", "*.tar.a[a-z]", "*.sbs", "*.beast", "*.bst", "*.avr", "*.jsonl")
NOT_POSITIONS = ("acas", "heatmap")
_PART = re.compile(r"(.+\.tar\.)a[a-z]")
_TAR_MAGIC = slice(257, 262), b"ustar"
KINDS = "traces of readsb or a tar of them, state vectors of OpenSky, SBS, Beast, AVR or JSON Lines"


class SourceError(ValueError):
    """A file that cannot be imported; ``str()`` is one line that names it."""


@dataclass(frozen=True)
class Source:
    """A file, or the parts of one in their order."""

    parts: tuple[Path, ...]

    @property
    def name(self) -> str:
        """Its name as the user gave it."""
        return str(self.parts[0])

    @property
    def size(self) -> int:
        """Its bytes."""
        return sum(part.stat().st_size for part in self.parts)


@dataclass
class Reading:
    """How sources are read, and what was left out of them: ``refused`` has a line for each file.

    Positions of frames farther than ``range_nm`` from the station, where their receiver stood, are not believed.
    """

    station: Station = None
    start: float | None = None
    range_nm: float = DEFAULT_RANGE_NM
    skipped: Counter[str] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    files: int = 0


def find(paths: Sequence[Path]) -> list[Source]:
    """The files that paths name, in the order of their names; raises SourceError for one that is not there."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            files += sorted(file for file in path.rglob("*") if _is_wanted(file))
        elif path.is_file():
            files.append(path)
        else:
            raise SourceError(f"{path}: {'is not a file' if path.exists() else 'no such file or folder'}")
    return list(_joined(list(dict.fromkeys(files))))


def _is_wanted(file: Path) -> bool:
    name = file.name.removesuffix(".gz")
    return file.is_file() and file.parent.name not in NOT_POSITIONS and any(fnmatch(name, ending) for ending in ENDINGS)


def _joined(files: list[Path]) -> Iterator[Source]:
    """The files, the parts of a tar (``.tar.aa``, ``.tar.ab``) as one."""
    done: set[Path] = set()
    for file in files:
        match = _PART.fullmatch(file.name)
        if file in done or match is None:
            if match is None:
                yield Source((file,))
            continue
        folder = list(file.parent.iterdir())
        parts = sorted(other for other in folder if (m := _PART.fullmatch(other.name)) and m.group(1) == match.group(1))
        for number, part in enumerate(parts):
            expected = f"{match.group(1)}a{chr(ord('a') + number)}"
            if part.name != expected:
                raise SourceError(f"{file}: the part {expected} is missing beside it")
        done.update(parts)
        yield Source(tuple(parts))


class _Member(tarfile.TarInfo):
    """A member of a tar whose end has to be there: the module takes a tar that is cut off between members as whole."""

    @classmethod
    def fromtarfile(cls, archive: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(archive)
        except (tarfile.EmptyHeaderError, tarfile.TruncatedHeaderError):  # type: ignore[attr-defined]
            raise tarfile.ReadError("the end of the tar is missing") from None


class _Parts(io.RawIOBase):
    """Files read one after the other."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__()
        self._paths = list(paths)
        self._file: BinaryIO | None = None
        self.read_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while self._file is not None or self._paths:
            if self._file is None:
                self._file = self._paths.pop(0).open("rb")
            data = self._file.read(len(buffer))
            if data:
                buffer[: len(data)] = data
                self.read_bytes += len(data)
                return len(data)
            self._file.close()
            self._file = None
        return 0

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
        super().close()


def read(source: Source, reading: Reading, on_read: Callable[[int], object]) -> Iterator[Rows]:
    """The positions of a source, some at a time; raises SourceError, after which none of them counts."""
    parts = _Parts(source.parts)
    try:
        with io.BufferedReader(parts, BUFFER_BYTES) as packed:
            stream = _buffered(packed)
            sample = stream.peek(BUFFER_BYTES)
            for rows in _of_kind(stream, sample, source, reading, on_read):
                on_read(parts.read_bytes)
                yield rows
    except (TraceError, SourceError, recordings.RecordingError) as error:
        text = str(error)
        raise SourceError(text if source.name in text else f"{source.name}: {text}") from None
    except opensky.StatesError as error:
        raise SourceError(f"{source.name}: {error}") from None
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise SourceError(f"{source.name}: is damaged or cut off ({error})") from None


def _buffered(packed: Any) -> io.BufferedReader:
    return io.BufferedReader(cast(io.RawIOBase, unpacked(packed)), BUFFER_BYTES)


def _of_kind(
    stream: io.BufferedReader, sample: bytes, source: Source, reading: Reading, on_read: Callable[[int], object]
) -> Iterator[Rows]:
    if fnmatch(source.parts[0].name, PATTERN) or begins_trace(sample):
        yield readsb.read(stream, source.name, reading.skipped)
    elif sample[_TAR_MAGIC[0]] == _TAR_MAGIC[1]:
        yield from _of_tar(stream, source.name, reading)
        return
    elif opensky.begins_states(sample):
        yield from opensky.read(stream, reading.skipped)
    else:
        yield from _of_recording(source, reading, on_read)
    reading.files += 1


def _of_recording(source: Source, reading: Reading, on_read: Callable[[int], object]) -> Iterator[Rows]:
    try:
        kind = recordings.recognise(source.name)
    except recordings.RecordingError as error:
        if "is not a recording" not in str(error):
            raise
        raise SourceError(f"{source.name}: is none of what can be imported ({KINDS})") from None
    yield from receiver_recordings.read(
        source.name, kind, reading.station, reading.range_nm, reading.start, reading.skipped, on_read
    )


def _of_tar(stream: io.BufferedReader, name: str, reading: Reading) -> Iterator[Rows]:
    """The traces and state vectors of a tar; others are passed over. A trace that is none is named and left out."""
    before = reading.files
    with tarfile.open(fileobj=stream, mode="r|", errorlevel=1, tarinfo=_Member) as archive:
        for member in archive:
            # The module remembers every member, of which a day has 60,000.
            archive.members.clear()  # type: ignore[attr-defined]
            path = PurePosixPath(member.name)
            if path.is_absolute() or ".." in path.parts:
                raise SourceError(f"{name}: holds a path that leads out of it: {member.name[:100]!a}")
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                reading.refused.append(f"{name}: {member.name[:100]!a} is a link or a device and was passed over")
                continue
            content = archive.extractfile(member)
            if content is None:
                continue
            if fnmatch(path.name, PATTERN):
                try:
                    yield readsb.read(content, f"{name}: {member.name}", reading.skipped)
                    reading.files += 1
                except TraceError as error:
                    reading.refused.append(str(error))
            elif fnmatch(path.name.removesuffix(".gz"), "*.csv") and path.parent.name not in NOT_POSITIONS:
                inner = _buffered(io.BufferedReader(cast(io.RawIOBase, content), BUFFER_BYTES))
                yield from opensky.read(inner, reading.skipped)
                reading.files += 1
    if reading.files == before:
        raise SourceError(f"{name}: has neither {PATTERN} nor state vectors in it")
