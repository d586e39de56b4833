"""Addresses that nobody else hears: how many an owner may bring, whatever its feeders send."""

from __future__ import annotations

import json
import random
from collections import Counter

import numpy as np
import pytest

from skywatch.receivers.feeder_streams.feeder import KnownFeeder
from skywatch.receivers.feeder_streams.formats import JsonConnection
from skywatch.receivers.feeder_streams.hub import FeederHub
from skywatch.receivers.feeder_streams.new_addresses import AddressBudgets, AddressLimit
from skywatch.receivers.feeder_streams.reducer.columns import AGREED
from skywatch.receivers.feeder_streams.voices import OURS, Voice
from skywatch.receivers.mode_s.encoder import airborne_position, all_call, identification, squitter
from tests.unit.receivers.feeder_streams.feeders import Feeders

INVENTED = 0x700000


def names(first, count):
    """Frames of so many addresses."""
    return [squitter(first + number, identification("A")) for number in range(count)]


def flushed(feeders, limit=5, hub_clock=1000.0):
    feeders.hub.limit.limit = limit
    feeders.gatherer.clock = lambda: hub_clock
    feeders.flush()
    return feeders.reduce()


def brought(reduction):
    """How many addresses the reports of each receiver name."""
    addresses = {}
    for delivered in reduction.deliveries():
        addresses.setdefault(delivered.receiver, set()).update(report.hex for report in delivered.reports)
    return {receiver: len(mine) for receiver, mine in addresses.items()}


def test_what_exceeds_the_limit_leaves_no_trace_but_its_count():
    feeders = Feeders(1)
    for number in range(4):
        feeders.send(1, *names(INVENTED + 1000 * number, 250))
    reduction = flushed(feeders)
    assert brought(reduction) == {"feeder-1": 5}
    assert (len(reduction.heard.address), len(reduction.alone)) == (5, 5)
    assert feeders.hub.heard.aircraft() == {1: 5}
    (link,) = reduction.links
    assert (link.counts["frames"], link.counts["messages"], link.counts["too_many_aircraft"]) == (1000, 5, 995)


def test_what_is_within_the_limit_goes_on_for_an_hour():
    feeders = Feeders(1)
    for at in (0.0, 30.0, 3000.0):
        feeders.send(1, *names(INVENTED, 5), *(names(INVENTED + 9, 1) if at == 30.0 else ()))
        assert brought(flushed(feeders, hub_clock=at)) == {"feeder-1": 5}
    feeders.send(1, *names(INVENTED + 100, 9))
    assert brought(flushed(feeders, hub_clock=3001.0)) == {"feeder-1": 5}
    # Of those nobody heard for hours no one knows any more.
    for at in (11_000.0, 15_000.0):
        feeders.send(1, *names(INVENTED + 500, 1))
        flushed(feeders, hub_clock=at)
    feeders.send(1, *names(INVENTED, 5), *names(INVENTED + 100, 5))
    assert brought(flushed(feeders, hub_clock=15_100.0)) == {"feeder-1": 5}


def test_the_feeders_of_an_owner_share_a_limit_and_a_trusted_one_has_ten_times_as_much_for_itself():
    feeders = Feeders(1, 2, 3, 4, 5, owners={1: 1, 2: 1, 3: 3, 4: 1, 5: 1}, trusted=(4, 5))
    for number in (1, 2, 3, 4, 5):
        feeders.send(number, *names(INVENTED + 0x1000 * number, 90))
    result = brought(flushed(feeders))
    assert result.pop("feeder-1", 0) + result.pop("feeder-2", 0) == 5
    assert result == {"feeder-3": 5, "feeder-4": 50, "feeder-5": 50}


def test_feeders_without_a_record_share_the_limit_of_their_network():
    networks = {-1: "192.0.2.1/32", -2: "192.0.2.200/32", -3: "198.51.100.1/32", -4: "2001:db8:1:1::/64"}
    networks |= {-5: "2001:db8:1:2::/64"}
    feeders = Feeders(*networks, networks=networks, owners=dict.fromkeys(networks))
    for number in networks:
        feeders.send(number, *names(INVENTED - 0x1000 * number, 90))
    assert sum(brought(flushed(feeders)).values()) == 3 * 5


def test_what_others_hear_costs_nothing():
    feeders = Feeders(1, 2, 3)
    # What two feeders sent alike is theirs, and what a receiver of ours has heard.
    for number in (1, 2):
        feeders.send(number, *names(0x400000, 20))
    feeders.hub.limit.hear(np.arange(0x410000, 0x410014))
    feeders.send(3, *names(0x410000, 20), *names(INVENTED, 9))
    assert brought(flushed(feeders)) == {"feeders": 20, "feeder-3": 25}
    feeders.send(3, *(squitter(0x400000 + number, identification("B")) for number in range(20)))
    assert brought(flushed(feeders)) == {"feeder-3": 20}


