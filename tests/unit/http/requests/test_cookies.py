"""Cookies are read as RFC 6265 has it, and nothing in them takes long."""

import pytest

from skywatch.http.requests.cookies import parse_cookies


@pytest.mark.parametrize(
    ("header", "cookies"),
    [
        (None, {}),
        ("", {}),
        ("a=1", {"a": "1"}),
        ("a=1; b=2;c = 3 ;", {"a": "1", "b": "2", "c": "3"}),
        ("a=x=y==", {"a": "x=y=="}),
        ('a="quoted"; b="', {"a": "quoted", "b": '"'}),
        ("a=1; a=2", {"a": "2"}),
        ("=1; nothing; a=", {"a": ""}),
        ("a=\xe4", {"a": "\xe4"}),
    ],
)
def test_cookies_by_name(header, cookies):
    assert parse_cookies(header) == cookies


@pytest.mark.parametrize("part", ["a", "1", "-", "%41", "a/b", "a.", '"', "\\", "; ", "= ", "a=b; "])
def test_long_cookies_are_read_at_once_on_a_page_and_in_the_api(make_client, part):
    """WebOb took 40 s for each of these, and a test that takes so long fails by its own limit."""
    client = make_client(jwt_auth_cookie="true")
    for path in ("/api/v1/auth/config", "/console"):
        for _ in range(3):
            answer = client.get(path, headers={"Cookie": part * (31_000 // len(part))}, expect_errors=True)
            assert answer.status_int < 500
