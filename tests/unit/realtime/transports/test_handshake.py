"""The credentials of a handshake."""

from types import SimpleNamespace

import pytest

from skywatch.accounts.identity.credentials import ACCESS_COOKIE
from skywatch.core.network.addresses import TrustedProxies
from skywatch.core.problems import Problem
from skywatch.http.clients.locality import Locality
from skywatch.http.clients.origins import AllowedOrigins
from skywatch.http.settings import HttpSettings
from skywatch.realtime.transports.handshake import Rules, offer_of

RULES = Rules("/ws", AllowedOrigins(), TrustedProxies(()), Locality(HttpSettings(), "127.0.0.1:0"), cookies=True)
HOST = {"host": "sky.example"}


def request(headers=None, **params):
    return SimpleNamespace(params=params, headers={**HOST, **(headers or {})}, origin="http://sky.example")


def test_an_anonymous_connection_has_no_rights_of_the_cookie():
    cookie = {"cookie": f"{ACCESS_COOKIE}=secret"}
    assert offer_of(request(cookie), RULES).cookie == "secret"
    offer = offer_of(request(cookie, anonymous=["1"]), RULES)
    assert (offer.credential, offer.cookie) == (None, None)


@pytest.mark.parametrize(("headers", "params"), [({}, {"token": ["a"]}), ({"authorization": "Bearer abc"}, {})])
def test_anonymous_with_a_credential_is_refused(headers, params):
    offer = offer_of(request(headers, anonymous=["1"], **params), RULES)
    assert isinstance(offer, Problem)
    assert offer.errors[0]["name"] == "anonymous"
