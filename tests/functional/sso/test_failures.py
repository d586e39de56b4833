"""A provider that fails, is slow or says strange things of itself."""

import threading
import time

import pytest

from skywatch.core.runtime import runtime_of
from skywatch.sso.provider import discovery
from skywatch.sso.sign_on.flow import SignOn
from tests.accounts import PASSWORD, Population
from tests.functional.sso.signing_on import AUTHORIZE, begin, finish, sign_on, unknown_key
from tests.providers import fake_provider
from tests.waiting import PATIENCE_S


def page(handler):
    handler.say(200, b"<html>Sign in to the Wi-Fi</html>", "text/html")


def redirect(handler):
    handler.say(302, b"", Location="http://127.0.0.1:1/steal")


def deep(handler):
    handler.say(200, b"[" * 200_000)


def huge(handler):
    handler.send_response(200)
    handler.end_headers()
    try:
        for _ in range(1000):
            handler.wfile.write(b" " * 100_000)
    except OSError:
        pass


def drip(handler, data):
    """Byte by byte, each long before a read would time out; to the end only for whoever waits so long."""
    try:
        for value in data:
            handler.wfile.write(bytes([value]))
            handler.wfile.flush()
            time.sleep(0.3)
    except OSError:
        pass


def dripping_body(handler):
    handler.send_response(200)
    handler.end_headers()
    drip(handler, b" " * 40)


def dripping_headers(handler):
    drip(handler, b"HTTP/1.0 500 Internal Server Error\r\n\r\n")


def never_coming_to_the_point(handler):
    drip(handler, b"HTTP/1.1 103 Early Hints\r\n\r\n" * 4)


FAILURES = {
    "garbage": (lambda h: h.say(200, b"\xff\x00\x13{{{"), "sso_provider_answer"),
    "a page": (page, "sso_provider_answer"),
    "a 500": (lambda h: h.say(500, b'{"error": "server_error"}'), "sso_provider_answer"),
    "a redirect": (redirect, "sso_provider_answer"),
    "a list": (lambda h: h.say(200, b"[]"), "sso_provider_answer"),
    "nothing": (lambda h: h.say(200, b""), "sso_provider_answer"),
    "a huge body": (huge, "sso_provider_answer"),
    "a deep body": (deep, "sso_provider_answer"),
    "drop by drop": (dripping_body, "sso_provider_slow"),
    "headers drop by drop": (dripping_headers, "sso_provider_slow"),
    "promises": (never_coming_to_the_point, "sso_provider_slow"),
    "after ten seconds": (lambda h: time.sleep(10), "sso_provider_slow"),
}


WHERE = ["/.well-known/openid-configuration", "/keys", "/userinfo"]


@pytest.mark.parametrize(
    ("name", "path"),
    [
        *((name, "/token") for name in FAILURES),
        *((name, path) for path in WHERE for name in ("a page", "headers drop by drop")),
    ],
)
def test_a_failing_provider_is_a_bad_gateway_and_local_login_goes_on(make_api, name, path):
    answer, code = FAILURES[name]
    # Good answers have the time that a slow machine takes, those that are late none to spare.
    api = make_api(oidc_timeout_s="20")
    client = runtime_of(api.app.registry).shared(SignOn).parties["default"].discovery._fetcher._client
    begun = None if path.startswith("/.") else api.provider.log_in(begin(api)["authorization_url"])
    api.provider.instead[path] = answer
    if code == "sso_provider_slow":
        client.timeout_s = 1.0
    refused = (api.get(AUTHORIZE, status=502) if begun is None else finish(api, begun, 502)).json
    assert refused["code"] == code
    # It recovers without a restart.
    client.timeout_s = 20.0
    api.provider.instead.clear()
    sign_on(api)


def test_local_login_works_while_the_provider_is_down(make_client, caplog):
    with fake_provider() as gone:
        url = gone.url
    settings = {"oidc_enabled": "true", "oidc_provider_url": url, "oidc_client_id": "x"}
    api = make_client(auth_mode="hybrid", environment="development", **settings)
    people = Population(api.runtime)
    people.user("ada", "viewer")
    assert api.get(AUTHORIZE, status=502).json["code"] == "sso_provider_unreachable"
    # Why not is for whoever runs the service.
    assert f"GET {url}/.well-known/openid-configuration: " in caplog.text
    assert api.get("/api/v1/auth/config").json["oidc_enabled"] is True
    api.post_json("/api/v1/auth/login", {"username": "ada", "password": PASSWORD})


def test_a_provider_that_hangs_holds_neither_all_threads_nor_the_other_providers_up(make_api):
    asked, over = threading.Event(), threading.Event()

    def hang(handler):
        asked.set()
        over.wait(PATIENCE_S)

    with fake_provider() as other:
        more = {"oidc__work__provider_url": other.url, "oidc__work__client_id": "x"}
        # Half of the threads for providers is one for each of the two.
        api = make_api(api_threads="4", oidc_timeout_s=str(PATIENCE_S), **more)
        api.provider.instead["/.well-known/openid-configuration"] = hang
        parties = runtime_of(api.app.registry).shared(SignOn).parties
        waiting = threading.Thread(target=parties["default"].discovery.metadata_if_any)
        waiting.start()
        assert asked.wait(PATIENCE_S)
        refused = api.get(AUTHORIZE, status=503)
        assert (refused.json["code"], refused.headers["Retry-After"]) == ("unavailable", "5")
        begin(api, provider="work")
        over.set()
        waiting.join()
    api.provider.instead.clear()
    sign_on(api)


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"token_endpoint": "file:///etc/passwd"},
        {"jwks_uri": 7},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": "http://[::1"},
        {"jwks_uri": "http://127.0.0.1:99999/"},
        {"userinfo_endpoint": "http:///x"},
    ],
)
def test_what_a_provider_says_of_itself_is_checked(api, changes):
    api.provider.discovery = changes
    code = "sso_issuer_wrong" if "issuer" in changes else "sso_provider_answer"
    assert api.get(AUTHORIZE, status=401 if "issuer" in changes else 502).json["code"] == code


def test_a_provider_of_many_tenants_is_refused_and_the_log_says_what_to_mend(api, caplog):
    template = "https://login.example.org/{tenantid}/v2.0"
    api.provider.discovery = {"issuer": template}
    refused = api.get(AUTHORIZE, status=401).json
    assert (refused["code"], "many tenants" in refused["detail"]) == ("sso_issuer_wrong", True)
    assert f"provider default is configured as {api.provider.url}" in caplog.text
    assert template in caplog.text


def test_keys_that_rotate_are_fetched_again_but_not_for_every_invented_name(api):
    sign_on(api)
    api.provider.rotate()
    sign_on(api)
    before = api.provider.asked.count("/keys")
    api.provider.sign = unknown_key(api.provider)
    for _ in range(3):
        assert sign_on(api, 401)["code"] == "sso_key_unknown"
    assert api.provider.asked.count("/keys") == before
    assert discovery.REFETCH_S > 10
