"""Lines of JSON, one object for each new position, as readsb's net-json-port sends them."""

from __future__ import annotations

from collections import Counter

from skywatch.inputs.lines import LineSplitter
from skywatch.receivers.formats import Decoder
from skywatch.receivers.reports.aircraft_json import read_line
from skywatch.receivers.reports.documents import ReportBatch
from skywatch.receivers.reports.normalisation import finish
from skywatch.receivers.reports.report import Report
from skywatch.receivers.reports.source_clock import SourceClock

MAX_LINE = 1 << 16


class LinesDecoder(Decoder):
    """Lines of one connection. Empty lines are heartbeats; a line may end with a comma."""

    def __init__(self, invalid: Counter[str]) -> None:
        self._invalid = invalid
        self._lines = LineSplitter(MAX_LINE, invalid)
        self._clock = SourceClock()

    def feed(self, received: bytes, received_at: float) -> ReportBatch:
        """The aircraft of the lines that these bytes complete."""
        reports: list[Report] = []
        positions = 0
        for line in self._lines.feed(received):
            text = line.strip(b" \t\r,")
            if not text:
                continue
            aircraft, stamp = read_line(text, self._invalid)
            if aircraft is None:
                continue
            now = received_at if stamp is None else self._clock.ours(stamp, received_at)
            if finish(aircraft, now, self._invalid):
                reports.append(aircraft)
                positions += aircraft.position_at > 0
        return ReportBatch(reports, len(reports), positions)
