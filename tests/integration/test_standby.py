"""A tracker that stands by takes over from one that is killed, frozen or stopped."""

import json
import os
import signal
import threading
import time
import urllib.error
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import numpy as np
import pytest
import sqlalchemy as sa

from skywatch.core.bus import Message, open_bus, topics
from skywatch.core.database.fencing import term_of
from skywatch.core.election.heartbeats import heartbeat_of
from skywatch.core.election.tracker_election import STANDSTILL_WITH_STANDBY_S
from skywatch.picture.changes import unpack
from skywatch.picture.distribution import snapshot_messages as snapshots
from skywatch.picture.distribution.follower import CHANGES, PictureFollower
from skywatch.picture.state.sky import from_bytes, moment_of
from tests.integration.test_ingest import AIRCRAFT, World, register_feeders
from tests.ports import free_port
from tests.processes import Service
from tests.relay import Relay
from tests.waiting import until


@pytest.fixture(params=["redis_url", "nats_url"])
def installation(request, tmp_path_factory, postgresql_url):
    """An api process and two trackers, of which one leads."""
    shared = {"secret": "x" * 40, "bus": request.getfixturevalue(request.param), "auth_mode": "public"}
    shared |= {"database_url": postgresql_url, "receiver__demo": "simulate aircraft=60 seed=3"}
    api = Service(tmp_path_factory.mktemp("api"), **shared)
    trackers = [Service(tmp_path_factory.mktemp(f"tracker{n}"), **shared) for n in range(2)]
    try:
        for tracker in trackers:
            # Their exit codes count: a fork may abort at its end, in a library with threads of its own.
            tracker.start("--role", "tracker", wait=False, new_interpreter=True)
        api.start("--role", "api")
        assert until(lambda: states(api) == ["leading", "standby"], every_s=0.1)
        assert until(lambda: len(api.aircraft()) >= 40)
        yield api, trackers, shared["bus"]
    finally:
        api.stop()
        for tracker in trackers:
            tracker.kill()


LEADS, STANDS_BY = "this tracker leads, with", "this one stands by"


def states(api):
    return [tracker["state"] for tracker in health_of(api)["trackers"]]


def health_of(api):
    """The answer of health, whatever its status."""
    try:
        return api.get("/api/v1/system/health")
    except urllib.error.HTTPError as error:
        return json.load(error)


def sorted_out(trackers):
    """The leading and the standing-by process, by what they have logged last."""
    for tracker in trackers:
        # On a busy machine one may have lost the lead by itself, and has ended.
        if tracker.process.poll() is not None:
            tracker.start("--role", "tracker", wait=False, new_interpreter=True)
            until(lambda tracker=tracker: STANDS_BY in tracker.log.read_text())
    logs = {tracker: tracker.log.read_text() for tracker in trackers}
    leader = next(tracker for tracker, log in logs.items() if log.rfind(LEADS) > log.rfind(STANDS_BY))
    return leader, next(tracker for tracker in trackers if tracker is not leader)


class Heartbeats:
    """What trackers publish once a second: which of them, and when it came (monotonic s)."""

    def __init__(self, bus):
        self.heard = []
        bus.subscribe(
            ["tracker"], lambda message: self.heard.append((heartbeat_of(message).instance, time.monotonic()))
        )

    def gap_after(self, fault):
        """Seconds between the last heartbeat of the leader and the first of its successor."""
        until(lambda: self.heard)
        leader = self.heard[-1][0]
        fault()
        until(lambda: self.heard[-1][0] != leader)
        last = max(at for instance, at in self.heard if instance == leader)
        first = min(at for instance, at in self.heard if instance != leader and at > last)
        return first - last


class Pictures:
    """The epochs of all that is published of the picture, in the order in which it came."""

    def __init__(self, bus):
        self.epochs = []
        bus.subscribe([topics.PICTURE], lambda message: self.epochs.append(epoch_of(message)))


def epoch_of(message):
    return unpack(message.data).epoch if message.event == CHANGES else moment_of(message.data)[0]


@pytest.fixture
def pictures(installation):
    bus = open_bus(installation[2])
    yield Pictures(bus)
    bus.close()


@pytest.fixture
def heartbeats(installation):
    bus = open_bus(installation[2])
    yield Heartbeats(bus)
    bus.close()


def test_a_standby_takes_over_from_a_killed_tracker(installation, heartbeats):
    api, trackers, _ = installation
    leader, standby = sorted_out(trackers)
    token = health_of(api)["trackers"][0]["token"]
    gap_s = heartbeats.gap_after(leader.kill)
    print(f"gap after a kill: {gap_s:.2f} s")
    assert len(api.aircraft()) >= 40
    assert until(lambda: "this tracker leads" in standby.log.read_text())
    assert until(lambda: token not in [tracker["token"] for tracker in health_of(api)["trackers"]], every_s=0.2)
    # The killed one comes back and stands by.
    leader.start("--role", "tracker", wait=False)
    assert until(lambda: states(api) == ["leading", "standby"], every_s=0.1)


