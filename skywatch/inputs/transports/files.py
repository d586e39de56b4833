"""``file PATH``: reads a file of lines to its end and follows it, through rotation, truncation and restarts.

The position belongs to the feature: it comes with every batch, is stored with the batch's messages, and is read
before the file is opened for the first time, which waits while the database is away. A file that was renamed meanwhile
(``log`` to ``log.1``) is read to its end first.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import stat
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from skywatch.core.database.engine import is_outage, reason
from skywatch.inputs.base import (
    Consumer,
    Decoder,
    DecoderFactory,
    FilePosition,
    InputStatus,
    Message,
    StoredPosition,
)
from skywatch.inputs.options import Options, Words
from skywatch.inputs.retrying_input import InputError, MessageInput
from skywatch.sentences import sentence

READ_BYTES = 1 << 17
# How often the file is looked at when nothing was added to it.
FOLLOW_EVERY_S = 0.5
MAX_LINE = 1 << 20
SAMPLE_BYTES = 256


class FileInput(MessageInput[Message]):
    """Messages from the lines of a file that a program appends to."""

    def __init__(
        self,
        status: InputStatus,
        path: Path,
        decoder: DecoderFactory[Message],
        consumer: Consumer[Message],
        position: StoredPosition | None = None,
    ) -> None:
        super().__init__(status, consumer)
        self._path = path
        self._decoder = decoder
        self._stored = position
        self._position: FilePosition | None = None

    async def session(self) -> None:
        """Follow the file and those that take its place; raises InputError while the stored position is unknown."""
        if self._stored is not None:
            self._position = await asyncio.to_thread(_read_stored, self._stored)
            self._stored = None
        renamed = await asyncio.to_thread(_find_renamed, self._path, self._position)
        if renamed is not None:
            async with self._open(renamed) as file:
                if file.continues:
                    decoder = self._decoder(self.invalid)
                    await self._read_to_end(file, decoder)
                    self._deliver(file, decoder, file.take_rest())
        while True:
            async with self._open(self._path) as file:
                self.set_connected()
                await self._follow(file)

    @asynccontextmanager
    async def _open(self, path: Path) -> AsyncIterator[FollowedFile]:
        # A file on a network may hang: never on the loop.
        file = await asyncio.to_thread(FollowedFile, path, self._position)
        try:
            yield file
        finally:
            await asyncio.to_thread(file.close)

    async def _follow(self, file: FollowedFile) -> None:
        """Read until another file has taken this one's place, which is then finished."""
        decoder = self._decoder(self.invalid)
        while True:
            await self._read_to_end(file, decoder)
            if not await asyncio.to_thread(file.is_current):
                # What was written between the last read and the rotation.
                await self._read_to_end(file, decoder)
                self._deliver(file, decoder, file.take_rest())
                return
            await asyncio.sleep(FOLLOW_EVERY_S)

    async def _read_to_end(self, file: FollowedFile, decoder: Decoder[Message]) -> None:
        while True:
            lines = await asyncio.to_thread(file.read_lines)
            if file.too_long:
                self.invalid["too_long"] += file.too_long
                file.too_long = 0
            if lines is None:
                return
            self._deliver(file, decoder, lines)
            await self._consumer.ready()

    def _deliver(self, file: FollowedFile, decoder: Decoder[Message], lines: bytes) -> None:
        if lines:
            self._position = file.position()
            self.deliver(decoder.feed(lines, time.time()), str(self._path), self._position)


