"""The Redis bus follows the master that Sentinel names."""

import signal
import threading

import pytest

from skywatch.core.bus import BusAwayError, BusError, Message, open_bus
from skywatch.http.limits.limiter import Limiter
from tests.sentinel import watched
from tests.unit.core.bus.suite import BusSuite, Inbox
from tests.waiting import PATIENCE_S, until

pytestmark = pytest.mark.deep("starts servers or programs of its own")


@pytest.fixture(scope="module")
def installation(tmp_path_factory):
    with watched(tmp_path_factory.mktemp("sentinel")) as servers:
        yield servers


class TestSentinelBus(BusSuite):
    @pytest.fixture
    def open_bus(self, installation, patient_bus, request):
        opened = []

        def open_one():
            opened.append(open_bus(installation.address, f"t{abs(hash(request.node.name))}"))
            return opened[-1]

        yield open_one
        for bus in opened:
            bus.close()


def test_limits_are_counted_by_the_master(installation, patient_bus, make_settings):
    settings = make_settings(bus=installation.address)
    limiters = Limiter(settings), Limiter(settings)
    verdicts = [limiter.hit("3/minute", "login", "ada", exact=True).allowed for limiter in (*limiters, *limiters)]
    assert verdicts == [True, True, True, False]


def test_an_unknown_master_is_one_clear_line(installation):
    with pytest.raises(BusAwayError, match=r"^setting bus: .*No master found for 'other'"):
        open_bus(installation.address.replace("skytests", "other"))


@pytest.mark.parametrize("fault", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "frozen"])
def test_a_lost_master_is_followed_by_the_next_one(tmp_path, fault):
    with watched(tmp_path) as servers:
        bus, other, inbox, mended = open_bus(servers.address), open_bus(servers.address), Inbox(), threading.Event()
        bus.subscribe(["safety"], inbox, on_reconnect=mended.set)
        other.publish(Message("safety", "safety:event", b"before"))
        inbox.wait(1)
        lost = servers.master()
        lost.process.send_signal(fault)
        assert mended.wait(PATIENCE_S)
        assert until(lambda: servers.master() is not lost)
        assert until(lambda: stores(bus) and stores(other))
        # The former master, thawed, is a replica of the next: nobody may go on with it.
        lost.process.send_signal(signal.SIGCONT)
        received = len(inbox.messages)

        def arrives():
            other.send(Message("safety", "safety:event", b"after"))
            return any(message.data == b"after" for message in inbox.messages[received:])

        # What is sent before the subscription follows is lost.
        assert until(arrives, every_s=0.1)
        assert until(lambda: bus.state().ok)
        bus.close()
        other.close()


def stores(bus):
    """Whether the bus takes a value."""
    try:
        bus.put("anything", b"x", 60)
    except BusError:
        return False
    return True
