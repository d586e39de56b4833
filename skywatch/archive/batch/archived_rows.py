"""The archived rows that a task reads: an hour of positions at a time, each file hashed before it is decoded."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any

import pyarrow as pa
from pyarrow import parquet as pq

from skywatch.archive.contents.manifest import DayFile, folder_of
from skywatch.archive.errors import DayError
from skywatch.archive.storage import ArchiveStorage

HOUR_S, DAY_S = 3600, 86_400
# No archived file is larger: an hour of the whole world's traffic has a tenth of it.
MAX_BYTES = 1 << 31


class ArchivedRows:
    """The rows of some days, whose files are those of their manifests; raises DayError and ArchiveStorageError.

    What cannot be read of days other than ``day`` (None: of none) is left out, and ``left_out`` says why, by day.
    """

    def __init__(
        self, storage: ArchiveStorage, files: Mapping[date, tuple[DayFile, ...]], day: date | None = None
    ) -> None:
        self._storage = storage
        self._files = files
        self._day = day
        self.left_out: dict[date, str] = {}

    def positions(self, hour: int) -> Any:
        """The positions of the hour that begins at ``hour`` (unix s), columns and order as archived; None without."""
        day = datetime.fromtimestamp(hour, UTC).date()
        return self._table(day, f"positions-{hour % DAY_S // HOUR_S:02d}")

    def flights(self, day: date, columns: list[str]) -> Any:
        """Columns of the flights that began on a day; None where there are none."""
        return self._table(day, "flights", columns)

    def has(self, day: date) -> bool:
        """Whether the day is among those that were given."""
        return day in self._files

    def _table(self, day: date, stem: str, columns: list[str] | None = None) -> Any:
        if day in self.left_out:
            return None
        try:
            return self._read(day, stem, columns)
        except DayError as error:
            if self._day is None or day == self._day:
                raise
            self.left_out[day] = str(error)
            return None

    def _read(self, day: date, stem: str, columns: list[str] | None) -> Any:
        file = next((file for file in self._files.get(day, ()) if file.stem == stem), None)
        if file is None:
            return None
        data = self._storage.read(f"{folder_of(day)}/{file.name}", min(file.bytes, MAX_BYTES))
        if len(data) != file.bytes or hashlib.sha256(data).hexdigest() != file.sha256:
            raise DayError(day, f"is damaged: {file.name} does not have the hash of the manifest", self._storage.url)
        try:
            return pq.read_table(pa.BufferReader(data), columns=columns, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise DayError(day, f"is damaged: {file.name} cannot be read ({str(error)[:80]})") from None