class FollowedFile:
    """An open file that grows. Goes on at ``position`` where that is of this file. Blocks: for threads.

    Raises OSError where it cannot be opened, InputError where it is no regular file.
    """

    def __init__(self, path: Path, position: FilePosition | None) -> None:
        self._path = path
        self.too_long = 0
        self._file = _open_regular(path)
        status = os.fstat(self._file.fileno())
        self._device, self._inode = status.st_dev, status.st_ino
        # The first bytes: a file that was emptied and filled again begins otherwise.
        self._head = self._file.read(SAMPLE_BYTES)
        self._rest = b""
        self._skipping = False
        self.continues = position is not None and self._matches(position, status.st_size)
        # Offset behind the last line that was handed out.
        self._offset = position.offset if position is not None and self.continues else 0
        self._file.seek(self._offset)

    def read_lines(self) -> bytes | None:
        """The next whole lines, empty where a line goes on, None where there is nothing more for now."""
        self._start_over_if_truncated()
        chunk = self._file.read(READ_BYTES)
        if not chunk:
            return None
        if len(self._head) < SAMPLE_BYTES:
            self._file.seek(0)
            self._head = self._file.read(SAMPLE_BYTES)
            self._file.seek(self._offset + len(self._rest) + len(chunk))
        data = self._rest + chunk
        end = data.rfind(b"\n") + 1
        lines, self._rest = data[:end], data[end:]
        self._offset += end
        if lines and self._skipping:
            # The end of a line that was too long.
            lines = lines[lines.index(b"\n") + 1 :]
            self._skipping = False
        if len(self._rest) > MAX_LINE:
            self.too_long += not self._skipping
            self._skipping = True
            self._offset += len(self._rest)
            self._rest = b""
        return lines

    def take_rest(self) -> bytes:
        """A last line without an end; for files that nobody writes any more."""
        rest, self._rest = self._rest, b""
        self._offset += len(rest)
        return b"" if self._skipping or not rest else rest + b"\n"

    def position(self) -> FilePosition:
        """Behind what was handed out."""
        sample = self._head[: self._offset]
        return FilePosition(self._device, self._inode, self._offset, len(sample), _digest(sample))

    def is_current(self) -> bool:
        """Whether the path still names this file; while it names none, its successor is being waited for."""
        try:
            status = os.stat(self._path)
        except FileNotFoundError:
            return True
        return (status.st_dev, status.st_ino) == (self._device, self._inode)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _start_over_if_truncated(self) -> None:
        descriptor = self._file.fileno()
        is_shorter = os.fstat(descriptor).st_size < self._offset + len(self._rest)
        if is_shorter or os.pread(descriptor, len(self._head), 0) != self._head:
            self._offset, self._rest, self._head, self._skipping = 0, b"", b"", False
            self._file.seek(0)

    def _matches(self, position: FilePosition, size: int) -> bool:
        return (
            (self._device, self._inode) == (position.device, position.inode)
            and size >= position.offset
            and _digest(self._head[: position.sample]) == position.digest
        )


def _open_regular(path: Path) -> BinaryIO:
    # Not to hang on a pipe that nobody writes to.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputError(sentence("input.not_a_file", "is not a regular file"))
    return os.fdopen(descriptor, "rb", buffering=0)


def _read_stored(position: StoredPosition) -> FilePosition | None:
    """To begin without it would read messages twice: an outage is waited for."""
    try:
        return position()
    except Exception as error:
        if is_outage(error):
            raise InputError(
                sentence("input.no_position_to_go_on", "where to go on cannot be read: {error}", error=reason(error))
            ) from None
        raise


def _digest(sample: bytes) -> str:
    return hashlib.sha256(sample).hexdigest() if sample else ""


def _find_renamed(path: Path, position: FilePosition | None) -> Path | None:
    """The file that was read last, where it has another name in its folder now."""
    if position is None:
        return None
    try:
        with os.scandir(path.parent) as entries:
            for entry in entries:
                if entry.inode() != position.inode or entry.name == path.name:
                    continue
                if entry.is_file(follow_symlinks=False) and entry.stat().st_dev == position.device:
                    return Path(entry.path)
    except OSError:
        return None
    return None


def create(
    family: str,
    name: str,
    words: Words,
    decoder: DecoderFactory[Message],
    consumer: Consumer[Message],
    position: StoredPosition | None = None,
) -> FileInput[Message]:
    """Raises ValueError where the path or an option is wrong; a file that is not there yet is waited for."""
    if not words:
        raise ValueError(sentence("input.expected_path", "expected the path of a file"))
    Options(words[1:]).finish()
    path = Path(words[0]).expanduser()
    status = InputStatus(name=name, kind="file", address=str(path), family=family)
    return FileInput(status, path, decoder, consumer, position)
