"""Limits, cross-origin requests, cookies and headers through the API."""

import pytest

from tests.accounts import PASSWORD, Population

V1 = "/api/v1"
SITE = "https://radar.example.org"


def code(response):
    return response.json["code"]


def from_address(address):
    return {"REMOTE_ADDR": address}


def log_in(api, name="ada", password=PASSWORD, **kw):
    return api.post_json(f"{V1}/auth/login", {"username": name, "password": password}, **kw)


# Limits


def test_anonymous_requests_are_counted_by_address(make_client):
    api = make_client(default_throttle_rates__anon="3/minute")
    answers = [api.get(f"{V1}/auth/config") for _ in range(3)]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0"]
    assert answers[0].headers["X-RateLimit-Limit"] == "3"
    refused = api.get(f"{V1}/auth/config", status=429)
    assert code(refused) == "rate_limited"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    api.get(f"{V1}/auth/config", extra_environ=from_address("198.51.100.7"))
    api.get(f"{V1}/nothing", status=429)


def test_one_ipv6_network_is_one_client(make_client):
    api = make_client(default_throttle_rates__anon="1/minute")
    api.get(f"{V1}/auth/config", extra_environ=from_address("2001:db8::1"))
    api.get(f"{V1}/auth/config", extra_environ=from_address("2001:db8::2"), status=429)
    api.get(f"{V1}/auth/config", extra_environ=from_address("2001:db8:0:1::1"))


def test_an_address_is_believed_from_a_trusted_proxy_only(make_client):
    def headers(address):
        return {"X-Forwarded-For": address}

    api = make_client(default_throttle_rates__anon="1/minute", trusted_proxy="10.0.0.0/8")
    proxy, stranger = from_address("10.0.0.1"), from_address("203.0.113.5")
    api.get(f"{V1}/auth/config", extra_environ=proxy, headers=headers("198.51.100.1"))
    api.get(f"{V1}/auth/config", extra_environ=proxy, headers=headers("198.51.100.2"))
    api.get(f"{V1}/auth/config", extra_environ=stranger, headers=headers("198.51.100.3"))
    api.get(f"{V1}/auth/config", extra_environ=stranger, headers=headers("198.51.100.4"), status=429)


def test_users_are_counted_by_user_wherever_they_come_from(make_client):
    api = make_client(default_throttle_rates__user="2/minute", default_throttle_rates__anon="1/minute")
    people = Population(api.runtime)
    ada = people.user("ada")
    headers = [people.bearer(ada), {"X-API-Key": people.key(ada, "aircraft")}]
    first = api.get(f"{V1}/auth/profile", headers=headers[0])
    assert first.headers["X-RateLimit-Limit"] == "2"
    api.get(f"{V1}/auth/profile", headers=headers[1], extra_environ=from_address("198.51.100.7"))
    api.get(f"{V1}/auth/profile", headers=headers[0], extra_environ=from_address("198.51.100.8"), status=429)
    api.get(f"{V1}/auth/profile", headers=people.bearer(people.user("eve")))


def test_wrong_credentials_are_counted_as_nobody(make_client):
    api = make_client(default_throttle_rates__anon="2/minute")
    for status in (401, 401, 429):
        api.get(f"{V1}/auth/profile", headers={"X-API-Key": "sk_guess"}, status=status)


def test_live_reads_have_a_limit_of_their_own_and_leave_the_rest_alone(make_client):
    api = make_client(default_throttle_rates__anon="1/minute", default_throttle_rates__live="3/minute")
    answers = [api.get(path) for path in ("/data/receiver.json", "/v2/all", "/data/aircraft.json?_=1")]
    assert [answer.headers["X-RateLimit-Remaining"] for answer in answers] == ["2", "1", "0"]
    for path in ("/data/receiver.json", "/re-api/?all"):
        assert code(api.get(path, status=429)) == "rate_limited"
    assert api.get(f"{V1}/aircraft/stats").headers["X-RateLimit-Limit"] == "1"
    api.get(f"{V1}/aircraft/stats", status=429)
    api.get("/data/aircraft.json", extra_environ=from_address("198.51.100.7"))


def test_the_list_of_aircraft_counts_like_any_other_address_of_the_api(make_client):
    api = make_client(default_throttle_rates__anon="2/minute", default_throttle_rates__user="3/minute")
    for path in (f"{V1}/aircraft", f"{V1}/aircraft/?limit=1"):
        assert api.get(path).headers["X-RateLimit-Limit"] == "2"
    assert code(api.get(f"{V1}/aircraft", status=429)) == "rate_limited"
    people = Population(api.runtime)
    bearer = people.bearer(people.user("ada", "viewer"))
    assert api.get(f"{V1}/aircraft", headers=bearer).headers["X-RateLimit-Limit"] == "3"


