"""Limits of what people share: rates, turns, and the order in which they are given."""

from __future__ import annotations

import heapq
import itertools
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest
from hypothesis import given, settings, target
from hypothesis import strategies as st

from skywatch.alerts.rules.trials.limits import PAST_S, dry_run_limiter
from skywatch.core import limits
from skywatch.core.limits import ConcurrencyLimiter, CountLimit, FairQueue, RateLimit, RateLimits, Refused, SlowThreads
from skywatch.history.analysis.views import evaluation_limiter
from skywatch.http.limits.slow_work import statistics_limiter
from skywatch.notify.channels.channel_test import TIMEOUT_S, channel_test_limiter
from tests.waiting import PATIENCE_S, until


def test_a_burst_passes_and_then_the_rate():
    limit = RateLimit(10)
    assert [limit.take(0.0) for _ in range(21)].count(True) == 20
    assert not limit.take(0.05)
    assert limit.take(0.2)


def test_a_pause_earns_no_more_than_one_burst():
    limit = RateLimit(10)
    assert limit.take(0.0)
    assert [limit.take(3600.0) for _ in range(25)].count(True) == 20


def test_what_has_happened_already_is_made_up_for_later():
    limit = RateLimit(10)
    assert limit.spend(20, 0.0) == 0.0
    assert limit.spend(5, 0.0) == 0.5
    assert limit.spend(1, 0.5) == 0.1
    # A pause earns no more than one burst.
    assert limit.spend(25, 3600.0) == 0.5


def test_a_person_whose_rate_is_used_up_delays_nobody_else():
    limits = RateLimits("test", 10.0, 50.0)
    assert limits.spend("user 1", 70.0, 0.0) == 2.0
    assert limits.spend("user 2", 0.0, 0.0) == 0.0
    assert limits.spend("user 1", 0.0, 1.0) == 1.0
    assert limits.spend("user 1", 0.0, 2.0) == 0.0


def queue_of(*waiting):
    queue = FairQueue()
    for person, count, urgent in waiting:
        for number in range(count):
            queue.put(person, (person, number), urgent=urgent)
    return queue


def test_what_is_urgent_goes_first_and_each_persons_in_order():
    queue = queue_of(("a", 3, False), ("b", 2, True))
    assert queue.take(3) == [("b", 0), ("b", 1), ("a", 0)]
    assert queue.take(3) == [("a", 1), ("a", 2)]
    assert len(queue) == 0


def test_one_person_alone_gets_everything():
    assert len(queue_of(("a", 300, True)).take(100)) == 100


def test_rest_of_who_wants_little_goes_to_who_wants_more():
    taken = Counter(person for person, _ in queue_of(("a", 300, True), ("b", 10, False)).take(100))
    assert taken == {"a": 90, "b": 10}


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=8),
    st.integers(1, 100),
    st.booleans(),
)
def test_greedy_person_gets_at_most_half_while_others_wait(others, most, is_urgent):
    lines = [(f"p{number}", count, urgent) for number, (count, urgent) in enumerate(others)]
    queue = queue_of(("greedy", 1000, is_urgent), *lines)
    waiting = sum(count for count, _ in others)
    while waiting:
        taken = [person for person, _ in queue.take(most)]
        of_greedy = taken.count("greedy")
        waiting -= len(taken) - of_greedy
        assert len(taken) == most
        assert of_greedy <= (most + 1) // 2 or waiting == 0


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=10))
def test_urgent_of_others_goes_at_once_beside_urgent_of_one_without_end(others):
    lines = [(f"p{number}", count, urgent) for number, (count, urgent) in enumerate(others)]
    taken = queue_of(("greedy", 1000, True), *lines).take(100)
    assert {(person, number) for person, count, urgent in lines if urgent for number in range(count)} <= set(taken)


def test_urgent_ones_without_end_let_others_move_on():
    queue = queue_of(("a", 300, True), ("b", 300, True), ("c", 30, False))
    taken = Counter(person for person, _ in queue.take(100))
    assert taken["c"] == 10
    assert [person for person, _ in queue.take(10)].count("c") == 1


# What each client has open


def test_counts_are_limited_by_key_and_in_all_and_go_down_again():
    counts = CountLimit(2, 3)
    assert [counts.take("a") for _ in range(3)] == [True, True, False]
    assert not counts.take("b", 2)
    assert counts.take("b")
    assert not counts.take("c")
    counts.release("a", 2)
    assert counts.take("c", 3, may_exceed=True) is False
    assert counts.take("c", 2)
    counts.release("b")
    counts.release("c", 2)
    assert counts.in_use == 0
    assert not counts._counts


def networks(count):
    return [f"2001:db8:1:{number:x}::/64" for number in range(count)]