def test_a_standby_takes_over_from_a_frozen_tracker_which_ends_once_thawed(installation, heartbeats, pictures):
    api, trackers, _ = installation
    # Ticks after the last whole picture, which a tracker that stops would publish again.
    assert until(lambda: len(pictures.epochs) > 3)
    leader, standby = sorted_out(trackers)
    frozen_at = time.monotonic()
    gap_s = heartbeats.gap_after(lambda: os.kill(leader.process.pid, signal.SIGSTOP))
    print(f"gap after a freeze: {gap_s:.2f} s")
    assert "its session is ended" in standby.log.read_text()
    # On a busy machine it may have been silent before; one that was frozen for so long asks before it publishes.
    until(lambda: time.monotonic() - frozen_at > STANDSTILL_WITH_STANDBY_S)
    os.kill(leader.process.pid, signal.SIGCONT)
    assert until(lambda: leader.process.poll() is not None, every_s=0.1)
    assert leader.process.returncode == 0, leader.log.read_text()[-3000:]
    said = end_of(leader)
    # One line that it ends; a thread that was writing when it froze says once what became of that.
    assert not any(line.startswith(" ") for line in said), leader.log.read_text()
    parts = [line.split()[2] for line in said]
    assert len(parts) == len(set(parts)), leader.log.read_text()
    # It published nothing after its successor had begun, but for a message that it was sending when it froze.
    assert "this tracker ends" in leader.log.read_text()
    instances = [instance for instance, _ in heartbeats.heard]
    frozen, successor = dict.fromkeys(instances)
    assert instances[instances.index(successor) :].count(frozen) <= 1
    until(lambda: len(set(pictures.epochs)) > 1, "a picture of its successor")
    thawed, following = dict.fromkeys(pictures.epochs)
    assert pictures.epochs[pictures.epochs.index(following) :].count(thawed) == 0
    assert term_of(following) > term_of(thawed)
    assert len(api.aircraft()) >= 40


def end_of(tracker):
    """The lines of the log from that which says that the tracker ends, but the line of its state and of its freeze.

    A tracker may have been frozen amid a tick, which is a long one then, and the bus may have given up its connection,
    which the announcer of its health says as well.
    """
    lines = [line for line in tracker.log.read_text().splitlines() if line.startswith(("20", " "))]
    lines = [line for line in lines if not line.endswith("ms for one tick")]
    lines = [line for line in lines if not any(name in line for name in (".core.bus.", ".core.process.announcer "))]
    return lines[next(n for n, line in enumerate(lines) if "this tracker ends" in line) :]


@pytest.fixture
def cut_off(bus_name, request, tmp_path_factory, postgresql_url):
    """A leader whose links to database and bus can be held, its standby, and the address of the bus."""
    bus, database = urlsplit(request.getfixturevalue(bus_name)), sa.make_url(postgresql_url)
    links = [Relay((url.hostname, url.port)) for url in (bus, urlsplit(f"//{database.host}:{database.port}"))]
    addresses = [f"{bus.scheme}://127.0.0.1:{links[0].port}{bus.path}?{bus.query}"]
    addresses.append(database.set(host="127.0.0.1", port=links[1].port).render_as_string(hide_password=False))
    shared = {"secret": "x" * 40, "receiver__demo": "simulate aircraft=60 seed=3"}
    leader = Service(tmp_path_factory.mktemp("one"), **shared, bus=addresses[0], database_url=addresses[1])
    standby = Service(tmp_path_factory.mktemp("two"), **shared, bus=bus.geturl(), database_url=postgresql_url)
    try:
        standby.init()
        leader.start("--role", "tracker", wait=False, new_interpreter=True)
        until(lambda: "this tracker leads" in leader.log.read_text())
        standby.start("--role", "tracker", wait=False, new_interpreter=True)
        until(lambda: "another tracker leads" in standby.log.read_text())
        yield leader, standby, links, bus.geturl()
    finally:
        for link in links:
            link.close()
        for tracker in (leader, standby):
            tracker.kill()


OTHER = pytest.mark.nightly("the outage of the other length for each bus")


