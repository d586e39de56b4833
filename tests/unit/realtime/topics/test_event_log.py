"""What is remembered of events: of a stream its events, and frames of the newest alone; of a topic what is whose."""

import msgspec
import pytest

from skywatch.core.bus import Message
from skywatch.core.bus.base import Audience
from skywatch.features import FEATURES
from skywatch.realtime.topics.event_log import FRAMED_EVENTS, MEMORY_BYTES, EventLog, Stream
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.wire.frames import variant_of
from skywatch.security.visibility import EVERYTHING, Visibility

KEPT = 200
MODEST, GREEDY, THIRD, MANAGER = 1, 2, 3, 4


def encode(event):
    return msgspec.json.encode({"seq": event.seq, "data": msgspec.Raw(event.data)})


def test_frames_of_older_events_are_forgotten_and_made_again():
    variant = variant_of(encode, True)
    stream = Stream("alerts", "epoch", EVERYTHING, KEPT)
    sent = []
    for number in range(KEPT + 20):
        data = msgspec.json.encode([number, "x" * 2_000])
        event = stream.add(Message("alerts", "alert:raised", data), data)
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


def alert_of(user, number, size=0):
    data = msgspec.json.encode({"id": number, "text": "x" * size})
    return Message("alerts", "alert:triggered", data, Audience(frozenset({user}), "alerts.manage_all"))


def shown_to(log, visibility):
    """The numbers of the alerts in a snapshot."""
    events = msgspec.json.decode(log.data(visibility, 0.0))["events"]
    return [event["data"]["id"] for event in events]


def seen_by(user, *permissions):
    return Visibility(user, frozenset({"alerts.view", *permissions}))


@pytest.mark.parametrize("size", [0, 20_000])
def test_one_greedy_person_pushes_nobody_out_of_what_is_remembered(size):
    log = EventLog("alerts", TopicTable(FEATURES), "start")
    for number in range(3):
        list(log.publish(alert_of(MODEST, number)))
    for number in range(1000, 3000):
        list(log.publish(alert_of(GREEDY, number, size)))
    list(log.publish(alert_of(THIRD, 5000)))
    assert shown_to(log, seen_by(MODEST)) == [0, 1, 2]
    assert shown_to(log, seen_by(GREEDY)) == list(range(2900, 3000))
    assert shown_to(log, seen_by(MANAGER, "alerts.manage_all")) == [0, 1, 2, *range(2904, 3000), 5000]
    assert len(log.recent) <= log.topic.kept
    assert sum(message.size for message in log.recent) <= MEMORY_BYTES


def test_what_is_remembered_has_an_end_however_many_users_there_are():
    log = EventLog("alerts", TopicTable(FEATURES), "start")
    for user in range(2000):
        list(log.publish(alert_of(user, user)))
    assert [message.audience.users for message in log.recent] == [frozenset({user}) for user in range(1500, 2000)]
    assert shown_to(log, seen_by(MANAGER, "alerts.manage_all")) == list(range(1900, 2000))
