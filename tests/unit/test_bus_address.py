"""Addresses of the bus: what is accepted, and what is refused with one line."""

import pytest

from skywatch.core.bus import BusError, open_bus
from skywatch.settings.bus_address import Host, parse_bus_address


def test_a_list_of_sentinels_names_the_master_and_its_database():
    address = parse_bus_address("rediss+sentinel://ada:s%40fe@h1,h2:26380,[::1]/sky/3?sentinel_password=x&prefix=north")
    assert address.hosts == (Host("h1", 26379), Host("h2", 26380), Host("::1", 26379))
    assert (address.kind, address.service, address.database, address.prefix) == ("sentinel", "sky", 3, "north")
    assert (address.username, address.password, address.is_tls) == ("ada", "s@fe", True)
    assert address.option("sentinel_password") == "x"


def test_an_ipv6_server_may_stand_anywhere_in_a_list():
    for servers in ("[::1]:26380,h1", "h1,[::1]:26380", "h1,[::1]:26380,h2"):
        assert Host("::1", 26380) in parse_bus_address(f"redis+sentinel://{servers}/sky").hosts


def test_a_list_of_nats_servers_has_their_usual_port():
    address = parse_bus_address("nats://h1,h2:4333,h3", "north")
    assert address.hosts == (Host("h1", 4222), Host("h2", 4333), Host("h3", 4222))
    assert (address.kind, address.prefix, address.is_tls) == ("nats", "north", False)


def test_the_server_of_the_same_host_may_stand_before_the_list_of_all():
    assert [host.name for host in parse_bus_address("nats://h2,h1,h2,h3").hosts] == ["h2", "h1", "h3"]


def test_a_redis_address_is_left_to_its_client_but_for_the_prefix():
    address = parse_bus_address("redis://:secret@host/2?prefix=south&socket_timeout=3")
    assert (address.kind, address.prefix) == ("redis", "south")
    assert address.url == "redis://:secret@host/2?socket_timeout=3"


def test_the_prefix_of_the_address_wins_over_the_setting():
    assert parse_bus_address("redis://host/0?prefix=south", "north").prefix == "south"
    assert parse_bus_address("redis://host/0", "north").prefix == "north"
    assert parse_bus_address("redis://host/0").prefix == "skywatch"


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("redis+sentinel://h1,h2", "Sentinel needs the master's name"),
        ("redis+sentinel://h1,h2/", "Sentinel needs the master's name"),
        ("redis+sentinel://h1/sky/x", "is a number"),
        ("redis+sentinel:///sky", "a server of the list is empty"),
        ("nats://", "a server of the list is empty"),
        ("nats://h1,,h2", "a server of the list is empty"),
        ("nats://h1:0", "0 is no port"),
        ("nats://h1/sky", "has no path"),
        ("nats://h1?tls=1", "unknown option 'tls'"),
        ("nats://h 1", "expected a list of servers"),
        ("amqp://h1", "expected memory, redis://"),
        ("nats", "expected memory, redis://"),
        ("redis://h1/0?prefix=a.b", "a prefix is letters"),
    ],
)
def test_a_malformed_address_is_one_line(address, line):
    with pytest.raises(BusError, match=r"^setting bus: ") as refusal:
        open_bus(address)
    assert line in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_no_password_is_in_a_message():
    with pytest.raises(BusError) as refusal:
        open_bus("nats://ada:hush@h1/sky")
    assert "hush" not in str(refusal.value)
    assert "hush" not in repr(parse_bus_address("nats://ada:hush@h1"))