@pytest.mark.parametrize(
    ("bus_name", "outage_s"),
    [
        ("redis_url", 4),
        ("nats_url", 12),
        pytest.param("redis_url", 12, marks=OTHER),
        pytest.param("nats_url", 4, marks=OTHER),
    ],
)
def test_a_leader_whose_link_returns_publishes_no_tick_and_ends(cut_off, outage_s):
    leader, standby, links, address = cut_off
    bus, skies, made = open_bus(address), [], []
    follower = PictureFollower(bus, 60.0, skies.append)
    bus.subscribe([topics.PICTURE], lambda message: made.append(moment(message)))
    try:
        follower.start()
        until(lambda: len(skies) > 3)
        before = skies[-1].epoch
        for link in links:
            link.hold()
        time.sleep(outage_s)
        until(lambda: "this tracker leads" in standby.log.read_text())
        until(lambda: skies[-1].epoch.partition("-")[0] != before.partition("-")[0])
        returned_at = time.time()
        for link in links:
            link.let_go()
        until(lambda: leader.process.poll() is not None, "the end of the leader before", every_s=0.05)
        print(f"ended {time.time() - returned_at:.1f} s after the link of {outage_s} s returned")
        assert leader.process.returncode == 0, leader.log.read_text()
        time.sleep(1.0)
        # What it had handed to the network before arrives late, and nobody takes it.
        assert not [at for epoch, at in made if epoch == before and at > returned_at]
        epochs = [term_of(sky.epoch) for sky in skies]
        assert epochs == sorted(epochs)
        assert "Traceback" not in leader.log.read_text()
    finally:
        follower.close()
        bus.close()


def moment(message):
    """The epoch of what is published of the picture, and when it was made (unix s)."""
    sky = unpack(message.data) if message.event == CHANGES else from_bytes(message.data)
    return sky.epoch, sky.now


class Document:
    """What readsb serves to those that poll it: some aircraft, as long as ``is_there``."""

    def __init__(self, aircraft):
        self.is_there = True
        document = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if not document.is_there:
                    self.send_error(503)
                    return
                entries = [
                    {"hex": f"4b16{n:02x}", "type": "adsb_icao", "lat": 47 + n / 100, "lon": 8.0, "alt_baro": 30000}
                    | {"gs": 0.0, "seen": 0.1, "seen_pos": 0.2, "messages": 100, "flight": f"SWR{n}"}
                    for n in range(aircraft)
                ]
                body = json.dumps({"now": time.time(), "messages": 1, "aircraft": entries}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/aircraft.json"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.mark.parametrize("bus", ["redis_url", "nats_url"])
def test_the_first_tick_after_a_takeover_is_the_picture_before(request, tmp_path_factory, postgresql_url, bus):
    """With what users have: a receiver that is polled, and feeders at an ingest process."""
    document, port = Document(12), free_port()
    shared = {"secret": "x" * 40, "bus": request.getfixturevalue(bus), "database_url": postgresql_url}
    shared |= {"receiver__polled": f"readsb {document.url}", "receiver__in": f"listen 127.0.0.1:{port}"}
    leader, standby, ingest = (Service(tmp_path_factory.mktemp(name), **shared) for name in ("one", "two", "ingest"))
    leader.init()
    world = World(register_feeders(postgresql_url, 4), [port])
    skies = []
    bus = open_bus(shared["bus"])
    # It gives its picture to nobody, so that only the standby offers one.
    follower = PictureFollower(bus, 60.0, skies.append, serves=lambda: False)
    offers, answers = [], snapshots.OWN + "test"
    bus.subscribe([answers], offers.append)

    def is_followed(since):
        """Whether the standby offers a picture that was made later (unix s)."""
        bus.publish(Message(snapshots.ALL, snapshots.SEARCH, snapshots.encode(snapshots.Search(answers, since))))
        return offers

    try:
        leader.start("--role", "tracker", wait=False)
        until(lambda: "this tracker leads" in leader.log.read_text())
        standby.start("--role", "tracker", wait=False)
        ingest.start("--role", "ingest", wait=False)
        world.start()
        follower.start()
        until(lambda: len(follower.sky) == 12 + AIRCRAFT, "all aircraft")
        complete = follower.sky
        first_seen = dict(zip(complete.hexes, complete.columns["first_seen"].tolist(), strict=True))
        until(lambda: "another tracker leads" in standby.log.read_text())
        complete_at = follower.sky.now
        until(lambda: is_followed(complete_at), "the standby has the picture", every_s=0.2)
        # Nobody brings the successor what it has not.
        document.is_there = False
        world.is_over = True
        world.join()
        leader.kill()
        epoch = skies[-1].epoch
        after = until(lambda: [sky for sky in skies if sky.epoch != epoch and not sky.age_s])
        assert dict(zip(after[0].hexes, after[0].columns["first_seen"].tolist(), strict=True)) == first_seen
        assert after[0].aircraft("4b1605")["flight"] == "SWR5"
        assert not np.isnan(after[0].columns["lat"]).any()
        until(lambda: len(skies) > skies.index(after[0]) + 3)
        assert [len(sky) for sky in skies[skies.index(after[0]) :]].count(12 + AIRCRAFT) >= 4
    finally:
        world.is_over = True
        follower.close()
        bus.close()
        document.server.shutdown()
        for service in (leader, standby, ingest):
            service.kill()


def test_sqlite_elects_nobody(tmp_path):
    refused = Service(tmp_path, tracker_standby="true", receiver__demo="simulate aircraft=3").init()
    refused.start(wait=False)
    assert refused.process.wait(60) == 1
    assert "setting tracker_standby: needs PostgreSQL" in refused.log.read_text()