def test_the_live_limit_counts_users_anywhere_and_wrong_credentials_as_nobody(make_client):
    api = make_client(default_throttle_rates__live="1/minute", default_throttle_rates__anon="1/minute")
    people = Population(api.runtime)
    ada = people.bearer(people.user("ada", "viewer"))
    api.get("/data/aircraft.json", headers=ada)
    api.get("/data/aircraft.json", headers=ada, extra_environ=from_address("198.51.100.7"), status=429)
    api.get("/data/aircraft.json", headers=people.bearer(people.user("eve", "viewer")))
    api.get(f"{V1}/auth/profile", headers=ada)
    for status in (401, 429):
        api.get("/data/aircraft.json", headers={"X-API-Key": "sk_guess"}, status=status)


def test_login_and_refresh_have_five_a_minute_each_and_leave_the_rest_alone(make_client):
    api = make_client(default_throttle_rates__login="5/minute", default_throttle_rates__refresh="5/minute")
    for _ in range(5):
        log_in(api, status=401)
        api.post_json(f"{V1}/auth/refresh", {"refresh": "x"}, status=401)
    # The form with a slash is the same address.
    for path in ("login", "login/", "refresh", "refresh/"):
        assert code(api.post_json(f"{V1}/auth/{path}", {}, status=429)) == "rate_limited"
    api.get(f"{V1}/auth/config")
    log_in(api, status=401, extra_environ=from_address("198.51.100.7"))


def test_a_guesser_is_stopped_and_the_owner_still_gets_in(make_client):
    api = make_client(auth_mode="hybrid")
    Population(api.runtime).user("ada")
    home, abroad = from_address("203.0.113.9"), from_address("198.51.100.7")
    log_in(api, extra_environ=home)
    for _ in range(10):
        log_in(api, password="guess", status=401, extra_environ=abroad)
    stopped = log_in(api, password="guess", status=429, extra_environ=abroad)
    assert int(stopped.headers["Retry-After"]) > 60
    log_in(api, status=429, extra_environ=abroad)
    log_in(api, extra_environ=home)
    # From ever new places: a hundred wrong ones close the account to places its owner has never been at.
    for number in range(90):
        log_in(api, password="guess", status=401, extra_environ=from_address(f"192.0.{number}.1"))
    log_in(api, status=429, extra_environ=from_address("192.168.1.1"))
    log_in(api, extra_environ=from_address("203.0.113.200"))


def test_how_many_guesses_are_too_many_is_a_setting(make_client):
    api = make_client(password_guesses__place="2/minute", password_guesses__anywhere="4/hour")
    Population(api.runtime).user("ada")
    for place in ("198.51.100.7", "203.0.113.7"):
        for status in (401, 401, 429):
            log_in(api, password="guess", status=status, extra_environ=from_address(place))
    log_in(api, status=429, extra_environ=from_address("192.0.2.7"))


def test_names_that_nobody_has_are_counted_in_the_same_way(make_client):
    api = make_client(auth_mode="hybrid")
    for status in [401] * 10 + [429]:
        log_in(api, name="nobody", status=status)


def test_the_limit_on_guesses_does_not_tell_which_names_belong_together(make_client):
    api = make_client(auth_mode="hybrid")
    Population(api.runtime).user("ada")
    for name, same, other in (
        ("ada", "\uff41DA", "ada@example.org"),
        ("eve", "EVE", "eve@example.org"),
        ("eve@nowhere.example", " EVE@nowhere.example ", "eve@elsewhere.example"),
    ):
        for status in [401] * 10 + [429]:
            log_in(api, name=name, password="guess", status=status)
        log_in(api, name=same, password="guess", status=429)
        log_in(api, name=other, password="guess", status=401)


# Cross-origin requests


def preflight(api, origin):
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    return api.options(f"{V1}/auth/login", headers=headers, expect_errors=True)


def test_no_other_origin_may_read_by_default(make_client):
    api = make_client()
    assert "Access-Control-Allow-Origin" not in preflight(api, SITE).headers
    assert "Access-Control-Allow-Origin" not in api.get(f"{V1}/auth/config", headers={"Origin": SITE}).headers


def test_listed_origins_may_and_others_may_not(make_client):
    api = make_client(cors_allowed_origins=SITE, cors_allow_credentials="true")
    answer = preflight(api, SITE)
    assert answer.status_code == 204
    assert answer.headers["Access-Control-Allow-Origin"] == SITE
    assert answer.headers["Access-Control-Allow-Credentials"] == "true"
    assert "Authorization" in answer.headers["Access-Control-Allow-Headers"]
    assert "Origin" in answer.headers["Vary"]
    for other in ("https://evil.example", f"{SITE}.evil.example", "null", "http://radar.example.org"):
        assert "Access-Control-Allow-Origin" not in preflight(api, other).headers
    refused = api.get(f"{V1}/users", headers={"Origin": SITE}, status=401)
    assert refused.headers["Access-Control-Allow-Origin"] == SITE
    exposed = refused.headers["Access-Control-Expose-Headers"].split(", ")
    assert {"X-RateLimit-Limit", "WWW-Authenticate", "X-Picture-Age", "Location", "Allow"} <= set(exposed)


