"""``beast HOST:PORT [mlat]``: binary Mode S frames, as port 30005 of readsb and dump1090 sends them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.kinds.mode_s_stream import ModeSReceiver
from skywatch.receivers.kinds.stream import parse_source


class BeastReceiver(ModeSReceiver):
    """Mode S frames as Beast bytes."""

    kind = "beast"
    framer = BeastFramer


def create(name: str, words: Words, station: Station) -> BeastReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    host, port, is_mlat = parse_source(words)
    return BeastReceiver(name, host, port, station, is_mlat=is_mlat)
