"""What the bytes of a connection mean: frames, BaseStation lines or lines of JSON, decoded to reports.

Not here: cutting bytes into frames (`receivers/framing`), and connecting (`receivers/kinds`, `inputs/transports`).
"""

from __future__ import annotations

from typing import Protocol

from skywatch.receivers.reports.documents import ReportBatch


class Decoder(Protocol):
    """Decodes the bytes of one connection; each connection has its own."""

    def feed(self, received: bytes, received_at: float) -> ReportBatch:
        """Return the reports that these bytes complete; ``received_at`` in unix seconds. Never raises for any bytes."""
