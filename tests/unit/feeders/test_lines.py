"""Which address the ready-made lines name."""

from __future__ import annotations

import pytest

from skywatch.feeders.records.lines import beast_port, endpoint_of
from skywatch.feeders.settings import parse_feeders_address

LISTENER = {"in": "listen 0.0.0.0:30005"}


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("", "sky.example.org", 30005),
        ("feed.example.org", "feed.example.org", 30005),
        ("feed.example.org:30004", "feed.example.org", 30004),
        ("[2001:db8::7]:30004", "2001:db8::7", 30004),
        ("[2001:db8::7]", "2001:db8::7", 30005),
        ("2001:db8::7", "2001:db8::7", 30005),
    ],
)
def test_the_setting_may_name_the_port_of_a_proxy(text, host, port):
    assert endpoint_of(text, "https://sky.example.org", LISTENER) == (host, port)


@pytest.mark.parametrize(
    ("text", "port"),
    [
        ("listen 0.0.0.0:30005 format=beast", 30005),
        ("listen 0.0.0.0:30005 format=sbs format=beast", 30005),
        ("listen 0.0.0.0:30005 format=beast format=sbs", None),
        ("listen", None),
    ],
)
def test_of_an_option_that_stands_twice_the_last_counts_as_where_it_is_read(text, port):
    assert beast_port({"in": text}) == port


def test_there_is_no_address_where_nothing_listens_for_beast():
    assert endpoint_of("feed.example.org:30004", "", {"roof": "beast localhost:30005"}) is None


@pytest.mark.parametrize("text", ["feed.example.org:", "feed.example.org:port", "feed.example.org:70000", ":30004"])
def test_a_port_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match=r"port|host"):
        parse_feeders_address(text)
