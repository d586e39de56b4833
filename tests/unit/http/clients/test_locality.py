"""Who is on this machine, and which hosts a service of this machine alone answers to."""

import logging

import pytest

from skywatch.http.clients.locality import Locality
from skywatch.http.settings import HttpSettings

LOOPBACK_HOSTS = (
    "localhost", "LOCALHOST:6543", "localhost.:6543", "sky.localhost:6543", "127.0.0.1", "127.0.0.1:6543",
    "127.8.9.1:1", "[::1]", "[::1]:6543", " localhost:6543 ",
)  # fmt: skip
OTHER_HOSTS = (
    "evil.example", "evil.example:6543", "localhost.evil.example:6543", "localhost@evil.example",
    "127.0.0.1.evil.example", "192.168.1.7:6543", "[2001:db8::1]:6543", "0.0.0.0:6543",
    "evil.example#localhost", "localhost/evil.example",
    "[::1", "::1", "[::1%25evil.example]:80", "localhost:80:evil.example",
)  # fmt: skip


def locality(listen="127.0.0.1:6543", **settings):
    return Locality(HttpSettings(**settings), listen)


@pytest.mark.parametrize("host", LOOPBACK_HOSTS)
def test_a_loopback_host_is_answered_and_its_client_is_local(host):
    rules = locality()
    assert rules.is_local("127.0.0.1", host, forwarded=False)
    assert rules.is_local("::1", host, forwarded=False)
    assert not rules.is_misdirected("127.0.0.1", host, forwarded=False)


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_another_host_is_refused_and_its_client_is_not_local(host):
    rules = locality()
    assert not rules.is_local("127.0.0.1", host, forwarded=False)
    assert rules.is_misdirected("127.0.0.1", host, forwarded=False)


def test_a_client_is_local_only_over_loopback_and_without_a_proxy():
    rules = locality("0.0.0.0:6543")
    assert rules.is_local("127.0.0.1", "localhost", forwarded=False)
    assert not rules.is_local("192.168.1.9", "localhost", forwarded=False)
    assert not rules.is_local("127.0.0.1", "localhost", forwarded=True)
    assert not rules.is_local("127.0.0.1", None, forwarded=False)
    assert not rules.is_local("127.0.0.1", "", forwarded=False)
    behind = locality("127.0.0.1:6543", trusted_proxy=("127.0.0.1", "::1"))
    assert not behind.is_local("127.0.0.1", "localhost", forwarded=False)
    assert not behind.is_local("::ffff:127.0.0.1", "localhost", forwarded=False)


def test_what_makes_other_hosts_welcome():
    def refuses(listen="127.0.0.1:6543", peer="127.0.0.1", host="radar.lan", forwarded=False, **settings):
        return locality(listen, **settings).is_misdirected(peer, host, forwarded=forwarded)

    assert refuses()
    assert refuses("localhost:6543")
    assert refuses("[::1]:6543", "::1")
    assert not refuses("0.0.0.0:6543")
    assert not refuses("192.168.1.7:6543")
    assert not refuses(base_url="https://sky.example.org")
    assert not refuses(forwarded=True)
    # Served by another server at another address: who comes from the network is no page of this machine.
    assert not refuses(peer="192.168.1.9")
    # No host, as in HTTP/1.0 of health checks: no browser.
    assert not refuses(host=None)
    assert not refuses(host="")


def test_refusals_are_logged_once_a_minute_with_the_cure(caplog, monkeypatch):
    now = [100.0]
    monkeypatch.setattr("skywatch.http.clients.locality.time.monotonic", lambda: now[0])
    rules = locality()
    with caplog.at_level(logging.WARNING):
        for _ in range(5):
            rules.is_misdirected("127.0.0.1", "evil.example\r\n" + "x" * 500, forwarded=False)
        now[0] += 61
        rules.is_misdirected("127.0.0.1", "evil.example", forwarded=False)
    first, second = (record.getMessage() for record in caplog.records)
    assert "base_url" in first
    assert "127.0.0.1:6543" in first
    assert "\n" not in first
    assert len(first) < 500
    assert "'evil.example'" in second
