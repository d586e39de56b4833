"""Whose aircraft a full picture holds: ours before strangers', strangers' by owner."""

from __future__ import annotations

import random

import pytest

from skywatch.picture.merging import admission
from skywatch.receivers.feeder_streams.feeder import KnownFeeder
from skywatch.receivers.feeder_streams.reducer.reports import AGREED_RECEIVER, TRUSTED_RECEIVER
from skywatch.receivers.feeder_streams.voices import OURS, SEVERAL, Voice
from tests.unit.picture.reports import Clock, increment, picture_at, snapshot

REAL, INVENTED = 0x400000, 0x700000
# The first worlds show a fault of the rules; the others are repetition.
FURTHER = pytest.mark.nightly("further drawn worlds")


@pytest.fixture
def clock():
    return Clock()


def addresses(first, count):
    return [f"{first + number:06x}" for number in range(count)]


def full_picture(clock, maximum):
    """A picture in which nothing but room limits what strangers bring."""
    picture = picture_at(clock, proof=True, maximum=maximum)
    picture.corroboration.limit = 1_000_000
    return picture


def show(picture, clock, receiver, names, voice=OURS, messages=2):
    picture.put(receiver, [snapshot(name, clock.time(), messages=messages) for name in names], len(names), voice=voice)


def user(number, network=None):
    return Voice(f"user-{number}", network or f"10.0.0.{number}/32")


@pytest.mark.parametrize("is_first", [True, False], ids=["ours first", "strangers first"])
def test_fifteen_feeders_of_one_owner_leave_every_aircraft_of_our_receiver(clock, is_first):
    picture = full_picture(clock, 300)
    ours = addresses(REAL, 250)
    for second in range(4):
        if is_first or second:
            show(picture, clock, "roof", ours, messages=2 + second)
        for feeder in range(15):
            show(picture, clock, f"feeder-{feeder}", addresses(INVENTED + 0x1000 * feeder, 100), user(1))
        hexes = set(picture.tick().hexes)
        assert set(ours) <= hexes or not (is_first or second)
        assert len(hexes) <= 300
        clock.advance(1)
    assert len(hexes) == 300


def test_strangers_have_shares_by_owner_however_many_feeders_they_have(clock):
    picture = full_picture(clock, 120)
    ours, modest = addresses(REAL, 20), addresses(INVENTED - 0x1000, 45)
    for second in range(4):
        show(picture, clock, "roof", ours)
        for feeder in range(15):
            show(picture, clock, f"feeder-{feeder}", addresses(INVENTED + 0x1000 * feeder, 100), user(1))
        if second:
            show(picture, clock, "feeder-99", modest, user(2))
        hexes = set(picture.tick().hexes)
        clock.advance(1)
    assert set(ours) | set(modest) <= hexes
    assert len(hexes) == 120
    # Who has the share takes no more of what the other one hears.
    show(picture, clock, "feeder-99", [*modest, *addresses(INVENTED - 0x500, 60)], user(2))
    assert len(set(picture.tick().hexes) & set(addresses(INVENTED - 0x500, 60))) <= 5


def test_feeders_without_a_record_share_by_network(clock):
    picture = full_picture(clock, 100)
    modest = addresses(INVENTED - 0x1000, 40)
    for second in range(3):
        for number in range(1, 31):
            voice = KnownFeeder(-number, "", True).voice(f"192.0.2.{number}/32")
            show(picture, clock, f"anonymous-{number}", addresses(INVENTED + 0x1000 * number, 50), voice)
        if second:
            voice = KnownFeeder(-99, "", True).voice("2001:db8:1:2::/64")
            show(picture, clock, "anonymous-99", modest, voice)
        hexes = set(picture.tick().hexes)
        clock.advance(1)
    assert set(modest) <= hexes


def test_what_strangers_agree_on_makes_room_for_ours_and_for_nobody_alone(clock):
    picture = full_picture(clock, 100)
    agreed, alone, ours = addresses(INVENTED, 60), addresses(INVENTED + 0x1000, 60), addresses(REAL, 70)
    show(picture, clock, "feeder-1", alone, user(1))
    assert len(picture.tick()) == 60
    show(picture, clock, AGREED_RECEIVER, agreed, SEVERAL)
    show(picture, clock, "feeder-1", alone, user(1))
    hexes = set(picture.tick().hexes)
    assert (len(hexes & set(agreed)), len(hexes & set(alone))) == (60, 40)
    show(picture, clock, "roof", ours)
    hexes = set(picture.tick().hexes)
    assert [len(hexes & set(each)) for each in (agreed, alone, ours)] == [30, 0, 70]


