"""A recording by a feeder that connects to us, and by a receiver that we connect to: the same picture."""

from __future__ import annotations

from typing import Any

import pytest

from skywatch.receivers.factory import open_receiver
from tests.unit.picture.test_feeders import Clock, Process, make_picture

# What the encoder's clock and the grouping by seconds cannot change.
FIELDS = ("flight", "squawk", "alt_baro", "on_ground", "category", "lat", "lon", "gs", "track", "baro_rate")
SECONDS = 61
# Bytes that are read at once.
PIECE = 700


def parts_of(recording: bytes) -> list[bytes]:
    """A recording in as many parts as it has seconds, cut anywhere as sockets do."""
    size = len(recording) // SECONDS + 1
    return [recording[begin : begin + size] for begin in range(0, len(recording), size)]


def played(recording: bytes, turns: int) -> tuple[dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """The aircraft at the end of a recording that is looped: by connecting out, and by a trusted feeder."""
    clock = Clock()
    outward, inward = make_picture(clock), make_picture(clock)
    decoder = open_receiver("roof", "beast 10.0.0.2:30005", None).decoder()
    process = Process(inward, 1, trusted=(1,))
    for part in parts_of(recording) * turns:
        for begin in range(0, len(part), PIECE):
            piece = part[begin : begin + PIECE]
            clock.now += len(piece) / len(part)
            batch = decoder.feed(piece, clock.now)
            outward.put("roof", batch.reports, batch.messages)
            process.feeders.connections[1].receive(piece)
            process.feeders.at = clock.now
            process.feeders.flush(0.0)
        process.intake.take(process.feeders.reduce())
        skies = [picture.tick() for picture in (outward, inward)]
    one, other = ({address: sky.aircraft(address) for address in sky.index} for sky in skies)
    return one, other


@pytest.mark.deep("costs over a processor second")
def test_a_looped_recording_makes_the_same_picture_whichever_side_connects(shared_data):
    one, other = played((shared_data / "raw" / "ulss7_61s.beast").read_bytes(), turns=2)
    assert len(one) == 11
    assert one.keys() == other.keys()
    for address, aircraft in one.items():
        shown = {name: aircraft.get(name) for name in FIELDS}
        assert shown == {name: other[address].get(name) for name in FIELDS}, address
