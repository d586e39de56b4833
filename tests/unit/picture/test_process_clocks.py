"""Clocks of ingest processes that are wrong are told from messages that are late."""

from __future__ import annotations

from skywatch.picture.intake import MESSAGES, ProcessClocks


def corrections(sent_and_came):
    clocks = ProcessClocks()
    return [clocks.correction_s("one", sent, came) for sent, came in sent_and_came]


def test_a_clock_ahead_is_corrected_at_once_and_one_behind_after_some_seconds():
    assert corrections([(110.0, 100.0), (111.0, 101.0)]) == [-10.0, -10.0]
    behind = corrections([(90.0 + second, 100.0 + second) for second in range(MESSAGES + 1)])
    assert behind == [0.0] * (MESSAGES - 1) + [10.0, 10.0]


def test_messages_that_were_queued_are_late_and_remain_so():
    assert corrections([(80.0 + second, 100.0) for second in range(20)]) == [0.0] * 20


def test_what_a_bus_takes_is_no_fault_of_a_clock():
    assert corrections([(100.0 + second, 100.4 + second) for second in range(10)]) == [0.0] * 10


def test_processes_have_clocks_of_their_own():
    clocks = ProcessClocks()
    assert clocks.correction_s("one", 110.0, 100.0) == -10.0
    assert clocks.correction_s("two", 100.0, 100.0) == 0.0
