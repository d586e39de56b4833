"""What a browser shows at the end of a sign-on, and what it tells the page that waits."""

import json
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.functional.sso.signing_on import AUTHORIZE, CALLBACK, begin, finish

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
EVIL = "</script></code><script>alert(1)</script><img src=x onerror=alert(1)>\"'{answer}"


def check_page(page):
    """It is a page that nobody keeps, frames or adds a script to; gives what it tells its opener, and whom it tells."""
    assert page.content_type == "text/html"
    assert page.text.count("<script") == page.text.count("</script") == 1
    assert "<img" not in page.text
    nonce = page.text.partition('<script nonce="')[2].partition('"')[0]
    assert f"script-src 'nonce-{nonce}'" in page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Cross-Origin-Opener-Policy"] == "unsafe-none"
    assert page.headers["X-Frame-Options"] == "DENY"
    answer = re.search("^const answer = (.*);$", page.text, re.MULTILINE)[1]
    origin = re.search(r"postMessage\(answer, (.*)\);", page.text)[1]
    return json.loads(answer), json.loads(origin)


def failed(api, answer, status):
    """What the page of a sign-on that fails tells its opener; it shows people the same."""
    page = finish(api, answer, status, headers={**BROWSER, "X-Request-ID": "request-of-mine"})
    told, origin = check_page(page)
    assert set(told) == {"type", "status", "code", "detail", "detail_code", "detail_params", "request_id"}
    assert (told["type"], told["status"], told["request_id"]) == ("skywatch.login_failed", status, "request-of-mine")
    assert f"<code>{told['code']}</code>" in page.text
    assert "<code>request-of-mine</code>" in page.text
    assert "window.close" not in page.text
    return told, origin


@pytest.mark.parametrize(
    ("origin", "told"),
    [
        (None, "https://radar.example.org"),
        ("https://map.example.org", "https://map.example.org"),
        ("https://evil.example", "https://radar.example.org"),
    ],
)
def test_a_browser_gets_a_page_for_its_opener_of_the_configured_origin_alone(make_api, origin, told):
    api = make_api(base_url="https://radar.example.org", cors_allowed_origins="https://map.example.org")
    api.provider.person["name"] = EVIL
    headers = {"Origin": origin} if origin else {}

    def come_back():
        return api.provider.log_in(api.get(AUTHORIZE, headers=headers).json["authorization_url"])

    page = finish(api, come_back(), headers=BROWSER)
    answer, target = check_page(page)
    assert (answer["type"], answer["user"]["display_name"], target) == ("skywatch.login", EVIL, told)
    assert "evil" not in page.text
    # Whoever waits hears of a failure as well.
    assert failed(api, {**come_back(), "error": "access_denied"}, 401)[1] == told


def test_where_nobody_waits_the_page_says_whether_the_browser_is_signed_in(make_api):
    for cookies, text in (("true", "You may close this window"), ("false", "begin again")):
        api = make_api(jwt_auth_cookie=cookies)
        page = finish(api, api.provider.log_in(begin(api)["authorization_url"]), headers=BROWSER)
        assert text in page.text.partition("<script")[0]


@pytest.mark.parametrize(
    ("said", "status", "code"),
    [
        ({"error": "access_denied", "error_description": EVIL}, 401, "sso_denied"),
        ({"error": EVIL, "error_description": EVIL, "error_uri": "javascript:alert(1)"}, 502, "sso_provider_answer"),
        ({"code": EVIL}, 401, "sso_code_refused"),
        ({"code": "x", "state": EVIL}, 401, "sso_state_unknown"),
        ({"code": "x", "iss": EVIL}, 401, "sso_issuer_wrong"),
        ({"code": "x", EVIL: EVIL}, 401, "sso_code_refused"),
        ({"code": "x" * 5000}, 400, "validation_failed"),
    ],
)
def test_a_sign_on_that_fails_shows_a_page_and_programs_get_the_same_as_a_problem(api, said, status, code):
    told, origin = failed(api, {"state": begin(api)["state"], **said}, status)
    assert (told["code"], origin) == (code, "http://localhost")
    assert "alert" not in str(told)
    problem = finish(api, {"state": begin(api)["state"], **said}, status, headers={"X-Request-ID": "request-of-mine"})
    assert problem.content_type == "application/problem+json"
    shared = ("status", "code", "detail", "request_id")
    assert {name: problem.json[name] for name in shared} == {name: told[name] for name in shared}