def test_all_origins_may_without_credentials(make_client):
    api = make_client(cors_allow_all_origins="true")
    headers = preflight(api, SITE).headers
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "Access-Control-Allow-Credentials" not in headers


# Cookies


@pytest.fixture
def cookies(make_client):
    api = make_client(auth_mode="hybrid", jwt_auth_cookie="true", cors_allowed_origins=SITE)
    Population(api.runtime).user("ada")
    return api


def test_tokens_travel_in_http_only_cookies(cookies):
    answer = log_in(cookies)
    assert {"access", "refresh", "user"} == set(answer.json)
    set_cookies = {line.partition("=")[0]: line for line in answer.headers.getall("Set-Cookie")}
    for line in set_cookies.values():
        assert "HttpOnly" in line
        assert "SameSite=Lax" in line
        assert "secure" in line
    assert "Path=/api/v1/auth;" in set_cookies["skywatch_refresh"] + ";"
    assert "Max-Age=3600" in set_cookies["skywatch_access"]


def proved_by_cookie(api):
    """WebTest speaks http, so that it would not send back cookies marked Secure."""
    tokens = log_in(api).json
    api.reset()
    return {"Cookie": f"skywatch_access={tokens['access']}; skywatch_refresh={tokens['refresh']}"}


def test_an_unsafe_request_by_cookie_must_come_from_an_allowed_origin(cookies):
    cookie = proved_by_cookie(cookies)
    assert cookies.get(f"{V1}/auth/profile", headers=cookie).json["username"] == "ada"
    change = {"display_name": "Ada L."}
    for origin in (
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        *({"Sec-Fetch-Site": site, "Origin": SITE} for site in ("cross-site", "same-site", "nonsense")),
    ):
        refused = cookies.patch_json(f"{V1}/auth/profile", change, headers={**cookie, **origin}, status=403)
        assert code(refused) == "csrf_failed"
        refused = cookies.post_json(f"{V1}/auth/refresh", {}, headers={**cookie, **origin}, status=403)
        assert code(refused) == "csrf_failed"
    for origin in (
        {"Origin": SITE},
        {"Origin": "http://localhost"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        # From no browser.
        {},
    ):
        cookies.patch_json(f"{V1}/auth/profile", change, headers={**cookie, **origin})


def test_refresh_and_logout_take_the_cookie_and_logout_takes_it_back(cookies):
    cookie = {**proved_by_cookie(cookies), "Origin": SITE}
    fresh = cookies.post_json(f"{V1}/auth/refresh", {}, headers=cookie).json
    cookies.reset()
    cookie["Cookie"] = f"skywatch_access={fresh['access']}; skywatch_refresh={fresh['refresh']}"
    done = cookies.post_json(f"{V1}/auth/logout", {}, headers=cookie)
    assert all("Max-Age=0" in line for line in done.headers.getall("Set-Cookie"))
    assert code(cookies.get(f"{V1}/auth/profile", headers=cookie, status=401)) == "token_revoked"


def test_another_site_cannot_log_its_visitor_in(cookies):
    assert code(log_in(cookies, headers={"Origin": "https://evil.example"}, status=403)) == "csrf_failed"


def test_without_the_setting_cookies_are_neither_set_nor_believed(make_client):
    api = make_client(auth_mode="hybrid")
    people = Population(api.runtime)
    token = people.token(people.user("ada"))
    assert "Set-Cookie" not in log_in(api).headers
    api.get(f"{V1}/auth/profile", headers={"Cookie": f"skywatch_access={token}"}, status=401)


# Headers


def test_every_response_tells_browsers_to_be_careful(make_client):
    api = make_client()
    for path, status in (("/auth/config", 200), ("/nothing", 404), ("/users", 401)):
        headers = api.get(V1 + path, status=status).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert headers["Cache-Control"] == "no-store"
    page = api.get(f"{V1}/docs").headers["Content-Security-Policy"]
    assert "default-src 'self'" in page
    assert "unsafe" not in page


def test_https_behind_a_proxy_is_kept(make_client):
    api = make_client(trusted_proxy="10.0.0.1")
    headers = {"X-Forwarded-Proto": "https"}
    assert (
        "Strict-Transport-Security"
        in api.get(f"{V1}/auth/config", headers=headers, extra_environ=from_address("10.0.0.1")).headers
    )
    assert "Strict-Transport-Security" not in api.get(f"{V1}/auth/config", headers=headers).headers


def test_logout_by_header_leaves_a_cookie_of_another_page_alone(cookies):
    mine, other = log_in(cookies).json, log_in(cookies).json
    cookies.reset()
    headers = {"Authorization": f"Bearer {mine['access']}", "Cookie": f"skywatch_refresh={other['refresh']}"}
    # Neither looked at where there is no body to say which login, nor in the way of a client with no Origin.
    cookies.post_json(f"{V1}/auth/logout", {}, headers=headers)
    cookies.reset()
    cookies.get(f"{V1}/auth/profile", headers={"Authorization": f"Bearer {other['access']}"})
