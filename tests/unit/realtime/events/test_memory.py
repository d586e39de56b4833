"""What the memory of a stream keeps: the data of its events, and frames of the newest alone."""

import msgspec

from skywatch.core.bus import Message
from skywatch.realtime.connections.frames import variant_of
from skywatch.realtime.events.published import FRAMED_EVENTS, MEMORY_EVENTS, Stream
from skywatch.security.visibility import EVERYTHING


def encode(event):
    return msgspec.json.encode({"seq": event.seq, "data": msgspec.Raw(event.data)})


def test_frames_of_older_events_are_forgotten_and_made_again():
    variant = variant_of(encode, True)
    stream = Stream("alerts", "epoch", EVERYTHING)
    sent = []
    for number in range(MEMORY_EVENTS + 20):
        event = stream.add(Message("alerts", "alert:raised", msgspec.json.encode([number, "x" * 2_000])))
        sent.append(event.frame(variant))
    kept = [event for event in stream.memory if event.has_frames]
    assert [event.seq for event in kept] == [event.seq for event in list(stream.memory)[-FRAMED_EVENTS:]]
    missed = stream.since("epoch", 20)
    assert [event.frame(variant) for event in missed] == sent[20:]
