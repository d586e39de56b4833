"""A series of documents from one source: whose clock is off, that stand still, whose message counts grow.

Ages are told against the document's own ``now`` and then shifted to our clock, so that a wrong clock makes no
aircraft old; and a document that stands still is taken once, so that it makes none immortal.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from skywatch.receivers.aircraft_json import read_document
from skywatch.receivers.finishing import finish
from skywatch.receivers.report import Report
from skywatch.receivers.source_clock import SourceClock

# The first document of a source whose clock differs by more than this is held until its time moves.
TRUSTED_DIFFERENCE_S = 10.0
# Ages of a file below this are the grain of its time stamp and the pace of its writer.
FRESH_S = 5.0
# More messages than any receiver hears between two documents.
MOST_MESSAGES = 100_000_000


class Heard(NamedTuple):
    """What one document or one read brought."""

    reports: list[Report]
    messages: int
    positions: int


NOTHING = Heard([], 0, 0)


class DocumentReader:
    """Reads the documents of one source in their order; counts what is invalid in ``invalid``."""

    def __init__(self, invalid: Counter[str]) -> None:
        self.invalid = invalid
        self._clock = SourceClock()
        self._stamp: float | None = None
        self._body_hash: int | None = None
        self._held = False
        self._heard_after = 0.0
        self._count: int | None = None

    def read(self, body: bytes, received_at: float, age_s: float | None = None) -> Heard | None:
        """Reports of a document, or None where it is the one before or has to be held for now.

        ``received_at`` is our time, ``age_s`` for how long the document has been lying there, where that is known
        (of a file, or by the server's own clock). Raises DocumentError where the bytes are no document.
        """
        document = read_document(body, self.invalid)
        age_s = None if age_s is None else age_s if age_s > FRESH_S else 0.0
        made_at = received_at - (age_s or 0.0)
        if document.now is None:
            now = made_at
            if not self._is_new_body(body):
                return None
        else:
            if document.now == self._stamp:
                return None
            first, self._stamp = self._stamp is None, document.now
            if first and age_s is None and abs(received_at - document.now) > TRUSTED_DIFFERENCE_S:
                # Either the clock is off or nobody writes any more; its next time will tell.
                return None
            now = self._clock.ours(document.now, made_at)
        reports, heard, positions = finish(document.aircraft, now, self._heard_after, self.invalid)
        self._heard_after = now
        return Heard(reports, self._messages(document.messages, heard), positions)

    def _is_new_body(self, body: bytes) -> bool:
        previous, self._body_hash = self._body_hash, hash(body)
        return previous != self._body_hash

    def _messages(self, count: int | None, heard: int) -> int:
        previous, self._count = self._count, count
        return growth(previous, count, heard)


def growth(previous: int | None, count: int | None, heard: int) -> int:
    """How many messages came between two documents: by their counts, or one for each of ``heard`` aircraft.

    The counts say nothing where there are none, after the source was started anew, and where they are absurd.
    """
    if previous is None or count is None or not 0 <= count - previous <= MOST_MESSAGES:
        return heard
    return count - previous
