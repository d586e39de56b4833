"""The deadline of a call to a provider, where no provider can help to test it."""

import socket
import threading

import pytest

from skywatch.core.problems import Problem
from skywatch.sso.fetch import Fetcher


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


def test_a_name_that_is_looked_up_for_ever_holds_nobody_up(make_settings, hanging_lookup):
    fetcher = Fetcher(make_settings(oidc_timeout_s="0.5", api_threads="2"))
    # Half of two threads is one place, which is free again after the first call.
    for _ in range(2):
        with pytest.raises(Problem) as caught:
            fetcher.get("https://id.example.org/.well-known/openid-configuration")
        assert caught.value.kind.code == "sso_provider_slow"
    assert hanging_lookup.is_set()
