"""What ingest processes publish at the tracker: unknown versions are refused and shown, listeners added up."""

from __future__ import annotations

from skywatch.core.bus import Message, topics
from skywatch.core.bus.memory import MemoryBus
from skywatch.picture.reports_feed import NOBODY, FeederReports
from skywatch.receivers.base import ReceiverStatus
from skywatch.receivers.feeder_streams.message_codec import FeederMessage, encode
from tests.unit.receivers.feeder_streams.feeders import Feeders, callsign


class SharedBus(MemoryBus):
    """A bus that carries bytes alone."""

    carries_objects = False


class Loop:
    def call_soon_threadsafe(self, call, *arguments):
        call(*arguments)


def second(process, messages):
    feeders = Feeders(1)
    feeders.send(1, callsign(0x4B1617, "SWR12"))
    feeders.flush()
    status = ReceiverStatus(
        "in", "listen", "0.0.0.0:30004", state="listening", messages=messages, invalid={"broken": 1}
    )
    return encode(FeederMessage(process, feeders.reduce(), [status], []))


def test_an_unknown_version_is_refused_with_one_line_and_shown_in_health(caplog):
    bus, taken = SharedBus(), []
    reports = FeederReports(bus, taken.append)
    reports.start(Loop())
    for _ in range(3):
        bus.publish(Message(topics.FEEDER_REPORTS, "second", b"\x07" + second("one", 1)[1:]))
    assert taken == []
    assert "version 7; this process reads version 1" in reports._state().detail
    assert not reports._state().ok
    assert len([record for record in caplog.records if "version 7" in record.getMessage()]) == 1
    bus.publish(Message(topics.FEEDER_REPORTS, "second", second("one", 1)))
    assert [message.process for message in taken] == ["one"]
    reports.close()


def test_a_listener_of_two_processes_is_shown_once_and_one_that_nobody_opens_says_so():
    bus = SharedBus()
    reports = FeederReports(bus, lambda message: None)
    reports.start(Loop())
    for process, messages in (("one", 3), ("two", 4)):
        bus.publish(Message(topics.FEEDER_REPORTS, "second", second(process, messages)))
    both, missing = reports.statuses(["in", "other"])
    assert (both.name, both.state, both.messages, both.invalid) == ("in", "listening", 7, {"broken": 2})
    assert (missing.name, missing.state, missing.last_error) == ("other", "waiting", NOBODY)
    reports.close()
