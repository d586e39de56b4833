"""Processes that start take the picture from any that follows it, and from the tracker where there is no other."""

from __future__ import annotations

import dataclasses
import logging
import secrets
import threading
import time
import zlib

import msgspec
import numpy as np
import pytest

from skywatch.core.bus import Message, open_bus, topics
from skywatch.picture import metrics
from skywatch.picture.changes import MissingBase, apply_changes, encode_changes
from skywatch.picture.distribution import follower, snapshot_client
from skywatch.picture.distribution import snapshot_messages as snapshots
from skywatch.picture.distribution.follower import CHANGES, COMPLETE, PictureFollower
from skywatch.picture.distribution.publisher import SkyPublisher
from skywatch.picture.distribution.snapshot_client import SnapshotClient
from skywatch.picture.distribution.snapshot_server import SnapshotServer
from skywatch.picture.state.sky import COLUMNS, LATER_COLUMNS, LATER_MEMBERS, from_bytes, to_bytes
from tests.realtime import Skies
from tests.unit.picture.distribution.test_publisher import RemoteBus, assert_same
from tests.waiting import PATIENCE_S, until


@pytest.fixture(params=["redis_url", "nats_url"])
def open_end(request, monkeypatch):
    """A function that opens one more end of the same bus."""
    # However slow the machine is.
    monkeypatch.setattr(snapshot_client, "FIRST_OFFER_S", PATIENCE_S)
    monkeypatch.setattr(snapshot_client, "ANSWER_WITHIN_S", PATIENCE_S)
    address = request.getfixturevalue(request.param)
    opened = []

    def open_one():
        opened.append(open_bus(address))
        return opened[-1]

    yield open_one
    for bus in opened:
        bus.close()


@pytest.fixture
def follow():
    """A function that starts a follower."""
    followers = []

    def start(bus, *, is_alone=False, **options):
        followers.append(PictureFollower(bus, 60.0, **options))
        if is_alone:
            followers[-1]._alone_at = time.monotonic()
        followers[-1].start()
        return followers[-1]

    yield start
    for started in followers:
        started.close()


@pytest.fixture(autouse=True)
def _skies_of_long_ago(monkeypatch):
    monkeypatch.setattr(follower, "SILENT_AFTER_S", 600.0)


class Leader:
    """A tracker that publishes skies of some aircraft."""

    def __init__(self, bus, aircraft=3):
        self.skies = Skies()
        self.publisher = SkyPublisher(bus)
        self.publisher.start()
        self.world = {f"{0x4B0000 + n:06x}": {"alt": 0, "lat": 47.0, "lon": n / 100} for n in range(aircraft)}

    def tick(self):
        for aircraft in self.world.values():
            aircraft["alt"] += 1
        sky = self.skies.next({address: dict(a) for address, a in self.world.items()})
        self.publisher.publish(sky)
        return sky


def served(by):
    return metrics.SNAPSHOTS_SERVED.labels(by)._value.get()


def test_twenty_starts_are_served_by_followers_and_never_by_the_leader(open_end, follow):
    leader = Leader(open_end())
    others = [follow(open_end(), is_alone=True) for _ in range(2)]
    for _ in range(3):
        sky = leader.tick()
        until(lambda sky=sky: all(other.sky.seq == sky.seq for other in others))
    before = {by: served(by) for by in ("leader", "follower")}
    bus = open_end()
    for _ in range(20):
        started = follow(bus)
        assert_same(started.sky, sky)
        started.close()
    # An answer is counted once it is sent, when its receiver may have it already.
    until(lambda: served("follower") == before["follower"] + 20)
    assert served("leader") == before["leader"]
    leader.publisher.close()