def test_one_site_has_four_times_as_much_as_a_network_whatever_its_networks():
    counts = CountLimit(3, 1000, of_sites=True)
    assert sum(counts.take(network) for network in networks(100)) == 12
    assert counts.take("2001:db8:2:1::/64")
    assert all(counts.take(f"198.51.100.{number}/32") for number in range(100))
    assert counts.in_use == 113


def test_one_site_has_no_more_than_half_and_no_less_than_one_network():
    counts = CountLimit(500, 2000, of_sites=True)
    assert sum(counts.take(network) for network in networks(20) for _ in range(500)) == 1000
    counts = CountLimit(500, 800, of_sites=True)
    assert sum(counts.take(network) for network in networks(2) for _ in range(500)) == 500


def test_what_is_released_is_free_again_and_nothing_is_remembered():
    counts = CountLimit(1, 100, of_sites=True)
    taken = [network for network in networks(9) if counts.take(network)]
    assert taken == networks(4)
    counts.release(taken[0])
    assert counts.take(networks(9)[8])
    for network in (*taken[1:], networks(9)[8]):
        counts.release(network)
    assert counts.in_use == 0
    assert not counts._counts


# Limits of turns


class World:
    """Turns of a limiter by a clock of its own: whoever runs ends after a while, nobody sleeps."""

    def __init__(self, at_once, places=1000):
        self.now = 0.0
        self.threads = SlowThreads(places)
        self.limiter = ConcurrencyLimiter("test", at_once, wait_s=1e9, threads=self.threads, clock=lambda: self.now)
        self.events = []
        self.numbers = itertools.count()
        # Turns that have not ended: what becomes of them at their start and end.
        self.open = {}

    def at(self, when, do):
        heapq.heappush(self.events, (when, next(self.numbers), do))

    def begin(self, person, duration_s, ended=lambda: None, started=lambda waited_s: None):
        """Ask for a turn; False where it is refused."""
        try:
            turn = self.limiter.enter(person)
        except Refused:
            return False
        self.open[turn] = (self.now, duration_s, started, ended)
        return True

    def run(self, until_s):
        while True:
            self.start_waiting()
            if not self.events or self.events[0][0] > until_s:
                return
            self.now, _, do = heapq.heappop(self.events)
            do()

    def start_waiting(self):
        for turn in [turn for turn in self.open if turn.over.is_set()]:
            since, duration_s, started, ended = self.open.pop(turn)
            if not turn.is_running:  # displaced
                with pytest.raises(Refused):
                    self.limiter.check(turn)
                ended()
                continue
            started(self.now - since)

            def end(turn=turn, ended=ended):
                self.limiter.leave(turn)
                ended()

            self.at(self.now + duration_s, end)


SPAN_S, MAX_S = 300.0, 40.0


@dataclass
class Outcome:
    """What others than the greedy person met: the longest wait, and how often it was more than it may be."""

    waits: list
    refused: int = 0


def simulate(at_once, others, greedy, places=1000, longest_s=MAX_S):
    """Others who ask for one turn after the other, beside one person who always asks for ``greedy`` more.

    Of those asserts that what others wait is at most what those before them need of the other half.
    """
    world, outcome = World(at_once, places), Outcome([])
    asked_by_others = set()
    share = world.limiter.share("greedy")

    def ask_greedily():
        if world.now < SPAN_S:
            world.begin("greedy", longest_s, ended=ask_greedily) or world.at(world.now + 10.0, ask_greedily)

    def asks(person, pause_s, duration_s):
        def ask():
            ahead = len(asked_by_others)
            others_slots = at_once - share
            bound = longest_s * ahead / others_slots if others_slots else longest_s * (ahead + 1)
            asked_by_others.add(person)

            def ended():
                asked_by_others.discard(person)
                if world.now < SPAN_S:
                    world.at(world.now + pause_s, ask)

            def started(waited_s):
                assert waited_s <= bound + 1e-6
                outcome.waits.append(waited_s)

            if not world.begin(person, duration_s, ended, started):
                outcome.refused += 1
                occupied = Counter(turn.person for turn in world.threads._turns)
                # Only where the greedy person waits for nothing any more.
                assert occupied["greedy"] <= max(2, share)
                ended()

        return ask

    for _ in range(greedy):
        world.at(0.0, ask_greedily)
    for number, (first_s, pause_s, duration_s) in enumerate(others):
        world.at(first_s, asks(f"user {number}", pause_s, duration_s))
    world.run(10 * SPAN_S)
    assert world.limiter.running == world.limiter.waiting == 0
    return outcome


PEOPLE = st.lists(
    st.tuples(st.floats(0.0, SPAN_S), st.floats(5.0, 100.0), st.floats(1.0, MAX_S)), min_size=1, max_size=8
)


