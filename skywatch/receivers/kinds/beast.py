"""``beast HOST:PORT``: binary Mode S frames, as port 30005 of readsb and dump1090 sends them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words, parse_host_port
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.kinds.mode_s_stream import ModeSReceiver


class BeastReceiver(ModeSReceiver):
    """Mode S frames as Beast bytes."""

    kind = "beast"
    framer = BeastFramer


def create(name: str, words: Words, station: Station) -> BeastReceiver:
    """Create the receiver; raises ValueError if the address is wrong."""
    return BeastReceiver(name, *parse_host_port(words), station)
