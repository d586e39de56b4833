"""Where clients are told to find the real-time channel."""

from __future__ import annotations

import pytest

from skywatch.features import load
from skywatch.http.clients.channel import channel_address


@pytest.mark.parametrize(
    ("settings", "reached", "address"),
    [
        pytest.param({}, "http://sky:6543", "ws://sky:6544", id="its own port in addition to the port of listen"),
        pytest.param({}, "http://[2001:db8::1]:6543", "ws://[2001:db8::1]:6544", id="the same with IPv6"),
        pytest.param({}, "http://sky.example:8080", "ws://sky.example:6544", id="a port that a container maps"),
        pytest.param({"base_url": "http://sky.example"}, "http://10.0.0.3", "ws://sky.example", id="behind a proxy"),
        pytest.param({}, "https://sky.example", "wss://sky.example", id="behind TLS"),
        pytest.param({}, "https://sky.example:6543", "wss://sky.example:6543", id="TLS on the same number"),
        pytest.param({"listen": "0.0.0.0:80"}, "http://sky", "ws://sky:6544", id="the default port"),
        pytest.param(
            {"realtime_listen": "[::]:7000"}, "http://sky:6543", "ws://sky:7000", id="another port of its own"
        ),
        pytest.param({"realtime_listen": "127.0.0.1:0"}, "http://sky:6543", "", id="a port that nobody knows"),
        pytest.param({"base_url": "https://sky.example/"}, "http://10.0.0.3:6543", "wss://sky.example", id="base_url"),
        pytest.param({"base_url": "http://sky:6543"}, "http://10.0.0.3", "ws://sky:6544", id="base_url without proxy"),
        pytest.param({"realtime_url": "wss://rt.example/"}, "http://sky:6543", "wss://rt.example", id="realtime_url"),
        pytest.param({}, "http://sky:port", "", id="a port that is none"),
        pytest.param({}, "http://", "", id="no host"),
    ],
)
def test_the_address_follows_from_how_the_service_is_reached(settings, reached, address):
    assert channel_address(load({"environment": "development", **settings}, environ={}), reached) == address


@pytest.mark.parametrize(
    ("settings", "reached", "address"),
    [
        ({}, "http://home:8123", "ws://home:8123/sky"),
        ({}, "https://home", "wss://home/sky"),
        ({"base_url": "https://example.org/sky"}, "http://10.0.0.3:6543", "wss://example.org/sky"),
        ({"realtime_url": "wss://rt.example"}, "http://home:8123", "wss://rt.example"),
    ],
)
def test_below_a_prefix_the_proxy_serves_the_channel_too(settings, reached, address):
    loaded = load({"environment": "development", **settings}, environ={})
    assert channel_address(loaded, reached, "/sky") == address