def test_ticks_that_come_while_the_picture_is_on_its_way_are_not_missed(open_end, follow, monkeypatch):
    leader = Leader(open_end())
    other = follow(open_end(), is_alone=True)
    sky = leader.tick()
    until(lambda: other.sky.seq == sky.seq)
    find = SnapshotClient.find

    def find_slowly(client, newer_than):
        found = find(client, newer_than)
        for _ in range(3):
            last = leader.tick()
            until(lambda last=last: other.sky.seq == last.seq)
        until(lambda: len(late._waiting) == 3)
        return found

    monkeypatch.setattr(SnapshotClient, "find", find_slowly)
    late = PictureFollower(open_end(), 60.0)
    late.start()
    assert_same(late.sky, leader.skies.last)
    late.close()
    leader.publisher.close()


def test_without_leader_and_stored_picture_late_ones_answer_as_the_others(open_end, follow, monkeypatch):
    leader_bus = open_end()
    leader = Leader(leader_bus)
    other = follow(open_end(), is_alone=True)
    sky = leader.tick()
    until(lambda: other.sky.seq == sky.seq)
    leader.publisher.close()
    leader_bus.close()
    other._received_at -= 30
    bus = open_end()
    # As after a flush.
    monkeypatch.setattr(bus, "last", lambda topic: None)
    late = follow(bus)
    assert_same(late.sky, sky)
    assert late.silent_s == pytest.approx(other.silent_s, abs=5)
    assert late.silent_s >= 30


@pytest.mark.deep("costs over a processor second")
def test_a_picture_of_fifteen_thousand_aircraft_is_served_over_both_buses(open_end, follow):
    leader = Leader(open_end(), aircraft=15_000)
    other = follow(open_end(), is_alone=True)
    for aircraft in leader.world.values():
        # What does not compress.
        aircraft["r"] = secrets.token_hex(200)
    sky = leader.tick()
    until(lambda: other.sky.seq == sky.seq)
    assert len(to_bytes(sky)) > 3_000_000
    late = follow(open_end())
    assert_same(late.sky, sky)
    leader.publisher.close()


class Other:
    """Another process that offers a picture; ``answer`` is called with each request for it."""

    def __init__(self, bus, sky, answer):
        self.topic = snapshots.OWN + f"{id(self)}"
        self.asked = 0
        self._bus, self._sky, self._answer = bus, sky, answer
        bus.subscribe([snapshots.ALL, self.topic], self._take)

    def _take(self, message):
        if message.event == snapshots.SEARCH:
            offer = snapshots.Offer(self.topic, self._sky.now)
            answer_to = snapshots.decode(message.data, snapshots.Search).answer_to
            self._bus.publish(Message(answer_to, snapshots.OFFER, snapshots.encode(offer)))
        elif message.event == snapshots.REQUEST:
            self.asked += 1
            data = self._answer(self.topic, self._sky)
            if data is not None:
                answer_to = snapshots.decode(message.data, snapshots.Request).answer_to
                self._bus.publish(Message(answer_to, snapshots.SNAPSHOT, data))


def well(topic, sky):
    return snapshots.encode(snapshots.Snapshot(topic, 0.0, to_bytes(sky)))


def of_another_release(topic, sky):
    return b"\x02" + well(topic, sky)[1:]


def unreadable(topic, sky):
    return snapshots.encode(snapshots.Snapshot(topic, 0.0, b"nonsense"))


def frozen(topic, sky):
    return None


@pytest.fixture
def skies():
    made = Skies()
    return [made.next({"4b1620": {"alt": alt}}) for alt in range(10)]


@pytest.mark.parametrize("fault", [frozen, unreadable, of_another_release])
def test_the_next_one_is_asked_where_an_answer_is_missing_or_unreadable(skies, follow, monkeypatch, fault, caplog):
    monkeypatch.setattr(snapshot_client, "ANSWER_WITHIN_S", 0.5)
    bus = RemoteBus()
    newest, older = Other(bus, skies[9], fault), Other(bus, skies[2], well)
    with caplog.at_level(logging.WARNING):
        started = follow(bus)
    assert (newest.asked, older.asked) == (1, 1)
    assert_same(started.sky, skies[2])
    assert ("cannot be read" in caplog.text) == (fault is not frozen)