def test_trusted_feeders_have_one_share_beside_our_receiver(clock):
    picture = full_picture(clock, 100)
    for second in range(3):
        for feeder in range(15):
            show(picture, clock, f"feeder-{feeder}", addresses(INVENTED + 0x1000 * feeder, 30))
        show(picture, clock, TRUSTED_RECEIVER, addresses(INVENTED - 0x1000, 30))
        if second:
            show(picture, clock, "roof", addresses(REAL, 45))
        hexes = set(picture.tick().hexes)
    assert set(addresses(REAL, 45)) <= hexes


def test_what_ours_hear_as_well_stays_whatever_strangers_bring_in_the_same_second(clock):
    picture = full_picture(clock, 50)
    both = addresses(INVENTED, 50)
    show(picture, clock, "feeder-1", both, user(1))
    picture.tick()
    clock.advance(1)
    # A stranger with a share of its own comes before ours and after them.
    show(picture, clock, "feeder-2", addresses(INVENTED + 0x1000, 5), user(2))
    present = set(picture.tick().hexes) & set(both)
    assert len(present) == 45
    show(picture, clock, "roof", sorted(present))
    show(picture, clock, "feeder-2", addresses(INVENTED + 0x2000, 20), user(2))
    show(picture, clock, "feeder-3", addresses(INVENTED + 0x3000, 20), user(3))
    assert present <= set(picture.tick().hexes)


def test_strangers_who_flood_the_waiting_room_do_not_keep_ours_waiting(clock, monkeypatch):
    monkeypatch.setattr(admission, "MAX_WAITING", 50)
    picture = full_picture(clock, 1000)
    for second in range(2):
        many = [increment(name, clock.time()) for name in addresses(INVENTED + 0x1000 * second, 200)]
        picture.put("feeder-1", many, 200, voice=user(1))
        picture.put("roof", [increment(name, clock.time()) for name in addresses(REAL, 4)], 4)
        hexes = picture.tick().hexes
        clock.advance(1)
    assert hexes == addresses(REAL, 4)


def test_a_second_feeder_of_the_same_owner_proves_nothing(clock):
    picture = full_picture(clock, 1000)
    voices = {"feeder-1": user(1), "feeder-2": user(1, "10.0.0.2/32"), "feeder-3": user(3)}
    for receiver, voice in voices.items():
        picture.put(receiver, [increment("700001", clock.time())], 1, voice=voice)
        assert len(picture.tick()) == (receiver == "feeder-3")


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(seed, marks=FURTHER) for seed in range(5, 12))])
def test_ours_have_the_places_they_would_have_without_strangers(clock, seed):
    """Drawn worlds of receivers, trusted feeders and strangers of drawn owners, with more aircraft than places."""
    draw, maximum = random.Random(seed), 60
    with_strangers, without = full_picture(clock, maximum), full_picture(clock, maximum)
    receivers = [("roof", OURS)] + [("cellar", OURS)] * draw.randrange(2) + [("feeder-1", OURS)] * draw.randrange(2)
    strangers = [(f"feeder-{10 + n}", user(draw.randrange(1, 5))) for n in range(draw.randrange(1, 12))]
    strangers += [(AGREED_RECEIVER, SEVERAL)] * draw.randrange(2)
    hears = {name: draw.sample(addresses(REAL, 90), draw.randrange(10, 40)) for name, _ in receivers}
    for second in range(12):
        order = [*receivers, *strangers]
        draw.shuffle(order)
        for name, voice in order:
            if name in hears:
                heard = [each for each in hears[name] if draw.random() < 0.8]
                for picture in (with_strangers, without):
                    show(picture, clock, name, heard, voice, messages=2 + second)
            else:
                mine = addresses(REAL + 0x100 * draw.randrange(4), 90) + addresses(INVENTED + draw.randrange(999), 50)
                show(with_strangers, clock, name, draw.sample(mine, 40), voice, messages=2 + second)
        alone, together = set(without.tick().hexes), set(with_strangers.tick().hexes)
        # Where ours alone fill the picture, which of them it holds may depend on who is heard how often.
        if len(alone) < maximum:
            assert alone <= together
        assert len(together) <= maximum
        clock.advance(1)
