"""What the memory of a stream keeps: the data of its events, and frames of the newest alone."""

import msgspec

from skywatch.core.bus import Message
from skywatch.features import FEATURES
from skywatch.realtime.connections.frames import variant_of
from skywatch.realtime.events.published import FRAMED_EVENTS, EventLog, Stream
from skywatch.realtime.topics import TopicTable
from skywatch.security.visibility import EVERYTHING

KEPT = 200


def encode(event):
    return msgspec.json.encode({"seq": event.seq, "data": msgspec.Raw(event.data)})


def test_frames_of_older_events_are_forgotten_and_made_again():
    variant = variant_of(encode, True)
    stream = Stream("alerts", "epoch", EVERYTHING, KEPT)
    sent = []
    for number in range(KEPT + 20):
        event = stream.add(Message("alerts", "alert:raised", msgspec.json.encode([number, "x" * 2_000])))
        sent.append(event.frame(variant))
    kept = [event for event in stream.memory if event.has_frames]
    assert [event.seq for event in kept] == [event.seq for event in list(stream.memory)[-FRAMED_EVENTS:]]
    missed = stream.since("epoch", 20)
    assert [event.frame(variant) for event in missed] == sent[20:]


def test_statuses_are_kept_for_minutes_and_alerts_for_long():
    topics = TopicTable(FEATURES)
    kept = {}
    for name, event in (("system", "system:status"), ("alerts", "alert:triggered")):
        log = EventLog(name, topics, "start")
        stream = log.stream_for(EVERYTHING)
        for number in range(600):
            list(log.publish(Message(name, event, b"%d" % number)))
        kept[name] = (len(log.recent), len(stream.memory))
        assert [event.data for event in stream.since(stream.epoch, 598)] == [b"598", b"599"]
        assert stream.since(stream.epoch, 600 - kept[name][1] - 1) is None
    assert kept == {"system": (30, 30), "alerts": (500, 500)}