def test_one_that_dies_amid_its_answer_is_followed_by_the_next(skies, follow, monkeypatch, nats_url):
    # Both have to offer theirs, and the next one to answer, in these times, however slow the machine is.
    monkeypatch.setattr(snapshot_client, "FIRST_OFFER_S", PATIENCE_S)
    monkeypatch.setattr(snapshot_client, "OTHER_OFFERS_S", 2.0)
    monkeypatch.setattr(snapshot_client, "ANSWER_WITHIN_S", 5.0)
    bus = open_bus(nats_url)

    def dies(topic, sky):
        whole = Message("", snapshots.SNAPSHOT, well(topic, sky) + bytes(3_000_000))
        first = next(_parts(whole))
        bus._client.ask(bus._client.connection.publish(bus._subject("topic", started._topic), first))

    newest, older = Other(bus, skies[9], dies), Other(bus, skies[2], well)
    started = PictureFollower(open_bus(nats_url), 60.0)
    started.start()
    assert (newest.asked, older.asked) == (1, 1)
    assert_same(started.sky, skies[2])
    started.close()
    started._bus.close()
    bus.close()


def _parts(message):
    from skywatch.core.bus.message_codec import pack
    from skywatch.core.bus.nats.parts import cut

    return cut(pack(message), 1 << 19)


def test_the_newest_picture_is_taken_and_an_older_one_never(skies, follow):
    bus = RemoteBus()
    others = [Other(bus, skies[number], well) for number in (2, 9, 5)]
    started = follow(bus)
    assert_same(started.sky, skies[9])
    assert [other.asked for other in others] == [0, 1, 0]
    assert started._client.find(skies[9].now) is None


def test_requests_are_spread_over_those_who_have_the_newest(skies):
    bus = RemoteBus()
    others = [Other(bus, skies[9], well) for _ in range(3)]
    for _ in range(30):
        started = PictureFollower(bus, 60.0)
        started._serves = lambda: False
        started.start()
        started.close()
    assert all(other.asked for other in others)


def test_the_answer_of_one_that_was_not_asked_is_dropped(skies, monkeypatch):
    monkeypatch.setattr(snapshot_client, "ANSWER_WITHIN_S", 0.05)
    bus = RemoteBus()
    client = SnapshotClient(bus, "late")
    asked = Other(
        bus, skies[9], lambda topic, sky: client.received(snapshots.Snapshot("stranger", 0.0, to_bytes(skies[1])))
    )
    assert client._ask(asked.topic) is None
    assert asked.asked == 1


def test_the_process_of_the_leader_offers_nothing(skies, follow):
    bus = RemoteBus()
    beside = follow(bus, serves=lambda: False)
    bus.publish(Message(topics.PICTURE, "tick", to_bytes(skies[3]), snapshot=True))
    assert beside.sky.seq == skies[3].seq
    offers = []
    bus.subscribe(["late"], offers.append)
    bus.publish(Message(snapshots.ALL, snapshots.SEARCH, snapshots.encode(snapshots.Search("late", 0.0))))
    assert not offers


def test_many_requests_at_once_cost_one_encoding_and_no_more_threads(skies, monkeypatch):
    encoded, go_on = [], threading.Event()
    monkeypatch.setattr(
        "skywatch.picture.distribution.snapshot_server.to_bytes",
        lambda sky: (go_on.wait(60), encoded.append(sky), to_bytes(sky))[2],
    )
    bus, received = RemoteBus(), []
    names = [f"late:{number}" for number in range(100)]
    bus.subscribe(names, received.append)
    server = SnapshotServer(bus, "holder", lambda: (skies[9], 0.0))
    before = threading.active_count()
    for name in names:
        server.request(snapshots.Request(name))
    assert threading.active_count() <= before + 1
    go_on.set()
    # The first is taken before those that wait are counted.
    until(lambda: not server._is_serving)
    assert len(received) in (64, 65)
    assert len(encoded) == 1


