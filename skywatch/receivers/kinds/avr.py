"""``avr HOST:PORT [mlat]``: Mode S frames as lines of hexadecimal, as port 30002 of readsb and dump1090 sends them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.kinds.mode_s_stream import ModeSReceiver
from skywatch.receivers.kinds.stream import parse_source


class AvrReceiver(ModeSReceiver):
    """Mode S frames as AVR text."""

    kind = "avr"
    framer = AvrFramer


def create(name: str, words: Words, station: Station) -> AvrReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    host, port, is_mlat = parse_source(words)
    return AvrReceiver(name, host, port, station, is_mlat=is_mlat)
