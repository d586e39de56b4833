"""A bus that hangs costs skies, not the tracker's time; what is published leads every follower to the same sky."""

from __future__ import annotations

import dataclasses
import threading
import time
import zlib

import msgspec
import numpy as np
import pytest

from skywatch.core.bus import Message, topics
from skywatch.core.bus.memory import MemoryBus
from skywatch.core.database.fencing import next_token, term_of
from skywatch.picture import changes
from skywatch.picture.changes import MissingBase, apply_changes, can_follow, encode_changes
from skywatch.picture.distribution import follower
from skywatch.picture.distribution.follower import CHANGES, COMPLETE, PictureFollower, aged
from skywatch.picture.distribution.publisher import SkyPublisher
from skywatch.picture.state.sky import COLUMNS, empty_sky, from_bytes, to_bytes
from tests.realtime import Skies
from tests.unit.picture.reports import Clock, picture_at, snapshot
from tests.waiting import PATIENCE_S, until


class RemoteBus(MemoryBus):
    """A bus to other processes, that takes what it is told to."""

    carries_objects = False

    def __init__(self):
        super().__init__()
        self.go_on = threading.Event()
        self.go_on.set()
        self.works = True
        self.sent = []

    def send(self, message):
        assert self.go_on.wait(PATIENCE_S)
        if self.works:
            self.publish(message)
            self.sent.append(message)
        return self.works


def test_a_bus_that_hangs_gets_the_newest_sky_and_holds_up_nobody():
    bus = RemoteBus()
    bus.go_on.clear()
    publisher = SkyPublisher(bus)
    publisher.start()
    # The bus takes nothing until all are published: whoever waited for it would wait in vain.
    for seq in range(1, 101):
        publisher.publish(dataclasses.replace(empty_sky(), seq=seq))
    assert not publisher._state().ok
    bus.go_on.set()
    publisher.close()
    taken = [from_bytes(message.data).seq for message in bus.sent]
    assert taken[-1] == 100
    assert taken == sorted(taken)
    assert publisher.skipped >= 90
    assert len(taken) + publisher.skipped == 100


def moving(picture, at, addresses, number):
    reports = [
        snapshot(
            a, at, lat=47.0 + number / 1000, lon=8.0 + index, alt_baro=number, flight="A,,B" if number % 2 else "D"
        )
        for index, a in enumerate(addresses)
    ]
    picture.put("roof", reports, len(reports))
    return picture.tick()


def assert_same(one, other):
    for field in dataclasses.fields(one):
        # What is for the tracker's own monitors does not travel.
        if field.name not in ("columns", "is_complete", "refused"):
            assert getattr(one, field.name) == getattr(other, field.name), field.name
    for name in COLUMNS:
        np.testing.assert_array_equal(one.columns[name], other.columns[name], err_msg=name)
        assert one.columns[name].dtype == other.columns[name].dtype


def test_changes_lead_from_each_sky_to_the_next_whatever_happens_in_it():
    clock = Clock()
    picture = picture_at(clock)
    every = [f"4b16{n:02x}" for n in range(20)]
    followed = None
    for number, addresses in enumerate([every[:5], every[:9], every[3:9], [], every[8:12], every, every[::-1], every]):
        # So long that those who are not heard leave.
        clock.advance(40 if number % 2 else 1)
        sky = moving(picture, clock.time(), addresses, number)
        if followed is not None and can_follow(sky, followed):
            data = encode_changes(sky, followed)
            with pytest.raises(MissingBase):
                apply_changes(data, empty_sky())
            followed = apply_changes(data, followed)
            assert_same(followed, sky)
        else:
            followed = sky
    with pytest.raises(ValueError, match="not the changes"):
        apply_changes(b"nonsense", followed)


def test_a_follower_that_misses_a_tick_asks_for_a_whole_one(monkeypatch):
    # The skies of the test are of long ago.
    monkeypatch.setattr(follower, "SILENT_AFTER_S", 600.0)
    monkeypatch.setattr(follower, "ASK_EVERY_S", 0.0)
    bus, skies = RemoteBus(), Skies()
    publisher = SkyPublisher(bus)
    publisher.start()
    world = {"4b1620": {"alt": 0}}

    def tick(alt):
        world["4b1620"]["alt"] = alt
        sent = len(bus.sent)
        publisher.publish(skies.next({address: dict(a) for address, a in world.items()}))
        until(lambda: len(bus.sent) > sent or not bus.works)

    tick(1)
    tick(2)
    late = PictureFollower(bus, 60.0)
    late.start()
    # It has the last whole sky, and the change that comes builds upon another.
    assert late.sky.aircraft("4b1620")["alt"] == 1
    tick(3)
    assert bus.sent[-1].event == CHANGES
    assert late.sky.seq == 1
    tick(4)
    assert late.sky.aircraft("4b1620")["alt"] == 4
    tick(5)
    assert (bus.sent[-1].event, late.sky.seq) == (CHANGES, 5)
    # What the bus did not take nobody builds upon.
    bus.works = False
    tick(6)
    until(lambda: publisher._complete_requested)
    bus.works = True
    tick(7)
    assert bus.sent[-1].event != CHANGES
    assert late.sky.seq == 7
    publisher.close()
    late.close()


