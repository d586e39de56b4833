"""Calls to a provider: their deadline where no provider can help to test it, and their slots."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from skywatch.core.problems import Problem
from skywatch.sso.provider import fetch
from skywatch.sso.provider.fetch import Fetcher
from tests.providers import fake_provider


@pytest.fixture
def hanging_lookup(monkeypatch):
    """A name server that does not answer until the test is over."""
    over, asked = threading.Event(), threading.Event()

    def look_up(*args, **kw):
        asked.set()
        over.wait(20)
        raise socket.gaierror("no such name")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield asked
    over.set()


def test_a_lookup_that_does_not_end_delays_nobody(make_settings, hanging_lookup):
    fetcher = Fetcher(make_settings(oidc_timeout_s="0.5"), slots=1)
    # The one place is free again after the first call.
    for _ in range(2):
        with pytest.raises(Problem) as caught:
            fetcher.get("https://id.example.org/.well-known/openid-configuration")
        assert caught.value.kind.code == "sso_provider_slow"
    assert hanging_lookup.is_set()


def test_a_rush_on_a_provider_that_is_well_waits_for_its_turn(make_settings, monkeypatch):
    monkeypatch.setattr(fetch, "PATIENCE_S", 20)
    with fake_provider() as provider, ThreadPoolExecutor(4) as people:
        fetcher = Fetcher(make_settings(oidc_timeout_s="20"), slots=1)
        answers = people.map(fetcher.get, [f"{provider.url}/keys"] * 8)
        assert all("keys" in answer for answer in answers)
