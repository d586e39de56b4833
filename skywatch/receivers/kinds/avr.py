"""``avr HOST:PORT [mlat] [place=LAT,LON] [range_nm=NM]``: Mode S frames as lines of
hexadecimal, as port 30002 of readsb and dump1090 sends them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.kinds.stream import ModeSReceiver, parse_source
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM


class AvrReceiver(ModeSReceiver):
    """Mode S frames as AVR text."""

    kind = "avr"
    framer = AvrFramer


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> AvrReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    return AvrReceiver(name, parse_source(words, station, default_nm=DEFAULT_RANGE_NM), context.tap)
