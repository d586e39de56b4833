"""The browser's half of a hand-over: the strictest cookie that the address allows."""

import types

import pytest
from pyramid.response import Response

from skywatch.accounts.sign_in import cookies
from skywatch.accounts.sign_in.handover import LIFETIME


class Origins:
    """Every page may ask."""

    def may_write_by_cookie(self, origin, reached):
        return True


def request_of(scheme, prefix, environment="development", **cookies_sent):
    return types.SimpleNamespace(
        scheme=scheme,
        path_prefix=prefix,
        cookies=cookies_sent,
        headers={},
        host_url=f"{scheme}://localhost",
        runtime=types.SimpleNamespace(
            settings=types.SimpleNamespace(environment=environment), shared=lambda create: Origins()
        ),
    )


def header_of(request, value="half"):
    response = Response()
    cookies.remember_browser(request, response, value, LIFETIME)
    return response.headers["Set-Cookie"]


@pytest.mark.parametrize(
    ("scheme", "prefix", "environment", "name", "path", "is_secure"),
    [
        ("https", "", "production", "__Host-skywatch_handover", "/", True),
        ("https", "", "development", "__Host-skywatch_handover", "/", True),
        ("https", "/sky", "production", "__Secure-skywatch_handover", "/sky", True),
        ("http", "", "development", "skywatch_handover", "/", False),
        ("http", "/sky", "development", "skywatch_handover", "/sky", False),
        ("http", "", "production", "skywatch_handover", "/", True),
    ],
)
def test_the_cookie_has_the_strictest_name_that_is_possible(scheme, prefix, environment, name, path, is_secure):
    header = header_of(request_of(scheme, prefix, environment))
    assert header.startswith(f"{name}=half;")
    parts = {part.strip().lower() for part in header.split(";")[1:]}
    assert {"httponly", "samesite=strict", f"path={path}", "max-age=30"} <= parts
    assert ("secure" in parts) is is_secure
    assert not any(part.startswith("domain") for part in parts)


def test_a_cookie_of_a_weaker_name_counts_for_nothing_over_tls():
    assert cookies.handed_over_to(request_of("https", "", skywatch_handover="planted")) == ""
    assert cookies.handed_over_to(request_of("https", "", **{"__Host-skywatch_handover": "own"})) == "own"


def test_an_empty_value_has_the_browser_forget_it():
    assert "max-age=0" in header_of(request_of("https", ""), "").lower()
