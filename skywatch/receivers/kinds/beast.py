"""``beast HOST:PORT [mlat] [place=LAT,LON] [range_nm=NM]``: binary Mode S frames, as port 30005 of readsb and dump1090
sends them."""

from __future__ import annotations

from skywatch.inputs.options import Station, Words
from skywatch.receivers.context import ReceiverContext
from skywatch.receivers.framing.beast import BeastFramer
from skywatch.receivers.kinds.stream import ModeSReceiver, parse_source
from skywatch.receivers.mode_s.position.plausibility import DEFAULT_RANGE_NM


class BeastReceiver(ModeSReceiver):
    """Mode S frames as Beast bytes."""

    kind = "beast"
    framer = BeastFramer


def create(name: str, words: Words, station: Station, context: ReceiverContext) -> BeastReceiver:
    """Create the receiver; raises ValueError if the address or an option is wrong."""
    return BeastReceiver(name, parse_source(words, station, default_nm=DEFAULT_RANGE_NM), context.tap)
