"""The outgoing client: hostile targets, each refused in the same words and none reached; answers that hurt."""

import asyncio
import re
import socket
import threading
import time

import pytest

from skywatch.core.network.http_client import AnswerTooLarge, CallFailed, DeadlineExceeded, OutgoingClient
from skywatch.core.network.targets import NOT_ALLOWED, AddressRefused, TargetPolicy
from skywatch.notify.senders.names import NameResolver
from tests.ports import free_port
from tests.receiving import receiving
from tests.waiting import PATIENCE_S

# Addresses that a user may enter; PORT is that of a listener on 127.0.0.1 which must not be reached.
HOSTILE = [
    "http://127.0.0.1:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://127.1:PORT/",
    "http://127.0.1:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0x7f.0.0.1:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://017700000001:PORT/",
    "http://0:PORT/",
    "http://0.0.0.0:PORT/",
    "http://localhost:PORT/",
    "http://LOCALHOST.:PORT/",
    "http://sub.localhost:PORT/",
    "http://[::1]:PORT/",
    "http://[::]:PORT/",
    "http://[0:0:0:0:0:0:0:1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[64:ff9b::127.0.0.1]:PORT/",
    "http://[64:ff9b::7f00:1]:PORT/",
    "http://[64:ff9b:1::127.0.0.1]:PORT/",
    "http://[2002:7f00:1::]:PORT/",
    "http://[2001:0:7f00:1::]:PORT/",
    "http://[2001:470:1f04:1::5efe:127.0.0.1]:PORT/",
    "http://[fe80::1]:PORT/",
    "http://[fe80::1%25lo]:PORT/",
    "http://[fc00::1]:PORT/",
    "http://[fd00:ec2::254]:PORT/",
    "http://[fec0::1]:PORT/",
    "http://[ff02::1]:PORT/",
    "http://[2001:db8::1]:PORT/",
    "http://10.0.0.1:PORT/",
    "http://172.16.0.1:PORT/",
    "http://192.168.1.1:PORT/",
    "http://100.64.0.1:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::ffff:169.254.169.254]/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://192.88.99.1/",
    "http://user:password@127.0.0.1:PORT/",
    "http://user@example.org/",
    "http://example.org@127.0.0.1:PORT/",
    "http://127.0.0.1%2f@example.org/",
    "http://127.0.0.1\\@example.org/",
    "http://example.org\\@127.0.0.1:PORT/",
    "http://127%2e0%2e0%2e1:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
    "http://127。0。0。1:PORT/",
    "http://example.org:0/",
    "http://example.org:99999/",
    "http:///path",
    "http://",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT",
    "ftp://127.0.0.1:PORT/",
    "file:///etc/passwd",
    "gopher://127.0.0.1:PORT/_x",
    "unix:///var/run/docker.sock",
    "http://127.0.0.1:PORT/ HTTP/1.1\r\nX: y",
    "http://exa mple.org/",
    "http://" + "a" * 3000,
    "",
]  # fmt: skip


@pytest.fixture
def listener():
    with receiving() as receiver:
        yield receiver


def client_of(**changes):
    values = {"timeout_s": 10.0, "maximum_bytes": 1000, "policy": TargetPolicy()}
    return OutgoingClient(**{**values, **changes})


