"""Reads a series of documents from one source: corrects its clock, skips repeated documents, counts messages.

Ages are relative to the document's own ``now`` and then shifted to our clock, so that a wrong clock makes no aircraft
old. A document that does not change is read only once, so that its aircraft expire. Whether a document is JSON or
binCraft, and packed or not, is seen from its bytes.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from skywatch.receivers.reports.bincraft import RowReader, is_bincraft, unpacked
from skywatch.receivers.reports.json_columns import ColumnReader
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.report_columns import DocumentColumns
from skywatch.receivers.reports.source_clock import SourceClock

# Clock difference above which the first document of a source is ignored until its time advances (s).
TRUSTED_DIFFERENCE_S = 10.0
# Ages of a file below this are due to the resolution of its time stamp and the interval of its writer (s).
FRESH_S = 5.0
# More messages than any receiver receives between two documents.
MAX_MESSAGES = 100_000_000


class ReportBatch(NamedTuple):
    """The reports of one document or one read, with their number of messages and of positions.

    The positions of snapshots are those that were received after ``newer_than`` (unix s).
    """

    reports: Sequence[Report]
    messages: int
    positions: int
    newer_than: float = -math.inf


NOTHING = ReportBatch([], 0, 0)


class DocumentReader:
    """Reads the documents of one source in their order; counts what is invalid in ``invalid``."""

    def __init__(self, invalid: Counter[str]) -> None:
        self.invalid = invalid
        self._clock = SourceClock()
        self._stamp: float | None = None
        self._body_hash: int | None = None
        self._last_now = 0.0
        self._count: int | None = None
        self._rows, self._json = RowReader(), ColumnReader()

    def read(self, body: bytes, received_at: float, age_s: float | None = None) -> ReportBatch | None:
        """The reports of a document, or None if it is a repetition or its time cannot be trusted yet.

        ``received_at`` is our time, ``age_s`` the age of the document if known (of a file, or by the server's clock).
        Raises DocumentError if the bytes are not a document.
        """
        refused: Counter[str] = Counter()
        document = self._decoded(unpacked(body), refused)
        age_s = None if age_s is None else age_s if age_s > FRESH_S else 0.0
        written_at = received_at - (age_s or 0.0)
        if document.now is None:
            now = written_at
            if not self._is_new_body(body):
                return None
        else:
            if document.now == self._stamp:
                return None
            first, self._stamp = self._stamp is None, document.now
            if first and age_s is None and abs(received_at - document.now) > TRUSTED_DIFFERENCE_S:
                # Either the clock is wrong or the document is stale: its next time decides.
                return None
            now = self._clock.ours(document.now, written_at)
        # What is wrong in a document that is repeated is counted once.
        self.invalid.update(refused)
        newer_than, self._last_now = self._last_now, now
        reports, received, positions = document.finish(now, newer_than)
        return ReportBatch(reports, self._messages(document.messages, received), positions, newer_than)

    def _decoded(self, body: bytes, refused: Counter[str]) -> DocumentColumns:
        return (self._rows if is_bincraft(body) else self._json).read(body, refused)

    def _is_new_body(self, body: bytes) -> bool:
        previous, self._body_hash = self._body_hash, hash(body)
        return previous != self._body_hash

    def _messages(self, count: int | None, aircraft_count: int) -> int:
        previous, self._count = self._count, count
        return growth(previous, count, aircraft_count)


def growth(previous: int | None, count: int | None, aircraft_count: int) -> int:
    """The number of messages between two documents: by their counts, or one for each of ``aircraft_count``.

    The counts are not used if they are missing, after a restart of the source, or if they are implausible.
    """
    if previous is None or count is None or not 0 <= count - previous <= MAX_MESSAGES:
        return aircraft_count
    return count - previous
