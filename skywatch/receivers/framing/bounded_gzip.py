"""Unpacks gzip with a bound: what grows without end out of a few bytes was made to fill a disk or a memory."""

from __future__ import annotations

import gzip
import io
from typing import BinaryIO, cast

GZIP_MAGIC = b"\x1f\x8b"
# Text of receivers shrinks to a tenth, at most to a fiftieth. So many bytes are unpacked whatever they came from.
MAX_TIMES = 200
FREE_BYTES = 256_000_000


class TooLarge(OSError):
    """The content is far larger than what it is packed in."""


class BoundedGzip(gzip.GzipFile):
    """A gzip stream that refuses to unpack to more than ``MAX_TIMES`` its size; raises TooLarge."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = _Counting(packed)
        super().__init__(fileobj=self._packed, mode="rb")
        self._unpacked = 0

    def read(self, size: int | None = -1) -> bytes:
        """Some bytes."""
        return self._counted(super().read(size))

    def read1(self, size: int = -1) -> bytes:
        """Some bytes, in one step."""
        return self._counted(super().read1(size))

    def close(self) -> None:
        """Close it and what it is packed in."""
        super().close()
        self._packed.close()

    def _counted(self, data: bytes) -> bytes:
        self._unpacked += len(data)
        if self._unpacked > max(FREE_BYTES, MAX_TIMES * self._packed.count):
            raise TooLarge(f"it unpacks to more than {MAX_TIMES} times its size")
        return data


class _Counting(io.RawIOBase):
    """Passes bytes on and counts them."""

    def __init__(self, source: BinaryIO) -> None:
        super().__init__()
        self._source = source
        self.count = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        data = self._source.read(size)
        self.count += len(data)
        return data

    def tell(self) -> int:
        return self.count

    def close(self) -> None:
        self._source.close()
        super().close()


def unpacked(stream: io.BufferedReader) -> BinaryIO:
    """The content of a stream: unpacked where it is gzip."""
    is_packed = stream.peek(2)[:2] == GZIP_MAGIC
    return cast(BinaryIO, BoundedGzip(cast(BinaryIO, stream))) if is_packed else cast(BinaryIO, stream)
