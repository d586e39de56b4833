"""``sbs HOST:PORT [mlat] [place=LAT,LON] [range_nm=NM]``: BaseStation lines, as port 30003 of readsb and dump1090 sends
them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.formats.sbs import SbsDecoder
from skywatch.receivers.kinds.stream import Source, StreamReceiver, parse_source


class SbsReceiver(StreamReceiver):
    """BaseStation lines from a TCP port."""

    kind = "sbs"

    def __init__(self, name: str, source: Source) -> None:
        super().__init__(name, source)
        self._is_mlat = source.is_mlat

    def decoder(self) -> SbsDecoder:
        """A decoder for a new connection."""
        return SbsDecoder(self.invalid, is_mlat=self._is_mlat)


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> SbsReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    return SbsReceiver(name, parse_source(words, station))
