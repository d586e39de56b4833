"""``readsb-lines HOST:PORT [place=LAT,LON] [range_nm=NM]``: one JSON object per line for each new
position, as readsb's net-json-port sends them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.formats.json_lines import LinesDecoder
from skywatch.receivers.kinds.stream import StreamReceiver, parse_source


class ReadsbLinesReceiver(StreamReceiver):
    """Lines of JSON from readsb."""

    kind = "readsb-lines"

    def decoder(self) -> LinesDecoder:
        """A decoder for a new connection."""
        return LinesDecoder(self.invalid)


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> ReadsbLinesReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    return ReadsbLinesReceiver(name, parse_source(words, station, may_be_mlat=False))
