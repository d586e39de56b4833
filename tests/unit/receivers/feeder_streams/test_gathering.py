"""The same transmission heard by many is decoded once; what a feeder alone says touches nothing of the others."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from skywatch.receivers.mode_s.encoder import all_call, reply, reply_altitude_code
from skywatch.receivers.reports.receiver_names import shown_receiver
from tests.unit.receivers.feeder_streams.feeders import Feeders, callsign, pair, position

HEX = 0x4B1617


def test_a_frame_heard_by_many_is_decoded_and_counted_once():
    feeders = Feeders(1, 2, 3)
    for number in (1, 2, 3):
        feeders.send(number, *pair(HEX, 47.5, 8.5), callsign(HEX, "SWR12"))
    feeders.flush()
    reports = feeders.reports()
    assert set(reports) == {"feeders"}
    report = reports["feeders"]["4b1617"]
    assert (report.flight, report.lat, report.messages, report.voices) == ("SWR12", pytest.approx(47.5, abs=1e-4), 3, 3)
    counts = feeders.gatherer.counts
    assert counts["messages"][:3].tolist() == counts["frames"][:3].tolist() == [3, 3, 3]
    assert sorted(counts["duplicates"][:3].tolist()) == [0, 3, 3] or counts["duplicates"][:3].sum() == 6


def test_a_late_feeder_is_added_to_what_was_decoded_already():
    feeders = Feeders(1, 2, 3)
    feeders.send(1, callsign(HEX, "SWR12"))
    feeders.send(2, callsign(HEX, "SWR12"))
    feeders.flush()
    feeders.send(3, callsign(HEX, "SWR12"))
    feeders.flush(0.3)
    report = feeders.reports()["feeders"]["4b1617"]
    assert (report.messages, report.voices) == (1, 3)
    assert feeders.gatherer.strangers._decoder.statistics.frames == 1


def test_a_second_voice_makes_a_single_one_agreed_without_counting_the_frame_again():
    feeders = Feeders(1, 2)
    feeders.send(1, callsign(HEX, "SWR12"))
    feeders.flush()
    feeders.send(2, callsign(HEX, "SWR12"))
    feeders.flush(0.3)
    reports = feeders.reports()
    assert set(reports) == {"feeders"}
    assert (reports["feeders"]["4b1617"].messages, reports["feeders"]["4b1617"].voices) == (1, 2)
    assert feeders.gatherer.counts["messages"][:2].tolist() == [1, 1]


def test_a_feeder_that_repeats_the_same_bytes_heard_them_again():
    feeders = Feeders(1, 2)
    for number in (1, 2):
        feeders.send(number, all_call(HEX), all_call(HEX))
    feeders.flush()
    feeders.send(1, all_call(HEX))
    feeders.flush()
    reports = feeders.reports()
    assert reports["feeders"]["4b1617"].messages == 3
    assert feeders.gatherer.counts["duplicates"][:2].sum() == 2


@pytest.mark.parametrize("together", ["owners", "networks"])
def test_feeders_of_one_owner_or_network_do_not_confirm_each_other(together):
    same = {1: 7, 2: 7} if together == "owners" else {1: "192.0.2.1/32", 2: "192.0.2.1/32"}
    feeders = Feeders(1, 2, **{together: same})
    for number in (1, 2):
        feeders.send(number, callsign(HEX, "SWR12"))
    feeders.flush()
    assert set(feeders.reports()) == {"feeder-1", "feeder-2"}


def test_feeders_without_a_record_do_not_confirm_each_other_from_whatever_network():
    """One machine has an IPv4 and an IPv6 address."""
    networks = {-1: "198.51.100.7/32", -2: "2001:db8:1:2::/64", -3: "2001:db8:9:2::/64"}
    feeders = Feeders(-1, -2, -3, 4, networks=networks)
    for number in (-1, -2, -3):
        feeders.send(number, callsign(HEX, "SWR12"))
    feeders.flush()
    assert set(feeders.reports()) == {"anonymous-1", "anonymous-2", "anonymous-3"}
    for number in (-1, -2, -3, 4):
        feeders.send(number, callsign(HEX, "SWR34"))
    feeders.flush()
    report = feeders.reports()["feeders"]["4b1617"]
    assert (report.flight, report.voices) == ("SWR34", 2)


def test_trusted_feeders_confirm_each_other_whosever_they_are():
    feeders = Feeders(1, 2, trusted=(1, 2), owners={1: 7, 2: 7}, networks={1: "192.0.2.1/32", 2: "192.0.2.1/32"})
    for number in (1, 2):
        feeders.send(number, callsign(HEX, "SWR12"))
    feeders.flush()
    reduction = feeders.reduce()
    (delivered,) = reduction.deliveries()
    assert (delivered.receiver, delivered.voice.is_ours) == ("trusted-feeders", True)
    assert delivered.reports[0].voices == 2
    assert shown_receiver(delivered.receiver) == "feeders"


@pytest.mark.parametrize("order", [(1, 3, 4), (3, 1, 4), (3, 4, 1), (1, 2, 3, 4), (3, 1, 4, 2)])
@pytest.mark.parametrize("together", [True, False])
def test_what_ours_sent_is_decoded_for_ours_as_without_strangers(order, together):
    """1 and 2 are trusted, 3 and 4 strangers; a transmission is decoded once for each kind at most."""
    said = {}
    for present in (order, [number for number in order if number < 3]):
        feeders = Feeders(1, 2, 3, 4, trusted=(1, 2))
        for number in present:
            feeders.send(number, *pair(HEX, 47.5, 8.5), callsign(HEX, "SWR12"))
            if not together:
                feeders.flush()
        feeders.flush()
        reduction = feeders.reduce()
        heard = len(reduction.heard.address)
        said[heard] = [each for each in reduction.deliveries() if each.voice.is_ours]
    # All of them heard it.
    assert set(said) == {len(order), sum(number < 3 for number in order)}
    mixed, alone = (
        [(each.receiver, [(r.hex, r.flight, r.lat, r.voices, r.messages) for r in each.reports]) for each in delivered]
        for delivered in said.values()
    )
    assert mixed == alone
    assert [name for name, _ in mixed] == (["trusted-feeders"] if 2 in order else ["feeder-1"])


def test_what_ours_sent_first_is_not_decoded_again_for_strangers():
    feeders = Feeders(1, 3, 4, trusted=(1,))
    feeders.gatherer.clock = lambda: feeders.at
    for number in (1, 3, 4):
        feeders.send(number, callsign(HEX, "SWR12"))
        feeders.flush(0.02)
    reduction = feeders.reduce()
    (delivered,) = reduction.deliveries()
    assert (delivered.receiver, delivered.messages) == ("feeder-1", 1)
    assert feeders.gatherer.counts["messages"][:3].tolist() == [1, 1, 1]
    assert feeders.gatherer.counts["duplicates"][:3].sum() == 2


def test_what_two_strangers_send_is_never_part_of_what_ours_sent():
    feeders = Feeders(1, 2, 3, 4, trusted=(1, 2))
    even, odd = pair(HEX, 47.5, 8.5)
    for number in (1, 2):
        feeders.send(number, even)
    for number in (3, 4):
        feeders.send(number, position(HEX, 12.0, 100.0, 1), callsign(HEX, "EVIL"))
    feeders.flush()
    for number in (1, 2):
        feeders.send(number, odd)
    feeders.flush()
    reports = feeders.reports()
    assert reports["trusted-feeders"]["4b1617"].lat == pytest.approx(47.5, abs=1e-4)
    assert reports["trusted-feeders"]["4b1617"].flight is UNSET
    assert reports["feeders"]["4b1617"].flight == "EVIL"


def test_a_liars_frames_are_not_paired_with_those_of_others():
    feeders = Feeders(1, 2, 3)
    even, odd = pair(HEX, 47.5, 8.5)
    for number in (1, 2):
        feeders.send(number, even)
    # Paired with the honest even frame, this odd one would put the aircraft somewhere else.
    feeders.send(3, position(HEX, 12.0, 100.0, 1))
    feeders.flush()
    for number in (1, 2):
        feeders.send(number, odd)
    feeders.flush()
    reports = feeders.reports()
    assert reports["feeders"]["4b1617"].lat == pytest.approx(47.5, abs=1e-4)
    assert set(reports) == {"feeders"}


def test_what_one_feeder_alone_says_is_dropped_where_others_contradict_it():
    feeders = Feeders(1, 2, 3)
    for number in (1, 2):
        feeders.send(number, *pair(HEX, 47.5, 8.5), callsign(HEX, "SWR12"))
    feeders.flush()
    feeders.send(3, *pair(HEX, 47.501, 8.5))
    feeders.flush()
    reports = feeders.reports()
    assert set(reports) == {"feeders"}
    assert reports["feeders"]["4b1617"].lat == pytest.approx(47.5, abs=1e-4)
    assert reports["feeders"]["4b1617"].messages == 5
    feeders.send(3, *pair(HEX, 49.0, 8.5), callsign(HEX, "LIAR"))
    feeders.flush(1.2)
    reduction = feeders.reduce()
    assert reduction.reports.is_dissent.tolist() == [True]
    assert reduction.lanes[int(reduction.reports.lane[0])].receiver == "feeder-3"


def test_a_reply_heard_by_one_is_believed_where_others_proved_its_address():
    feeders = Feeders(1, 2, 3)
    for number in (1, 2):
        feeders.send(number, callsign(HEX, "SWR12"))
    feeders.flush()
    feeders.send(3, reply(4, HEX, reply_altitude_code(35_000)))
    feeders.flush()
    assert feeders.reports()["feeder-3"]["4b1617"].alt_baro == 35_000


@pytest.mark.parametrize("order", [(1, 3), (3, 1)])
def test_a_reply_that_ours_cannot_tell_from_noise_is_decoded_for_strangers(order):
    """Only 3, a stranger, has heard the aircraft by more than replies."""
    feeders = Feeders(1, 3, trusted=(1,))
    feeders.send(3, all_call(HEX), all_call(HEX))
    feeders.flush()
    for number in order:
        feeders.send(number, reply(4, HEX, reply_altitude_code(35_000)))
        feeders.flush(0.02)
    assert feeders.reports()["feeder-3"]["4b1617"].alt_baro == 35_000
    assert feeders.gatherer.counts["frames"][:2].tolist() == [1, 3]


def test_the_signal_of_a_coarse_position_is_not_shown_but_known():
    feeders = Feeders(1)
    feeders.gatherer.slots.shows_signal[0] = False
    feeders.send(1, callsign(HEX, "SWR12"))
    feeders.flush()
    reduction = feeders.reduce()
    assert reduction.reports.rssi[0] != reduction.reports.rssi[0]
    assert reduction.heard.rssi[0] == pytest.approx(-6.0, abs=0.1)


def test_invented_addresses_of_one_feeder_displace_no_aircraft_of_others(monkeypatch):
    feeders = Feeders(1, 2, 3)
    table = feeders.gatherer.strangers._decoder._table
    table._capacity, table._lane_capacity = 1_000, 100
    for number in (1, 2):
        feeders.send(number, *pair(HEX, 47.5, 8.5))
    feeders.flush()
    for start in range(0, 3_000, 500):
        feeders.send(3, *(callsign(0x100000 + n, "X") for n in range(start, start + 500)))
        feeders.flush()
    for number in (1, 2):
        feeders.send(number, position(HEX, 47.5, 8.5, 0))
    feeders.flush()
    assert len(table) <= 1_600
    assert feeders.reports()["feeders"]["4b1617"].lat == pytest.approx(47.5, abs=1e-4)
