"""What feeders of different processes sent alike is agreed, dated by the first; what was replayed is not."""

from __future__ import annotations

import numpy as np
import pytest

from skywatch.receivers.feeder_streams.agreement import ProcessAgreement
from skywatch.receivers.feeder_streams.reducer.reports import reports_of
from tests.unit.receivers.feeder_streams.feeders import START, Feeders, callsign, pair

PLANE = 0x4B1617


def bring(agreement, process, number, *frames, at=0.1, **options):
    """Let a feeder of a process send frames at so many seconds from START."""
    feeders = Feeders(number, **options)
    feeders.send(number, *frames)
    feeders.gatherer.flush(START + at)
    reduction = feeders.hub.reduce(START + at)
    agreement.add(process, reduction.alone, reduction.lanes, START + at)
    return reduction


def agreed(agreement, at=0.9):
    return {report.hex: report for report in reports_of(agreement.agree(START + at))}


def test_what_feeders_of_two_processes_sent_alike_is_agreed_once():
    agreement = ProcessAgreement()
    frames = (*pair(PLANE, 47.5, 8.5), callsign(PLANE, "SWR12"))
    bring(agreement, "one", 1, *frames)
    bring(agreement, "two", 2, *frames, callsign(PLANE, "OTHER"), at=0.6)
    report = agreed(agreement)["4b1617"]
    assert (report.flight, round(report.lat, 3), round(report.lon, 3), report.voices) == ("SWR12", 47.5, 8.5, 2)
    # Who is late makes nothing newer, and each transmission was counted where it was heard.
    assert report.position_at == pytest.approx(START + 0.1, abs=0.1)
    assert report.messages == 0
    assert agreed(agreement, 1.9) == {}


def test_feeders_without_a_record_of_two_processes_agree_on_nothing():
    agreement = ProcessAgreement()
    bring(agreement, "one", -1, callsign(PLANE, "SWR12"), networks={-1: "198.51.100.7/32"})
    bring(agreement, "two", -1_001, callsign(PLANE, "SWR12"), networks={-1_001: "2001:db8:1:2::/64"})
    assert agreed(agreement) == {}


def test_what_comes_with_the_next_second_is_agreed_then():
    agreement = ProcessAgreement()
    bring(agreement, "one", 1, callsign(PLANE, "SWR12"), at=0.9)
    agreement.add("two", Feeders(2).reduce().alone, {}, START + 0.9)
    assert agreed(agreement, 1.0) == {}
    bring(agreement, "two", 2, callsign(PLANE, "SWR12"), at=1.1)
    assert agreed(agreement, 2.0)["4b1617"].flight == "SWR12"


def test_the_same_bytes_more_than_a_second_later_are_a_replay():
    agreement = ProcessAgreement()
    bring(agreement, "one", 1, *pair(PLANE, 47.5, 8.5))
    bring(agreement, "two", 2, *pair(PLANE, 47.5, 8.5), at=1.4)
    assert agreed(agreement, 1.9) == {}


def test_one_process_alone_is_not_asked_twice():
    agreement = ProcessAgreement()
    bring(agreement, "one", 1, callsign(PLANE, "SWR12"))
    bring(agreement, "one", 2, callsign(PLANE, "SWR12"))
    assert agreed(agreement) == {}


@pytest.mark.parametrize(
    "together", [{"owners": {1: 5, 2: 5}}, {"networks": {1: "10.0.0.1/32", 2: "10.0.0.1/32"}}], ids=["owner", "network"]
)
def test_feeders_of_one_owner_or_network_do_not_confirm_each_other(together):
    agreement = ProcessAgreement()
    bring(agreement, "one", 1, callsign(PLANE, "SWR12"), **together)
    bring(agreement, "two", 2, callsign(PLANE, "SWR12"), **together)
    assert agreed(agreement) == {}


def test_trusted_feeders_at_two_processes_confirm_each_other():
    agreement, together = ProcessAgreement(), {"owners": {1: 5, 2: 5}, "trusted": (1, 2)}
    bring(agreement, "one", 1, callsign(PLANE, "SWR12"), **together)
    bring(agreement, "two", 2, callsign(PLANE, "SWR12"), **together)
    assert agreed(agreement)["4b1617"].voices == 2


def test_a_feeder_that_moved_to_another_process_is_one_voice():
    agreement = ProcessAgreement()
    bring(agreement, "one", 1, callsign(PLANE, "SWR12"))
    bring(agreement, "two", 1, callsign(PLANE, "SWR12"))
    assert agreed(agreement) == {}


def test_only_frames_leave_a_process_on_which_its_feeders_do_not_agree():
    feeders = Feeders(1, 2)
    for number in (1, 2):
        feeders.send(number, *pair(PLANE, 47.5, 8.5), callsign(PLANE, "SWR12"))
    feeders.send(1, *(callsign(0x400001, "ALONE") for _ in range(3)))
    feeders.flush()
    alone = feeders.reduce().alone
    assert np.unique(alone.key & 0xFFFFFF).tolist() == [0x400001]