@settings(deadline=None, max_examples=25)
@given(st.integers(1, 8), PEOPLE, st.integers(1, 30))
def test_what_others_wait_is_bounded_whatever_one_person_asks_for(at_once, others, greedy):
    outcome = simulate(at_once, others, greedy)
    assert outcome.refused == 0
    target(max(outcome.waits, default=0.0))


@settings(deadline=None, max_examples=25)
@given(st.integers(2, 4), PEOPLE, st.integers(1, 30), st.integers(4, 8))
def test_threads_occupied_by_one_person_are_given_to_others(at_once, others, greedy, places):
    simulate(at_once, others, greedy, places)


@pytest.mark.parametrize("people", [1, 2, 6])
@pytest.mark.parametrize(
    ("what", "create", "longest_s"),
    [
        ("heat map", evaluation_limiter, 2.0),
        ("statistics", statistics_limiter, 0.5),
        ("channel test", channel_test_limiter, TIMEOUT_S),
        ("dry run", dry_run_limiter, PAST_S),
    ],
)
def test_what_others_wait_beside_one_who_asks_without_end(what, create, longest_s, people, runtime, capsys):
    work = runtime.shared(create)
    others = [(5.0 * number, 4 * longest_s, longest_s) for number in range(people)]
    outcome = simulate(work.at_once, others, greedy=50, longest_s=longest_s)
    free = work.at_once - work.share("greedy")
    bound_s = longest_s * (people - 1) / free
    with capsys.disabled():
        print(
            f"\n{what} of {longest_s:g} s, {people} beside one with 50: {len(outcome.waits)} turns,"
            f" longest wait {max(outcome.waits):.1f} s, bound {bound_s:g} s",
            end="",
        )
    assert max(outcome.waits) <= bound_s
    assert people > 1 or max(outcome.waits) == 0


def test_who_waits_too_long_is_refused_and_waits_no_longer():
    limiter = ConcurrencyLimiter("test", 1, wait_s=0.01, threads=SlowThreads(8))
    running = limiter.enter("user 1")
    with pytest.raises(Refused) as own, limiter.turn("user 1"):
        pass
    with pytest.raises(Refused) as others, limiter.turn("user 2"):
        pass
    assert (own.value.is_own, others.value.is_own) == (True, False)
    assert (limiter.waiting, limiter.refused) == (0, 2)
    limiter.leave(running)
    with limiter.turn("user 2"):
        assert limiter.running == 1
    assert limiter.running == 0


def test_a_turn_is_handed_to_a_thread_that_waits():
    limiter = ConcurrencyLimiter("handed", 1, wait_s=PATIENCE_S, threads=SlowThreads(8))
    with ThreadPoolExecutor(1) as pool:
        with limiter.turn("user 1"):

            def work():
                with limiter.turn("user 2"):
                    return limiter.running

            result = pool.submit(work)
            until(lambda: limiter.waiting == 1)
            assert limits.state().figures["handed_waiting"] == 1
            assert " waiting, " in limits.state().detail
        assert result.result(PATIENCE_S) == 1


def test_a_fault_within_a_turn_ends_it():
    limiter = ConcurrencyLimiter("test", 1, wait_s=0, threads=SlowThreads(1))
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), limiter.turn("user 1"):
            raise ZeroDivisionError
    assert limiter.running == 0


def test_one_alone_has_all_of_what_is_short_until_somebody_else_comes():
    limiter = ConcurrencyLimiter("test", 3, wait_s=1.0, is_short=True)
    crowd = [limiter.enter("user 1") for _ in range(6)]
    assert limiter.running == 3
    others = [limiter.enter("user 2"), limiter.enter("user 3")]
    limiter.leave(crowd[0])
    assert [turn.is_running for turn in others] == [True, False]
    limiter.leave(crowd[1])
    assert others[1].is_running
    assert [turn.is_running for turn in crowd[3:]] == [False, False, False]


def test_last_comer_of_who_waits_most_gives_its_place():
    threads = SlowThreads(4)
    limiter = ConcurrencyLimiter("test", 2, wait_s=1.0, threads=threads)
    turns = [limiter.enter("greedy") for _ in range(4)]
    assert [turn.is_running for turn in turns] == [True, False, False, False]
    other = limiter.enter("user 2")
    assert other.is_running
    assert [turn.over.is_set() for turn in turns] == [True, False, False, True]
    with pytest.raises(Refused):
        limiter.check(turns[3])
    with pytest.raises(Refused):
        limiter.enter("greedy")


@pytest.mark.parametrize(("threads", "places"), [(1, 1), (2, 1), (4, 3), (8, 6), (32, 24)])
def test_some_threads_stay_free_of_slow_work(threads, places):
    assert SlowThreads.of_all(threads).places == places
