"""``avr HOST:PORT``: Mode S frames as lines of hexadecimal, as port 30002 of readsb and dump1090 sends them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words, parse_host_port
from skywatch.receivers.framing.avr import AvrFramer
from skywatch.receivers.kinds.mode_s_stream import ModeSReceiver


class AvrReceiver(ModeSReceiver):
    """Mode S frames as AVR text."""

    kind = "avr"
    framer = AvrFramer


def create(name: str, words: Words, station: Station) -> AvrReceiver:
    """Create the receiver; raises ValueError if the address is wrong."""
    return AvrReceiver(name, *parse_host_port(words), station)
