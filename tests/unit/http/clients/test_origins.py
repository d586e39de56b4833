"""Which pages may do what: by the settings, and by the host they come from."""

import pytest

from skywatch.http.clients.origins import AllowedOrigins, normalize


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        ("", "sky.example", True),
        ("https://sky.example", "sky.example", True),
        ("http://sky.example", "sky.example:80", True),
        ("http://sky.example:6543", "sky.example:6544", True),
        ("http://sky.example:6544", "sky.example:6544", True),
        ("http://sky.example:9999", "sky.example:6544", False),
        ("https://map.example", "sky.example", True),
        ("https://map.example/", "sky.example", True),
        ("https://evil.example", "sky.example", False),
        ("https://sky.example.evil", "sky.example", False),
        ("null", "sky.example", False),
        ("file://sky.example", "sky.example", False),
        ("https://sky.example:port", "sky.example", False),
    ],
)
def test_pages_of_the_service_and_of_allowed_origins_may_come(origin, host, allowed):
    listed = AllowedOrigins(frozenset({"https://map.example"}), service_ports=frozenset({6543}))
    assert listed.may_connect(origin, host) is allowed
    assert AllowedOrigins(everybody=True).may_connect(origin, host)


@pytest.mark.parametrize(
    ("origin", "is_local"),
    [
        ("http://localhost:5173", True),
        ("https://LOCALHOST", True),
        ("http://127.0.0.1:8080", True),
        ("http://[::1]:3000", True),
        ("http://localhost.evil.example", False),
        ("http://127.0.0.1.evil.example", False),
        ("http://192.168.1.7:8080", False),
        ("file://localhost", False),
        ("http://[::1", False),
        ("null", False),
    ],
)
def test_in_development_pages_of_this_machine_may_read_and_connect_without_cookies(origin, is_local):
    development, production = AllowedOrigins(loopback=True, with_cookies=True), AllowedOrigins(with_cookies=True)
    assert development.may_connect(origin, "sky.example") is is_local
    assert development.may_read(origin) is is_local
    assert not development.may_connect_by_cookie(origin, "sky.example")
    assert not production.may_connect(origin, "sky.example")
    assert not production.may_read(origin)


@pytest.mark.parametrize(
    ("origin", "normal"),
    [
        ("https://Sky.Example", "https://sky.example"),
        ("https://sky.example:443", "https://sky.example"),
        ("http://sky.example:80/", "http://sky.example"),
        ("http://sky.example:443", "http://sky.example:443"),
        ("https://[2001:db8::1]:443", "https://[2001:db8::1]"),
        ("null", "null"),
        ("", ""),
    ],
)
def test_origins_are_compared_as_browsers_write_them(origin, normal):
    assert normalize(origin) == normal


def test_what_a_cookie_proves_is_for_the_service_and_for_listed_pages():
    own, listed, foreign = "https://sky.example", "https://map.example", "https://evil.example"
    strict = AllowedOrigins(frozenset({listed}), public=own)
    open_ = AllowedOrigins(frozenset({listed}), public=own, with_cookies=True)
    for rules in (strict, open_):
        assert rules.may_write_by_cookie(own, "http://10.0.0.1:6543")
        assert rules.may_write_by_cookie(listed, "http://10.0.0.1:6543")
        assert not rules.may_write_by_cookie("http://10.0.0.1:6543", "http://10.0.0.1:6543")
        for nobody in (foreign, "null", "", None):
            assert not rules.may_write_by_cookie(nobody, "https://sky.example")
            assert not rules.may_connect_by_cookie(nobody, "sky.example")
        assert rules.may_connect_by_cookie(own, "10.0.0.1:6544")
    assert open_.may_connect_by_cookie(listed, "sky.example")
    assert not strict.may_connect_by_cookie(listed, "sky.example")
    assert not AllowedOrigins(everybody=True).may_connect_by_cookie(foreign, "sky.example")