@pytest.mark.parametrize("address", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_target_is_refused_in_the_same_words_and_not_reached(listener, address):
    with pytest.raises(AddressRefused) as caught:
        client_of().call("POST", address.replace("PORT", str(listener.port)), {}, b"x")
    assert str(caught.value) == str(NOT_ALLOWED)
    assert listener.connections == 0


@pytest.fixture
def names(monkeypatch):
    """Names by a resolver of the test's own: each lookup takes the next answer, the last one stays."""
    answers, asked = {}, []
    real = socket.getaddrinfo

    def look_up(host, port, *args, **kw):
        if host not in answers:
            return real(host, port, *args, **kw)
        asked.append(host)
        found = answers[host].pop(0) if len(answers[host]) > 1 else answers[host][0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    look_up.answers, look_up.asked = answers, asked
    return look_up


@pytest.mark.parametrize(
    "found", [["127.0.0.1"], ["93.184.215.14", "127.0.0.1"], ["169.254.169.254", "93.184.215.14"]], ids=str
)
def test_every_address_of_a_name_is_checked(listener, names, found):
    names.answers["innocent.example.org"] = [found]
    with pytest.raises(AddressRefused, match=f"^{re.escape(NOT_ALLOWED)}$"):
        client_of().call("POST", f"http://innocent.example.org:{listener.port}/")
    assert listener.connections == 0


def test_a_name_that_answers_twice_differently_is_asked_once(listener, names):
    names.answers["rebinding.example.org"] = [["127.0.0.1"], ["10.0.0.1"]]
    client = client_of(policy=TargetPolicy(["127.0.0.1/32"]))
    address = f"http://rebinding.example.org:{listener.port}/hook"
    assert client.call("POST", address, {}, b"{}").status == 200
    assert names.asked == ["rebinding.example.org"]
    (request,) = listener.requests
    assert request["headers"]["host"] == f"rebinding.example.org:{listener.port}"
    with pytest.raises(AddressRefused):
        client.call("POST", address)
    assert listener.connections == 1


def test_one_persons_names_that_do_not_answer_leave_threads_to_others(listener, monkeypatch):
    """Lookups cannot be interrupted: each has its thread until the system gives up, longer than its call waits."""
    real, gives_up = socket.getaddrinfo, threading.Event()
    begun = []

    def look_up(host, port, *args, **kw):
        if host.startswith("slow"):
            begun.append(host)
            assert gives_up.wait(PATIENCE_S)
            raise socket.gaierror
        return real("127.0.0.1" if host == "quick.example.org" else host, port, *args, **kw)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    client = client_of(policy=None, resolver=NameResolver(8), timeout_s=PATIENCE_S)

    async def test():
        async def call(host, person):
            return await client.send("POST", f"http://{host}:{listener.port}/", person=person)

        greedy = [asyncio.create_task(call(f"slow{number}.example.org", "user 1")) for number in range(30)]
        await asyncio.sleep(0)
        for person in ("user 2", "user 3", ""):
            assert (await call("quick.example.org", person)).status == 200
        # The greedy one's own wait for each other; who gives up waiting has had no thread.
        assert len(begun) == 2
        for task in greedy[:20]:
            task.cancel()
        await asyncio.wait(greedy[:20])
        gives_up.set()
        ends = await asyncio.gather(*greedy, return_exceptions=True)
        assert {type(end) for end in ends[20:]} == {CallFailed}
        assert len(begun) == 12

    asyncio.run(test())


def test_allowed_networks_are_allowed_and_no_others(listener):
    client = client_of(policy=TargetPolicy(["127.0.0.0/8"]))
    assert client.call("POST", f"http://127.1:{listener.port}/").status == 200
    assert client.call("POST", f"http://[::ffff:127.0.0.1]:{listener.port}/").status == 200
    with pytest.raises(AddressRefused):
        client.call("POST", "http://10.0.0.1/")


def test_a_redirect_is_an_answer_and_not_followed(listener):
    listener.status, listener.headers = 302, {"Location": f"{listener.url}/secret"}
    assert client_of(policy=None).call("POST", listener.url).status == 302
    assert [request["path"] for request in listener.requests] == ["/"]


def test_a_proxy_of_the_environment_is_not_used(listener, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, listener.url)
    with pytest.raises(AddressRefused):
        client_of().call("POST", "http://10.0.0.1/")
    assert listener.connections == 0


@pytest.fixture
def raw():
    """A server that writes what a test says, piece by piece, until the client goes."""
    server = socket.create_server(("127.0.0.1", 0))
    pieces = []

    def serve():
        try:
            while True:
                peer, _ = server.accept()
                with peer:
                    peer.recv(65536)
                    for piece in pieces:
                        peer.sendall(piece)
                        time.sleep(0.05)
        except OSError:
            pass

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.getsockname()[1]}/", pieces
    server.close()


def test_a_huge_answer_is_not_read(raw):
    address, pieces = raw
    pieces.extend([b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 900, b"x" * 900, b"x" * 900])
    with pytest.raises(AnswerTooLarge):
        client_of(policy=None).call("GET", address)


def test_an_answer_that_drips_is_cut_off_at_the_deadline(raw):
    address, pieces = raw
    pieces.extend([b"HTTP/1.1 200 OK\r\n\r\n", *[b"x"] * 600])
    with pytest.raises(DeadlineExceeded, match=r"No answer within 0\.5 s\."):
        client_of(policy=None, timeout_s=0.5).call("GET", address)


def test_what_is_no_http_and_what_is_closed_is_named_without_addresses(raw):
    address, pieces = raw
    pieces.append(b"220 mail.example.org ESMTP\r\n")
    with pytest.raises(CallFailed, match=r"^The answer is not HTTP\.$"):
        client_of(policy=None).call("GET", address)
    with pytest.raises(CallFailed, match=r"^The connection cannot be made\.$"):
        client_of(policy=None).call("GET", f"http://127.0.0.1:{free_port()}/")


def test_the_next_address_of_a_name_is_tried(listener, names):
    with socket.create_server(("127.0.0.1", 0)):
        names.answers["two.example.org"] = [["127.0.0.77", "127.0.0.1"]]
        client = client_of(policy=TargetPolicy(["127.0.0.0/8"]))
        assert client.call("POST", f"http://two.example.org:{listener.port}/").status == 200


def test_a_loop_makes_calls_at_the_same_time(listener):
    client = client_of(policy=None)

    async def both():
        return await asyncio.gather(*(client.send("POST", listener.url) for _ in range(3)))

    assert [answer.status for answer in asyncio.run(both())] == [200] * 3
