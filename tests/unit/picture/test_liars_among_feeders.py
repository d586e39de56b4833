"""Liars among the feeders of one or several ingest processes, in drawn traffic: what two honest ones hear is true.

Each look is at one field of one flight in one second; see ``benchmarks._liars``, which counts hundreds of thousands.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks._drawn_flights import HALF_S, KINDS, Traffic
from benchmarks._liars import START, FeederSpec, LiarWorld, Lies

FLIGHTS = 8


def play(feeders, half_seconds=34, seed=1, frozen=None, ahead=None, bus=True, from_on=0):
    traffic = Traffic.drawn(FLIGHTS, half_seconds, seed)
    world, lies = LiarWorld(traffic, feeders, seed, bus), Lies(traffic)
    if frozen is not None:
        world.is_frozen = lambda process, t: process == frozen[0] and frozen[1] <= t < frozen[2]
    if ahead is not None:
        world.clock_ahead_s = lambda process, t: ahead[1] if process == ahead[0] and t >= ahead[2] else 0.0
    skies = []
    for t, sky in world.skies(half_seconds):
        if t >= from_on:
            lies.look(t, sky, world.is_heard(t))
        skies.append(sky)
    return world, lies, skies


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("processes", [1, 2, 3])
def test_liars_of_all_kinds_move_no_field_that_two_honest_ones_hear(processes):
    honest = [FeederSpec(0), FeederSpec(min(1, processes - 1))]
    liars = [FeederSpec(number % processes, lies=kind) for number, kind in enumerate(KINDS)]
    _, lies, skies = play([*honest, *liars], seed=processes)
    assert lies.looks > 500
    assert lies.wrong == []
    invented = [name for name in skies[-1].hexes if name.startswith("7")]
    assert len(invented) == FLIGHTS
    assert all(skies[-1].aircraft(name)["single_source"] for name in invented)


@pytest.mark.parametrize(("kind", "at"), [("close", 0), ("close", 2), ("replayed 5", 1), ("delayed 3", 2)])
def test_a_lie_too_small_to_be_told_by_the_distance_is_none(kind, at):
    _, lies, _ = play([FeederSpec(0), FeederSpec(1), FeederSpec(at, lies=kind)], seed=at + 10)
    assert lies.looks > 500
    assert lies.wrong == []


@pytest.mark.deep("costs over a processor second")
def test_who_was_honest_for_long_gains_no_credit_to_lie():
    feeders = [FeederSpec(0), FeederSpec(1), FeederSpec(2, lies="close", lies_from=36)]
    assert play(feeders, 60)[1].wrong == []


def test_two_feeders_of_one_owner_at_two_processes_are_one_voice():
    pact = [FeederSpec(0, lies="pact", owner=9), FeederSpec(1, lies="pact", owner=9)]
    assert play([FeederSpec(0), FeederSpec(1), *pact])[1].wrong == []


@pytest.mark.deep("costs over a processor second")
def test_two_feeders_in_one_network_at_two_processes_are_one_voice():
    pact = [FeederSpec(process, lies="pact", network="203.0.113.9/32") for process in (0, 1)]
    assert play([FeederSpec(0), FeederSpec(1), *pact])[1].wrong == []


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("trusted", [True, False])
@pytest.mark.parametrize(("honest", "pact"), [((0, 0, 0), (0, 0)), ((0, 1, 2), (0, 1)), ((0, 0, 0), (1, 1))])
def test_two_with_one_lie_do_not_take_turns_with_three_that_say_the_truth(honest, pact, trusted):
    feeders = [FeederSpec(process, trusted=trusted) for process in honest]
    feeders += [FeederSpec(process, lies="pact", trusted=trusted, lies_from=20) for process in pact]
    # Where each is alone at its process, some seconds pass until all three have told the picture.
    _, lies, _ = play(feeders, 46, from_on=0 if honest == (0, 0, 0) else 30)
    assert lies.looks > 300
    assert lies.wrong == []


def test_three_outvote_two_that_have_lied_from_the_beginning():
    feeders = [FeederSpec(0, 1.0, trusted=True)] * 3 + [FeederSpec(0, lies="pact", trusted=True)] * 2
    assert play(feeders, 40, from_on=10)[1].wrong == []


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("half_seconds", [8, 20])
def test_what_a_process_reads_after_it_stood_still_is_not_new(half_seconds):
    feeders = [FeederSpec(0), FeederSpec(1), FeederSpec(2), FeederSpec(2)]
    assert play(feeders, 60, frozen=(2, 20, 20 + half_seconds))[1].wrong == []


@pytest.mark.deep("costs over a processor second")
@pytest.mark.parametrize("step_s", [-10.0, 10.0])
def test_the_clock_of_a_process_that_is_set_moves_nothing(step_s):
    world, lies, skies = play([FeederSpec(0), FeederSpec(1), FeederSpec(2), FeederSpec(2)], 60, ahead=(2, step_s, 30))
    assert lies.wrong == []
    # Its feeders go on counting.
    views = world.picture.reports_of("feeder-3")
    assert max(view.at for view in views.values()) > START + 58 * HALF_S - 2
    assert skies[-1].column("position_at").max() <= skies[-1].now


@pytest.mark.deep("costs over a processor second")
def test_of_two_feeders_the_one_that_stays_brings_the_picture():
    _, lies, skies = play([FeederSpec(0), FeederSpec(1, until=40)], 60)
    assert lies.wrong == []
    assert (skies[-1].now - skies[-1].column("position_at")).max() < 4.0


@pytest.mark.deep("costs over a processor second")
def test_the_picture_is_the_same_whether_feeders_are_at_one_process_or_three():
    honest = [FeederSpec(0), FeederSpec(1), FeederSpec(2), FeederSpec(0)]
    spread = play(honest)
    together = play([FeederSpec(0, each.hears) for each in honest])
    assert spread[1].wrong == together[1].wrong == []
    assert spread[1].looks == pytest.approx(together[1].looks, rel=0.02)
    assert np.mean(spread[1].ages_s) == pytest.approx(np.mean(together[1].ages_s), abs=0.3)