def test_what_the_provider_writes_into_its_refusal_of_the_code_is_no_markup(api):
    answer = api.provider.log_in(begin(api)["authorization_url"])
    api.provider.instead["/token"] = lambda handler: handler.say(400, json.dumps({"error": EVIL}).encode())
    told, _ = failed(api, answer, 502)
    assert told["code"] == "sso_provider_answer"


def test_failures_that_no_view_has_seen_are_pages_too(make_client, make_api):
    off = make_client()
    assert off.get(CALLBACK, headers=BROWSER, status=403).content_type == "text/html"
    api = make_api(**{"default_throttle_rates.anon": "1/minute"})
    failed(api, {"state": "x", "code": "y"}, 401)
    assert failed(api, {"state": "x", "code": "y"}, 429)[0]["code"] == "rate_limited"
    assert api.get(CALLBACK + "/?state=x", headers=BROWSER, status=429).content_type == "text/html"


def test_only_the_callback_is_for_people(api):
    for path in (AUTHORIZE + "?provider=nobody", "/api/v1/auth/profile"):
        assert api.get(path, headers=BROWSER, status=(404, 401)[path.endswith("profile")]).json["code"]


@pytest.mark.parametrize("base_url", ["https://radar.example.org", None])
def test_a_forged_host_gets_neither_the_sign_on_nor_its_tokens(make_api, base_url):
    api = make_api(**({"base_url": base_url} if base_url else {}))
    own = base_url or "http://127.0.0.1:6543"
    forged = {"X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example", "Origin": "https://evil.example"}
    for host in ("evil.example", "localhost.evil.example:6543", "localhost@evil.example", "127.0.0.1.evil.example"):
        headers = {**BROWSER, **forged, "Host": host}
        begun = api.get(AUTHORIZE, headers=headers)
        assert parse_qs(urlsplit(begun.json["authorization_url"]).query)["redirect_uri"] == [own + CALLBACK]
        cookie = begun.headers["Set-Cookie"].partition(";")[0]
        answer = api.provider.log_in(begun.json["authorization_url"])
        # In a browser without the cookie, and in the one that began.
        for more, status in (({}, 401), ({"Cookie": cookie}, 200)):
            api.reset()
            page = finish(api, answer, status, headers={**headers, **more})
            assert check_page(page)[1] == own
            assert "evil" not in page.text


def test_a_page_that_the_settings_register_as_target_is_the_one_that_waits(make_api):
    target = "https://map.example.org/signed-in"
    api = make_api(base_url="https://radar.example.org", oidc_redirect_uris=target)
    begun = begin(api, redirect_uri=target)
    page = finish(api, api.provider.log_in(begun["authorization_url"]), headers=BROWSER)
    assert check_page(page)[1] == "https://map.example.org"


def test_a_page_goes_only_to_the_browser_that_began(api):
    """An attacker's own answer, opened by somebody else, would sign that person on as the attacker."""
    answer = api.provider.log_in(begin(api)["authorization_url"])
    mine = dict(api.cookies)
    api.reset()
    for cookie in (None, "x" * 43, "rubbish"):
        if cookie is not None:
            api.set_cookie("skywatch_sso", cookie)
        told, _ = failed(api, answer, 401)
        assert told["code"] == "sso_other_browser"
    api.reset()
    api.set_cookie("skywatch_sso", mine["skywatch_sso"])
    assert check_page(finish(api, answer, headers=BROWSER))[0]["type"] == "skywatch.login"
