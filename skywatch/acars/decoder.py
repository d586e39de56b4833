"""The bytes of one sender as bursts: ``StreamDecoder`` for connections and files, ``DatagramDecoder`` for datagrams."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from skywatch.acars.envelopes import Burst, FramePosition, complete_length, read
from skywatch.acars.envelopes.packets import SEPARATORS
from skywatch.inputs.base import DecoderFactory

LONGEST = 65_536
SEARCH_FROM = 8_192
Contents = list[Burst | FramePosition]
_SEPARATORS = SEPARATORS.encode()
# What a text begins and ends with: objects, or a list of them.
_BEGIN = re.compile(rb"(?:\[\s{0,9})?(?:\{|\Z)")
_ENDS = (b"}", b"]")


def decoder_for(setting: str) -> DecoderFactory[Burst | FramePosition]:
    """The decoder for an input by the text of its setting."""
    return DatagramDecoder if setting.split(maxsplit=1)[:1] == ["udp"] else StreamDecoder


class _Decoder:
    """See ``skywatch.inputs.base.Decoder``. Data without a message is counted in ``invalid`` by reason."""

    def __init__(self, invalid: Counter[str]) -> None:
        self._invalid = invalid
        # What goes on in the next packet, exactly as it came: white space within a text is part of it.
        self._rest = b""

    def _whole(self, data: bytes, *, is_one: bool = True) -> Contents | None:
        """The content of complete objects, or None where the bytes are no such.

        Those that are damaged within are complete, too, unless the bytes are put together (not ``is_one``).
        """
        data = data.strip(_SEPARATORS)
        if len(data) > LONGEST or not (data.endswith(_ENDS) and _BEGIN.match(data)):
            return None
        counts: Counter[str] = Counter()
        is_complete = is_one and data.count(b"{") == data.count(b"}")
        items = read(data, counts, lenient=is_complete)
        if counts["json"] and not is_complete:
            return None
        self._invalid.update(counts)
        return items


class StreamDecoder(_Decoder):
    """Reads lines as they become complete, wherever packets end; a rest without a line end once it is complete JSON."""

    def __init__(self, invalid: Counter[str]) -> None:
        super().__init__(invalid)
        # The line that is being received is too long: it is dropped up to its end.
        self._is_skipping = False
        # The length from which on a rest is searched for complete objects at its beginning.
        self._search_from = SEARCH_FROM

    def feed(self, received: bytes, received_at: float) -> Sequence[Burst | FramePosition]:
        """The content that is complete with these bytes."""
        *lines, rest = (self._rest + received).split(b"\n")
        self._rest = b""
        items: Contents = []
        for line in lines:
            if not self._is_skipping:
                items += read(line, self._invalid)
            self._is_skipping, self._search_from = False, SEARCH_FROM
        return items if self._is_skipping else items + self._read_rest(rest.lstrip(_SEPARATORS))

    def _read_rest(self, rest: bytes) -> Contents:
        whole = self._whole(rest) if len(rest) <= LONGEST else None
        if whole is not None:
            return whole
        items: Contents = []
        if len(rest) >= min(self._search_from, LONGEST + 1):
            # Objects without a line end between them, of which the last one goes on.
            complete = complete_length(rest[:LONGEST])
            items = read(rest[:complete], self._invalid)
            rest = rest[complete:]
            # Twice as long each time: a long text in small packets is not searched with each of them.
            self._search_from = SEARCH_FROM if complete else 2 * len(rest)
        if rest and len(rest) <= LONGEST and _BEGIN.match(rest):
            self._rest = rest
        elif rest:
            self._is_skipping = len(rest) > LONGEST
            self._invalid["too_long" if self._is_skipping else "json"] += 1
        return items


class DatagramDecoder(_Decoder):
    """Reads each datagram; one that is not complete JSON is buffered for the next, unless that is a text of its own."""

    def feed(self, received: bytes, received_at: float) -> Sequence[Burst | FramePosition]:
        """The content that is complete with these bytes."""
        if self._rest:
            whole = self._whole(self._rest + received, is_one=False)
            if whole is None:
                whole = self._whole(received)
                if whole is not None:
                    # The one before was cut: what stands before the cut is read.
                    whole = read(self._rest, self._invalid) + whole
            if whole is not None:
                self._rest = b""
                return whole
        *lines, rest = (self._rest + received).split(b"\n")
        self._rest = b""
        items: Contents = []
        for line in lines:
            items += read(line, self._invalid)
        rest = rest.lstrip(_SEPARATORS)
        whole = self._whole(rest)
        if whole is not None:
            items += whole
        elif rest and len(rest) <= LONGEST and _BEGIN.match(rest):
            self._rest = rest
        elif rest:
            self._invalid["json" if len(rest) <= LONGEST else "too_long"] += 1
        return items