def test_a_follower_that_cannot_read_the_changes_of_another_release_asks_for_whole_skies(monkeypatch):
    monkeypatch.setattr(follower, "SILENT_AFTER_S", 600.0)
    monkeypatch.setattr(follower, "ASK_EVERY_S", 0.0)
    bus, skies, asked = RemoteBus(), Skies(), []
    following = PictureFollower(bus, 60.0)
    following.start()
    bus.subscribe((topics.PICTURE_WANTED,), asked.append)
    for alt in (1, 2):
        sky = skies.next({"4b1620": {"alt": alt}})
        bus.publish(Message(topics.PICTURE, CHANGES, zlib.compress(msgspec.msgpack.encode([sky.epoch, sky.seq]))))
        until(lambda alt=alt: len(asked) == alt)
        bus.publish(Message(topics.PICTURE, COMPLETE, to_bytes(sky)))
        assert following.sky.aircraft("4b1620")["alt"] == alt
        until(lambda: not following._searching.locked())
    following.close()


def test_while_the_tracker_is_silent_ages_grow_and_aircraft_leave(monkeypatch):
    bus, skies = MemoryBus(), Skies()
    publisher, heard = SkyPublisher(bus), []
    following = PictureFollower(bus, 60.0, heard.append)
    following.start()
    sky = skies.next({"4b1620": {"alt": 1}, "4b1621": {"alt": 2}})
    sky.columns["seen_at"][:] = [sky.now - 1, sky.now - 50]
    sky.encoded[:] = [b'{"hex":"%b","alt":1,"seen":1,"seen_pos":0.4,"messages":7}' % a.encode() for a in sky.hexes]
    sky.columns["position_at"][:] = sky.now - 1
    publisher.publish(sky)
    assert following.sky is sky is heard[0]
    assert not following.is_silent
    monkeypatch.setattr(follower, "SILENT_AFTER_S", 0.0)
    monkeypatch.setattr(follower, "AGE_EVERY_S", 0.0)
    heard_at = following._received_at
    for age_s, remaining in ((5.0, ["4b1620", "4b1621"]), (20.0, ["4b1620"]), (70.0, [])):
        following._received_at = heard_at - age_s
        shown = following.sky
        assert shown.hexes == remaining
        assert shown.age_s >= age_s
        assert shown.epoch != sky.epoch
        if remaining:
            aircraft = shown.aircraft("4b1620")
            assert aircraft["seen"] >= 1 + age_s - 0.1
            assert aircraft["seen_pos"] >= 1 + age_s - 0.1
            assert (aircraft["messages"], aircraft["alt"]) == (7, 1)
    assert shown.left == () or shown.left == ("4b1620",)
    monkeypatch.setattr(follower, "SILENT_AFTER_S", 60.0)
    following._received_at = time.monotonic() - 100
    publisher.publish(skies.next({"4b1620": {"alt": 3}}))
    assert following.sky.age_s == 0
    assert following.sky.seq == 2


def broken(data):
    """The same changes, with objects that cannot be unpacked."""
    return changes._pack(msgspec.structs.replace(changes.unpack(data), blocks=[b"broken"]))


@pytest.fixture
def heard_now():
    """A function that makes the next sky, whose aircraft was heard when it was made."""
    skies = Skies()

    def make(alt):
        sky = skies.next({"4b1620": {"alt": alt}})
        sky.columns["seen_at"][:] = sky.now
        return sky

    return make


def test_a_picture_that_cannot_be_aged_is_empty_until_a_whole_one_comes(monkeypatch, caplog, heard_now):
    monkeypatch.setattr(follower, "AGE_EVERY_S", 0.0)
    bus, asked = RemoteBus(), []
    bus.subscribe((topics.PICTURE_WANTED,), asked.append)
    following = PictureFollower(bus, 60.0)
    following.start()
    first, second = heard_now(1), heard_now(2)
    bus.publish(Message(topics.PICTURE, COMPLETE, to_bytes(first)))
    bus.publish(Message(topics.PICTURE, CHANGES, broken(encode_changes(second, first))))
    monkeypatch.setattr(follower, "SILENT_AFTER_S", 0.0)
    shown = following.sky
    assert (shown.hexes, shown.left, shown.columns["lat"].tolist()) == ([], ("4b1620",), [])
    assert shown.epoch != second.epoch
    assert "the picture on the bus cannot be read" in caplog.text
    until(lambda: asked)
    bus.publish(Message(topics.PICTURE, COMPLETE, to_bytes(second)))
    assert following.sky.aircraft("4b1620")["alt"] == 2
    following.close()


