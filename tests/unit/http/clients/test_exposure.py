"""Whether mode ``public`` opens an address to more than this machine."""

import pytest

from skywatch.http.clients.exposure import exposure, listen_addresses

ROLES = ("api", "realtime")


@pytest.fixture
def exposed(make_settings):
    def ask(mode="public", roles=ROLES, **addresses):
        settings = make_settings(auth_mode=mode, **addresses)
        return exposure(settings, listen_addresses(settings, roles))

    return ask


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.10", "[::1]", "localhost", "radar.localhost"])
def test_loopback_opens_nothing(host, exposed):
    assert exposed(listen=f"{host}:6543", realtime_listen=f"{host}:6544") is None


@pytest.mark.parametrize("host", ["0.0.0.0", "[::]", "192.168.1.20", "[2001:db8::1]", "radar.example.org"])
def test_any_other_address_is_named_in_one_line(host, exposed):
    text = exposed(listen=f"{host}:6543")
    assert f"listen = {host}:6543" in text
    assert "realtime_listen" not in text
    assert "\n" not in text
    both = exposed(listen=f"{host}:6543", realtime_listen=f"{host}:6544")
    assert f"listen = {host}:6543 and realtime_listen = {host}:6544" in both
    for mode in ("hybrid", "private"):
        assert exposed(mode, listen=f"{host}:6543") is None
    assert exposed(roles=("tracker",), listen=f"{host}:6543") is None
