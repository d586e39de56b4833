"""Where a request comes from: only trusted proxies are believed."""

import pytest

from skywatch.core.network.addresses import (
    TrustedProxies,
    client_network,
    ipv6_site,
    network_of,
    parse_address,
    site_of,
)


@pytest.mark.parametrize(
    ("remote", "forwarded", "found"),
    [
        ("203.0.113.9", "198.51.100.7", "203.0.113.9"),  # Nobody's proxy.
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "1.2.3.4, 198.51.100.7", "198.51.100.7"),  # What the client wrote itself stands before.
        ("10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"),  # Two proxies of ours.
        ("10.0.0.1", "198.51.100.7, nonsense", "10.0.0.1"),
        ("10.0.0.1", "nonsense, 198.51.100.7", "198.51.100.7"),
        ("::1", "[2001:db8::7]:4711", "2001:db8::7"),
        ("::ffff:10.0.0.1", "198.51.100.7:80", "198.51.100.7"),
        ("10.0.0.1", "10.0.0.3", "10.0.0.3"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("10.0.0.1", "198.51.100.7, ", "198.51.100.7"),
        ("", "1.2.3.4", ""),
    ],
)
def test_the_address_is_the_last_that_no_trusted_proxy_has(remote, forwarded, found):
    for written in ("10.0.0.0/8", "::ffff:10.0.0.0/104"):
        assert TrustedProxies([written, "::1/128"]).client_address(remote, forwarded) == found


def test_nobody_is_a_proxy_unless_the_settings_say_so():
    assert TrustedProxies([]).client_address("::ffff:10.0.0.1", "198.51.100.7") == "10.0.0.1"
    assert "10.0.0.1" not in TrustedProxies([])
    assert "::ffff:10.0.0.1" in TrustedProxies(["10.0.0.0/8"])
    assert "nonsense" not in TrustedProxies(["0.0.0.0/0", "::/0"])


def test_an_ipv6_client_is_a_whole_64_and_an_ipv4_client_one_address():
    assert client_network("2001:db8:1:2:3:4:5:6") == client_network("2001:db8:1:2::1") == "2001:db8:1:2::/64"
    assert client_network("198.51.100.7") == client_network("::ffff:198.51.100.7") == "198.51.100.7/32"
    assert network_of("198.51.100.7") == network_of("198.51.100.200") == "198.51.100.0/24"
    assert client_network("nonsense") == "unknown"


def test_a_site_is_an_ipv4_24_or_an_ipv6_48():
    assert site_of(client_network("198.51.100.7")) == "198.51.100.0/24"
    assert site_of(client_network("2001:db8:1:2:3:4:5:6")) == "2001:db8:1::/48"
    assert site_of("10.0.0.0/8") == "10.0.0.0/8"
    assert site_of(client_network("nonsense")) == "unknown"


@pytest.mark.parametrize("text", ["", "x", "1.2.3", "1.2.3.4.5", "[::1", ":::", "1.2.3.4:x:y"])
def test_odd_addresses_do_not_break_it(text):
    assert parse_address(text) is None or str(parse_address(text)) in ("::1",)


def test_an_ipv6_site_is_what_limits_count_beside_its_networks():
    assert ipv6_site(client_network("2001:db8:1:2:3:4:5:6")) == "2001:db8:1::/48"
    others = "198.51.100.7/32", "unknown", "7", "user 7", "a@2001:db8:1:2::/64"
    assert {ipv6_site(text) for text in others} == {""}