def test_changes_that_cannot_be_unpacked_are_replaced_by_a_whole_sky(monkeypatch, caplog, heard_now):
    monkeypatch.setattr(follower, "SILENT_AFTER_S", 600.0)
    monkeypatch.setattr(changes, "MAX_WAITING", 1)
    bus, asked = RemoteBus(), []
    bus.subscribe((topics.PICTURE_WANTED,), asked.append)
    following = PictureFollower(bus, 60.0)
    following.start()
    made = [heard_now(alt) for alt in range(1, 6)]
    bus.publish(Message(topics.PICTURE, COMPLETE, to_bytes(made[0])))
    bus.publish(Message(topics.PICTURE, CHANGES, broken(encode_changes(made[1], made[0]))))
    bus.publish(Message(topics.PICTURE, CHANGES, encode_changes(made[2], made[1])))
    until(lambda: asked)
    assert "cannot be unpacked" in caplog.text
    bus.publish(Message(topics.PICTURE, COMPLETE, to_bytes(made[3])))
    bus.publish(Message(topics.PICTURE, CHANGES, encode_changes(made[4], made[3])))
    assert following.sky.aircraft("4b1620")["alt"] == 5
    following.close()


def test_a_picture_that_grows_old_is_a_chain_of_its_own():
    skies = Skies()
    last = skies.next({f"4b16{n:02x}": {"alt": n} for n in range(10)})
    last.columns["seen_at"][:] = [last.now - n for n in range(10)]
    shown = last
    for seq, age_s in enumerate((51.5, 53.5, 58.5), start=1):
        before, shown = shown, aged(last, shown, age_s, 60.0, "silent", seq)
        assert [before.hexes[row] for row in shown.columns["previous_row"].tolist()] == shown.hexes
        assert set(shown.left) == set(before.hexes) - set(shown.hexes)
        assert not shown.columns["changed"].any()
    assert shown.hexes == ["4b1600", "4b1601"]


def test_every_ten_ticks_a_whole_sky_follows_the_changes_and_is_kept_unread(monkeypatch):
    bus, skies = RemoteBus(), Skies()
    publisher = SkyPublisher(bus)
    following = PictureFollower(bus, 60.0)
    following.start()
    publisher.start()
    for alt in range(1, 24):
        publisher.publish(skies.next({"4b1620": {"alt": alt}}))
        until(lambda alt=alt: following.sky.seq == alt)
        if alt == 1:
            # From now on everything comes as changes: a whole sky is read by nobody who has them.
            monkeypatch.setattr(follower, "from_bytes", None)
    publisher.close()
    assert [message.event for message in bus.sent].count(COMPLETE) >= 3
    assert [from_bytes(m.data).seq for m in bus.sent if m.event == COMPLETE] == [1, 11, 21, 23]
    assert [m.event for m in bus.sent[:12]] == [COMPLETE, *[CHANGES] * 10, COMPLETE]
    assert following.sky.aircraft("4b1620")["alt"] == 23
    following.close()


def test_a_tracker_that_lost_the_lead_sends_nothing_more():
    bus, leads = RemoteBus(), [True]
    publisher = SkyPublisher(bus, lambda: leads[0])
    publisher.start()
    for seq in (1, 2):
        publisher.publish(Skies().next({"4b1620": {"alt": seq}}))
        until(lambda seq=seq: len(bus.sent) >= seq)
    sent = len(bus.sent)
    # Made and not sent yet when the process froze.
    leads[0] = False
    publisher.publish(Skies().next({"4b1620": {"alt": 3}}))
    until(lambda: publisher._next is None)
    publisher.close()
    assert len(bus.sent) == sent


def test_a_follower_takes_no_picture_of_an_earlier_term():
    bus = RemoteBus()
    before = next_token()
    after = next_token(before)
    following = PictureFollower(bus, 60.0)
    following.start()

    def show(epoch, seq, alt):
        sky = dataclasses.replace(Skies().next({"4b1620": {"alt": alt}}), epoch=epoch, seq=seq)
        bus.publish(Message(topics.PICTURE, COMPLETE, to_bytes(sky)))
        return following.sky.epoch, following.sky.aircraft("4b1620")["alt"]

    old, new = f"{term_of(before)}-aa", f"{term_of(after)}-bb"
    assert show(old, 100, 1) == (old, 1)
    assert show(new, 1, 2) == (new, 2)
    # The frozen one goes on, as it was or with an epoch of its own.
    assert show(old, 101, 3) == (new, 2)
    assert show(f"{term_of(before)}-cc", 1, 3) == (new, 2)
    # The same leader has moved its station.
    assert show(f"{term_of(after)}-dd", 1, 4) == (f"{term_of(after)}-dd", 4)
    following.close()