def test_a_request_that_waited_too_long_is_not_answered(skies, monkeypatch):
    bus, received = RemoteBus(), []
    bus.subscribe(["late"], received.append)
    monkeypatch.setattr("skywatch.picture.distribution.snapshot_server.ANSWER_WITHIN_S", -1.0)
    server = SnapshotServer(bus, "holder", lambda: (skies[9], 0.0))
    server.request(snapshots.Request("late"))
    until(lambda: not server._is_serving)
    assert not received


def test_after_a_break_a_newer_picture_of_another_process_is_taken(skies, follow):
    bus = RemoteBus()
    started = follow(bus)
    bus.publish(Message(topics.PICTURE, "tick", to_bytes(skies[3]), snapshot=True))
    Other(bus, skies[9], well)
    started._alone_at = started._requested_at = float("-inf")
    started._resume()
    until(lambda: started.sky.seq == skies[9].seq)


def test_after_a_break_without_others_the_stored_picture_is_taken(skies, follow, monkeypatch):
    monkeypatch.setattr(follower, "TICK_WITHIN_S", 0.01)
    bus = RemoteBus()
    started = follow(bus)
    bus._last[topics.PICTURE] = Message(topics.PICTURE, "tick", to_bytes(skies[5]), snapshot=True)
    started._requested_at = float("-inf")
    started._resume()
    until(lambda: started.sky.seq == skies[5].seq)


def of_an_earlier_release(sky):
    """The bytes of a sky as a release without later columns sends it."""
    *others, _ = msgspec.msgpack.decode(zlib.decompress(to_bytes(sky)))
    return zlib.compress(msgspec.msgpack.encode([*others, {}]))


def test_a_picture_without_the_columns_of_this_release_is_passed_over(skies, follow, monkeypatch):
    monkeypatch.setattr(follower, "ASK_EVERY_S", 0.0)

    def routes(sky):
        return {**sky.columns, "origin": np.array([b"EGLL"], "S4"), "destination": np.array([b"KJFK"], "S4")}

    def earlier(topic, sky):
        return snapshots.encode(snapshots.Snapshot(topic, 0.0, of_an_earlier_release(sky)))

    skies = [dataclasses.replace(sky, columns=routes(sky)) for sky in skies]
    bus, asked = RemoteBus(), []
    bus.subscribe((topics.PICTURE_WANTED,), asked.append)
    other = Other(bus, skies[2], earlier)
    started = follow(bus)
    assert other.asked == 1
    assert started.sky.seq == 0
    started._alone_at = float("-inf")
    bus.publish(Message(topics.PICTURE, CHANGES, encode_changes(skies[3], skies[2])))
    until(lambda: asked)
    bus.publish(Message(topics.PICTURE, COMPLETE, to_bytes(skies[4])))
    bus.publish(Message(topics.PICTURE, CHANGES, encode_changes(skies[5], skies[4])))
    assert_same(started.sky, skies[5])


def test_changes_are_not_applied_to_a_picture_without_their_columns(skies):
    lacking = from_bytes(of_an_earlier_release(skies[3]))
    assert lacking.missing == LATER_MEMBERS
    with pytest.raises(MissingBase, match="columns"):
        apply_changes(encode_changes(skies[4], skies[3]), lacking)


def test_columns_that_another_release_does_not_send_are_unknown(skies):
    sky = skies[3]
    read = from_bytes(of_an_earlier_release(sky))
    for name in LATER_COLUMNS:
        unknown = {"S": [b""], "f": [0.0], "b": [False], "u": [0]}[read.column(name).dtype.kind]
        expected = [np.nan] if name == "seen_before_days" else unknown
        np.testing.assert_array_equal(read.column(name), np.array(expected, COLUMNS[name]), err_msg=name)
    assert read.routes(np.arange(1)).tolist() == [b""]
    assert read.hexes == sky.hexes
    more = {**sky.columns, "of_a_later_release": sky.columns["lat"]}
    assert_same(from_bytes(to_bytes(dataclasses.replace(sky, columns=more))), sky)
    fewer = {name: column for name, column in sky.columns.items() if name != "lat"}
    with pytest.raises(ValueError, match="of another version"):
        from_bytes(to_bytes(dataclasses.replace(sky, columns=fewer)))
