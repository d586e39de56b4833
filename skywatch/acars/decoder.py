"""``AcarsDecoder``: the bytes of one sender as bursts, from datagrams, lines and texts split over packets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skywatch.acars.envelopes import Burst, FramePosition, read

LONGEST = 65_536


class AcarsDecoder:
    """See ``skywatch.inputs.base.Decoder``. Data without a message is counted in ``invalid`` by reason.

    Complete lines are read as they come. A rest without a line end is read when it is complete JSON, as datagrams
    are, and otherwise buffered for the next packet; a rest that a new object interrupts is dropped.
    """

    def __init__(self, invalid: Counter[str]) -> None:
        self._invalid = invalid
        self._rest = b""

    def feed(self, received: bytes, received_at: float) -> Sequence[Burst | FramePosition]:
        """The content that is complete with these bytes."""
        if self._rest:
            whole = self._whole(received)
            if whole is not None:
                # A datagram of its own: what is left of the one before was cut.
                self._invalid["json"] += 1
                self._rest = b""
                return whole
        *lines, rest = (self._rest + received).split(b"\n")
        self._rest = b""
        items: list[Burst | FramePosition] = []
        for line in lines:
            items += read(line, self._invalid)
        rest = rest.strip(b" \t\r,\0")
        if not rest:
            return items
        whole = self._whole(rest)
        if whole is not None:
            items += whole
        elif rest[:1] == b"{" and len(rest) <= LONGEST:
            self._rest = rest
        else:
            self._invalid["json" if len(rest) <= LONGEST else "too_long"] += 1
        return items

    def _whole(self, data: bytes) -> list[Burst | FramePosition] | None:
        """The content of complete objects, or None where the bytes are no such."""
        data = data.strip(b" \t\r\n,\0")
        if data[:1] != b"{" or data[-1:] != b"}":
            return None
        counts: Counter[str] = Counter()
        items = read(data, counts)
        if counts["json"]:
            return None
        self._invalid.update(counts)
        return items
