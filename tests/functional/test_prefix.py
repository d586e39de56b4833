"""Below a path prefix everything that the service returns to clients names it, if the prefix is one to be trusted."""

from __future__ import annotations

import re

import pytest

from tests.accounts import PASSWORD, Population

V1 = "/api/v1"
PREFIX = "/some/prefix"
FORWARDED, INGRESS = {"X-Forwarded-Prefix": PREFIX}, {"X-Ingress-Path": PREFIX}
CASES = {
    "base_url": ({"base_url": f"http://localhost{PREFIX}"}, {}),
    "forwarded": ({"trusted_proxy": "127.0.0.1"}, FORWARDED),
    "ingress": ({"trusted_proxy": "127.0.0.1"}, INGRESS),
}


@pytest.fixture(params=CASES)
def below(request, make_client):
    """A client below the prefix, with a superadmin."""
    settings, headers = CASES[request.param]
    client = make_client(environment="development", auth_mode="hybrid", jwt_auth_cookie=True, **settings)
    client.extra_environ = {"REMOTE_ADDR": "127.0.0.1"}
    client.extra_environ |= {f"HTTP_{name.upper().replace('-', '_')}": text for name, text in headers.items()}
    people = Population(client.runtime)
    client.ada = people.user("ada", "superadmin")
    client.headers = {"Authorization": f"Bearer {people.token(client.ada)}"}
    return client


def paths_of_cookies(answer):
    return {
        header.partition("=")[0]: re.search(r"[Pp]ath=([^;]*)", header)[1]
        for header in answer.headers.getall("Set-Cookie")
    }


def test_links_and_locations(below):
    roles = below.get(f"{V1}/roles?limit=1", headers=below.headers).json
    assert roles["next"] == f"http://localhost{PREFIX}{V1}/roles?limit=1&offset=1"
    made = below.post_json(f"{V1}/roles", {"name": "night", "permissions": []}, headers=below.headers, status=201)
    assert made.headers["Location"] == f"http://localhost{PREFIX}{V1}/roles/{made.json['id']}"


def test_the_channel_and_the_documents(below):
    channel = below.get(f"{V1}/auth/config").json["realtime"]
    assert (channel["url"], channel["path"]) == (f"ws://localhost{PREFIX}", "/ws")
    assert below.get(f"{V1}/openapi.json").json["servers"] == [{"url": PREFIX}]
    text = below.get(f"{V1}/docs").text
    addresses = re.findall(r'(?:href|src)="(/[^"]*)"', text)
    assert len(addresses) >= 4
    assert all(address.startswith(f"{PREFIX}/api/") for address in addresses)
    for address in addresses:
        assert below.get(address.removeprefix(PREFIX)).status_int == 200


def test_cookies_of_tokens(below):
    answer = below.post_json(f"{V1}/auth/login", {"username": "ada", "password": PASSWORD})
    assert paths_of_cookies(answer) == {"skywatch_access": PREFIX, "skywatch_refresh": f"{PREFIX}{V1}/auth"}


@pytest.mark.deep("costs over a processor second")
def test_the_console(below):
    origin = {"Origin": "http://localhost"}
    first = below.get("/console/users")
    assert first.headers["Location"] == f"http://localhost{PREFIX}/console/sign-in?next=/console/users"
    page = below.get("/console/sign-in?next=/console/users")
    assert page.forms[0].action == f"{PREFIX}/console/sign-in"
    assert set(paths_of_cookies(page).values()) == {f"{PREFIX}/console"}
    visitor = page.headers["Set-Cookie"].partition(";")[0]
    fields = {name: page.forms[0][name].value for name in ("csrf_token", "next")}
    fields |= {"username": "ada", "password": PASSWORD}
    entered = below.post("/console/sign-in", fields, headers=origin | {"Cookie": visitor})
    assert entered.headers["Location"] == f"http://localhost{PREFIX}/console/users"
    assert set(paths_of_cookies(entered).values()) == {f"{PREFIX}/console"}
    session = {"Cookie": entered.headers["Set-Cookie"].partition(";")[0]}
    seen, todo = set(), ["/console"]
    while todo:
        path = todo.pop()
        seen.add(path)
        text = below.get(path, headers=session, status=200).text
        for address in re.findall(r'(?:href|action|src)="(/[^"?#]*)', text):
            assert address.startswith(f"{PREFIX}/"), (path, address)
            onward = address.removeprefix(PREFIX)
            is_page = not re.search("sign-out|export|/(language|handover|map)$", onward)
            if is_page and onward.startswith("/console") and onward.count("/") <= 3:
                todo += [onward] if onward not in seen | set(todo) else []
    assert len(seen) > 20


def test_only_ingress_may_show_pages_in_a_frame(below):
    is_ingress = "HTTP_X_INGRESS_PATH" in below.extra_environ
    for path in ("/console/sign-in", f"{V1}/docs"):
        headers = below.get(path).headers
        assert ("frame-ancestors 'self'" in headers["Content-Security-Policy"]) is is_ingress
        assert headers["X-Frame-Options"] == ("SAMEORIGIN" if is_ingress else "DENY")


@pytest.mark.parametrize("headers", [FORWARDED, INGRESS])
def test_strangers_name_no_prefix(make_client, headers):
    client = make_client(
        environment="development", auth_mode="hybrid", console_first_run=False, trusted_proxy="10.0.0.1"
    )
    assert client.get(f"{V1}/openapi.json", headers=headers).json["servers"] == [{"url": "/"}]
    page = client.get("/console/sign-in", headers=headers)
    assert page.forms[0].action == "/console/sign-in"
    assert page.headers["X-Frame-Options"] == "DENY"
    assert client.get(f"{V1}/auth/config", headers=headers).json["realtime"]["url"].endswith(":6544")


def test_what_is_no_prefix_is_ignored(make_client):
    client = make_client(
        environment="development", auth_mode="hybrid", console_first_run=False, trusted_proxy="127.0.0.1"
    )
    client.extra_environ = {"REMOTE_ADDR": "127.0.0.1"}
    for text in ("//evil.example", "/a/../b", '/"><script>'):
        page = client.get("/console/sign-in", headers={"X-Ingress-Path": text})
        assert page.forms[0].action == "/console/sign-in"
        assert page.headers["X-Frame-Options"] == "DENY"


def test_home_assistants_user_headers_are_no_identity(make_client):
    client = make_client(
        environment="development", auth_mode="private", console_first_run=False, trusted_proxy="127.0.0.1"
    )
    client.extra_environ = {"REMOTE_ADDR": "127.0.0.1"}
    Population(client.runtime).user("ada", "superadmin")
    user = {f"X-Remote-User-{name}": "ada" for name in ("Id", "Name", "Display-Name")} | {"X-Remote-User": "ada"}
    assert (
        client.get(f"{V1}/auth/profile", headers=INGRESS | user, status=401).json["code"] == "authentication_required"
    )
    assert client.get("/console/users", headers=INGRESS | user).status_int == 303


def test_a_prefix_joins_a_public_address_without_one(make_client):
    client = make_client(
        environment="development", auth_mode="public", trusted_proxy="127.0.0.1", base_url="https://example.org"
    )
    client.extra_environ = {"REMOTE_ADDR": "127.0.0.1"}
    answer = client.get(f"{V1}/auth/config", headers=FORWARDED).json
    assert answer["realtime"]["url"] == f"wss://example.org{PREFIX}"
    assert (
        client.get("/console/users", headers=FORWARDED)
        .headers["Location"]
        .startswith(f"https://example.org{PREFIX}/console/")
    )
