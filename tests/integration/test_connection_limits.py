"""How many connections one client address may have to the REST API."""

import socket
from contextlib import ExitStack

import pytest

from skywatch.http.settings import HttpSettings
from skywatch.serving.web_server.connections import Connections
from tests.integration.conftest import connect
from tests.integration.test_api_protocol import CONFIG, read_answer
from tests.waiting import PATIENCE_S, until


def is_served(server, source="127.0.0.1"):
    """Whether a new connection from an address is answered; one that is refused is closed without a word."""
    address = ("127.0.0.1", server.port)
    with socket.create_connection(address, timeout=PATIENCE_S, source_address=(source, 0)) as connection:
        try:
            connection.sendall(CONFIG + b"\r\n")
            return read_answer(connection.makefile("rb"))[0] == 200
        except (ConnectionError, IndexError):
            return False


def hold(stack, server, count):
    """Connections that are open and accepted."""
    before = len(server.connections.all())
    held = [stack.enter_context(connect(server)) for _ in range(count)]
    until(lambda: len(server.connections.all()) >= before + count)
    return held


def test_one_address_takes_no_more_than_its_connections_and_others_are_served(serve, caplog):
    server = serve(api_connections_per_address=5)
    with ExitStack() as stack:
        hold(stack, server, 5)
        for _ in range(3):
            assert not is_served(server)
        assert is_served(server, source="127.0.0.2")
    warnings = [record for record in caplog.records if "api_connections_per_address" in record.message]
    assert len(warnings) == 1
    assert "127.0.0.1 has 5 connections" in warnings[0].message


def test_a_connection_that_ends_makes_room_for_another(serve):
    server = serve(api_connections_per_address=2)
    for _ in range(10):
        with ExitStack() as stack:
            held = hold(stack, server, 2)
            assert not is_served(server)
            held[0].sendall(b"no http at all\r\n\r\n")
        until(lambda: not server.connections.all())
    assert is_served(server)


def test_a_trusted_proxy_brings_as_many_as_it_likes(serve):
    server = serve(api_connections_per_address=2, trusted_proxy="127.0.0.1")
    with ExitStack() as stack:
        hold(stack, server, 10)
        assert is_served(server)


@pytest.mark.parametrize(
    ("addresses", "accepted"),
    [
        (("2001:db8::1", "2001:db8::2", "2001:db8::ffff"), 2),
        (("2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:3::1"), 3),
        (tuple(f"2001:db8:1:{number}::1" for number in range(12)), 8),
        (("::ffff:192.0.2.1", "192.0.2.1", "192.0.2.1"), 2),
        (("2001:db8:ffff::1",) * 5, 5),
    ],
)
def test_a_network_of_ipv6_counts_as_one_address(make_settings, addresses, accepted):
    settings = make_settings(api_connections_per_address=2, trusted_proxy="2001:db8:ffff::/48")
    door = Connections(settings.of(HttpSettings), 60, 10)
    pairs = [socket.socketpair() for _ in addresses]
    clients = [door.admit(ours, address) for (ours, _), address in zip(pairs, addresses, strict=True)]
    assert sum(client is not None for client in clients) == accepted
    assert len(door.all()) == accepted
    door.close()
    for _, theirs in pairs:
        theirs.close()
