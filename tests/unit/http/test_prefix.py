"""Which texts are a path prefix, and where it comes from."""

from __future__ import annotations

import pytest

from skywatch.features import load
from skywatch.http.prefix import configured_prefix, forwarded_prefix, is_prefix
from skywatch.settings import SettingsError


@pytest.mark.parametrize("text", ["/sky", "/a/b/c", "/api/hassio_ingress/aB3-_x", "/~ada", "/..a", "/" + "x" * 199])
def test_a_prefix(text):
    assert is_prefix(text)
    assert forwarded_prefix({"HTTP_X_FORWARDED_PREFIX": text}) == text
    assert forwarded_prefix({"HTTP_X_INGRESS_PATH": f" {text}/ "}) == text


@pytest.mark.parametrize(
    "text",
    ["", "/", "sky", "//evil.example", "/a//b", "/a/../b", "/.", "/..", "/a/.", "/a b", "/a%2fb", "/a,/b", '/"><b',
     "/a;b", "/a?b", "/a#b", "/a\\b", "/a\n", "/" + "x" * 200, "https://a/b", "/ä", "/a\r\nSet-Cookie: b"],
)  # fmt: skip
def test_no_prefix(text):
    assert not is_prefix(text)


def test_what_is_no_prefix_is_ignored_and_ingress_comes_first():
    assert forwarded_prefix({}) == ""
    assert forwarded_prefix({"HTTP_X_FORWARDED_PREFIX": "//evil.example"}) == ""
    both = {"HTTP_X_INGRESS_PATH": "/ingress", "HTTP_X_FORWARDED_PREFIX": "/sky"}
    assert forwarded_prefix(both) == "/ingress"
    assert forwarded_prefix({**both, "HTTP_X_INGRESS_PATH": "/a,/b"}) == ""


@pytest.mark.parametrize(
    ("base_url", "prefix"),
    [("", ""), ("https://sky.example", ""), ("https://sky.example/", ""), ("https://example.org/sky/", "/sky")],
)
def test_the_prefix_of_the_public_address(base_url, prefix):
    settings = load({"environment": "development", "base_url": base_url}, environ={})
    assert configured_prefix(settings.base_url) == prefix


@pytest.mark.parametrize("path", ["/a//b", "/a%20b", "/../a", "/a?b=c", "/#a", "/" + "x" * 200])
def test_a_public_address_without_a_clear_prefix_stops_the_start(path):
    with pytest.raises(SettingsError, match="base_url"):
        load({"environment": "development", "base_url": f"https://example.org{path}"}, environ={})