def test_two_owners_who_invent_the_same_have_a_limit_too():
    feeders = Feeders(1, 2, 3)
    for number in (1, 2):
        feeders.send(number, *names(INVENTED, 300))
    for number in (1, 2, 3):
        feeders.send(number, *names(0x400000 + 0x1000 * number, 9))
    assert brought(flushed(feeders)) == {"feeders": 50, "feeder-1": 5, "feeder-2": 5, "feeder-3": 5}


def test_a_transmission_beyond_the_limit_that_another_one_hears_is_agreed_on_and_counts_once():
    feeders = Feeders(1, 2)
    frames = names(0x400000, 8)
    feeders.send(1, *frames)
    flushed(feeders, limit=1)
    feeders.send(2, *frames)
    (agreed, *_) = flushed(feeders, limit=1).deliveries()
    assert (agreed.receiver, len(agreed.reports)) == ("feeders", 8)
    # The one within the limit was counted when it came.
    assert agreed.messages == 7


def test_noise_costs_no_limit_and_a_reply_brings_no_aircraft():
    feeders, noise = Feeders(1), random.Random(5)
    broken = [bytes([*frame[:-1], frame[-1] ^ noise.randrange(1, 255)]) for frame in names(INVENTED, 50)]
    answers = [all_call(INVENTED + number, interrogator=9) for number in range(50)]
    feeders.send(1, *broken, *answers, *names(0x400000, 5))
    assert brought(flushed(feeders)) == {"feeder-1": 5}


def test_addresses_that_are_not_icaos_count_as_others():
    feeders = Feeders(1)
    for limit, heard in ((1, {"700000"}), (2, {"700000", "~700000"})):
        for capability in (0, 1):  # ICAO's, and not
            feeders.send(1, *(squitter(INVENTED, airborne_position(47.0, 8.0, odd), 18, capability) for odd in (0, 1)))
        assert {report.hex for each in flushed(feeders, limit).deliveries() for report in each.reports} == heard


def test_a_feeder_that_decodes_itself_has_the_same_limit():
    hub, ended = FeederHub(), []
    hub.limit.limit = 3
    feeder = KnownFeeder(1, "1", True, "1", 1)
    connection = JsonConnection(
        feeder, ("10.0.0.1", 1), "10.0.0.1/32", 1000, Counter(), hub, lambda: ended.append(feeder)
    )
    assert hub.claim(connection)
    lines = [{"hex": f"{INVENTED + n:06x}", "lat": 47.0, "lon": 8.0, "seen": 0, "seen_pos": 0} for n in range(10)]
    connection.receive(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    reduction = hub.reduce()
    assert brought(reduction) == {"feeder-1": 3}
    (delivered,) = reduction.delivered
    (link,) = reduction.links
    assert delivered.messages == 3
    assert [link.counts[name] for name in ("messages", "positions", "too_many_aircraft")] == [3, 3, 7]
    assert hub.heard.aircraft() == {1: 3}


@pytest.mark.parametrize("seed", range(5))
def test_no_minute_brings_more_than_the_limit_of_each_owner(seed):
    """Drawn strangers of drawn owners, some of them trusted, at drawn times."""
    draw, limit = random.Random(seed), AddressLimit(20)
    owners = {lane: draw.randrange(3) for lane in range(1, 9)}
    trusted = {lane for lane in owners if draw.random() < 0.2}
    for lane, owner in owners.items():
        limit.enter(lane, f"feeder-{lane}", OURS if lane in trusted else Voice(f"user-{owner}", f"10.0.0.{lane}/32"))
    admitted, now = [], 0.0
    for _ in range(70):
        now += draw.choice((0.05, 1.0, 7.3))
        payers = np.array([draw.randrange(1, 9) for _ in range(30)])
        lanes = np.where(np.arange(30) < draw.randrange(10), AGREED, payers)
        addresses = np.array([draw.randrange(1 << 25) for _ in lanes])
        for lane, payer, is_admitted in zip(
            lanes.tolist(), payers.tolist(), limit.admit(addresses, lanes, payers, now).tolist(), strict=True
        ):
            admitted += [(now, payer if payer in trusted else f"user-{owners[payer]}", lane == AGREED)] * is_admitted
    for at, payer, is_agreed in admitted:
        within = sum((payer, is_agreed) == (who, how) and at <= when < at + 60 for when, who, how in admitted)
        assert within <= (200 if payer in trusted or is_agreed else 20)
    assert len(admitted) > 20 * 3


def test_budgets_of_those_who_bring_nothing_more_are_forgotten():
    budgets = AddressBudgets()
    for owner in range(1000):
        budgets.spend(owner, 3, 10.0)
    assert budgets.left(7, 5, 20.0) == 2
    assert budgets.left(7, 5, 71.0) == 5
    assert budgets.left(8, 2, 71.5) == 2
