"""Transfers that are too slow."""

from skywatch.serving.web_server.client_socket import Pace


def looks(pace, *steps, least_bytes=1000, within_s=60):
    """The verdicts at several times: (time, bytes since the last one, whether the peer is waited for)."""
    verdicts = []
    for now, size, is_waiting in steps:
        pace.bytes += size
        verdicts.append(pace.is_slower_than(least_bytes, within_s, now, is_waiting=is_waiting))
    return verdicts


def test_too_little_in_the_time_is_too_slow():
    assert looks(Pace(), (0, 0, True), (30, 400, True), (59, 400, True), (60, 199, True)) == [False, False, False, True]


def test_enough_restarts_the_time():
    steps = (0, 0, True), (50, 1000, True), (100, 0, True), (110, 0, True)
    assert looks(Pace(), *steps) == [False, False, False, True]


def test_time_in_which_nobody_waits_does_not_count():
    steps = (0, 0, True), (50, 0, False), (70, 0, True), (109, 0, True), (110, 0, True)
    assert looks(Pace(), *steps) == [False, False, False, False, True]


def test_a_clock_that_is_set_back_starts_over():
    assert looks(Pace(), (1000, 0, True), (500, 0, True), (559, 0, True), (560, 0, True)) == [False] * 3 + [True]
