"""Requests find their route as with Pyramid's own mapper, but without trying all of them."""

import pytest
from pyramid.exceptions import URLDecodeError
from pyramid.interfaces import IRoutesMapper
from pyramid.request import Request
from pyramid.urldispatch import RoutesMapper

from skywatch.http.requests.routes import IndexedRoutesMapper

PATTERNS = (
    "/", "/api/v1/flights", "/api/v1/flights/{flight_id:[0-9]{1,18}}", "/api/v1/flights/stats",
    "/api/v1/flights/{flight_id}/track", "/api/v1/flights/*rest", "/api/v1/users/{user}", "/{folder}/last",
    "/data/a.json", "relative/{name}", "/old/:name", "/m\u00e4rz/{day}", "/files*path",
)  # fmt: skip
PATHS = (
    "/", "", "/api", "/api/", "/api/v1/flights", "/api/v1/flights\n", "/api/v1/flights/", "/api/v1/flights/7",
    "/api/v1/flights/stats", "/api/v1/flights/x/track", "/api/v1/flights/a/b/c", "/api/v1/users/2", "/api/v1/users/",
    "/api/last", "/data/a.json", "/data/b.json", "/data/last", "/relative/x", "/old/x", "/m\u00e4rz/3", "/files/a/b",
    "/filesystem", "//", "//api/v1/flights", "/nowhere/at/all", "no/slash", "/" * 5000,
)  # fmt: skip


def mapper_of(kind, patterns=PATTERNS):
    mapper = kind()
    for number, pattern in enumerate(patterns):
        mapper.connect(str(number), pattern)
    return mapper


def find(mapper, path):
    request = Request({"PATH_INFO": path.encode().decode("latin-1"), "REQUEST_METHOD": "GET"})
    info = mapper(request)
    return info["route"] and info["route"].name, info["match"]


@pytest.mark.parametrize("path", PATHS)
def test_a_path_has_the_same_route_as_with_the_mapper_of_pyramid(path):
    assert find(mapper_of(IndexedRoutesMapper), path) == find(mapper_of(RoutesMapper), path)


def test_the_first_route_wins_and_one_that_is_declared_again_replaces_the_other():
    mapper = mapper_of(IndexedRoutesMapper, ("/a/{b}", "/a/c"))
    assert find(mapper, "/a/c") == ("0", {"b": "c"})
    mapper.connect("0", "/other")
    assert find(mapper, "/a/c") == ("1", {})
    assert find(mapper, "/other") == ("0", {})


def test_a_pattern_is_compiled_at_its_first_use():
    mapper = mapper_of(IndexedRoutesMapper, ("/a/{b}", "/c/{d}"))
    assert [set(vars(route)) & {"match", "generate"} for route in mapper.get_routes()] == [set(), set()]
    assert find(mapper, "/a/1") == ("0", {"b": "1"})
    assert [set(vars(route)) & {"match", "generate"} for route in mapper.get_routes()] == [{"match", "generate"}, set()]
    assert mapper.generate("1", {"d": "2"}) == "/c/2"
    with pytest.raises(AttributeError):
        _ = mapper.get_route("1").colour


def test_a_route_that_asks_for_more_than_its_path_is_asked_each_time():
    mapper = IndexedRoutesMapper()
    mapper.connect("post", "/a", predicates=(lambda info, request: request.method == "POST",))
    mapper.connect("any", "/a")
    methods = ("POST", "GET", "POST")
    found = [mapper(Request({"PATH_INFO": "/a", "REQUEST_METHOD": method}))["route"].name for method in methods]
    assert found == ["post", "any", "post"]


def test_a_path_that_is_not_utf8_is_reported_as_such():
    with pytest.raises(URLDecodeError):
        mapper_of(IndexedRoutesMapper)(Request({"PATH_INFO": "/api/\xff", "REQUEST_METHOD": "GET"}))


def test_a_request_tries_the_routes_of_its_own_folders_alone(client, monkeypatch):
    mapper = client.app.registry.queryUtility(IRoutesMapper)
    find(mapper, "/api/v1/history/flights")
    tried = []
    for route in mapper.get_routes():
        monkeypatch.setattr(route, "match", lambda path, match=route.match: (tried.append(path), match(path))[1])
    assert find(mapper, "/api/v1/history/flights") == ("history_flights", {})
    assert not tried
    assert find(mapper, "/api/v1/history/flights/7")[1] == {"flight_id": "7"}
    assert len(tried) < len(mapper.get_routes()) / 5
