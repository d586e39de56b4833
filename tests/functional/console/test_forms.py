"""Forms: whose they are, where they come from, what they may hold, and where they lead."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import User
from tests.accounts import PASSWORD
from tests.functional.console.visitor import ORIGIN, find_form

ELSEWHERE = (
    "https://evil.example",
    "//evil.example",
    "/\\evil.example",
    "/console//evil.example",
    "/console/../api/v1/users",
    "/console/users\r\nSet-Cookie: a=b",
    "/console@evil.example",
    "/consoles",
    "/api/v1/docs",
    "javascript:alert(1)",
    "/console/users?" + "a" * 2000,
    "/console/sign-out",
    "",
)


def activity(visitor, name):
    with visitor.runtime.sessions() as session:
        return session.scalar(sa.select(User.is_active).where(User.username == name))


def test_a_form_without_its_token_or_with_a_wrong_one_changes_nothing(root):
    path = f"/users/{root.people.numbers['viewer']}"
    token = root.token
    for fields in (
        {},
        {"csrf_token": ""},
        {"csrf_token": "0" * 64},
        {"csrf_token": token[:-1]},
        {"csrf_token": "ü" * 64},
        [("csrf_token", token), ("csrf_token", token)],
        [("csrf_token", "x"), ("csrf_token", token)],
    ):
        sent = [("change", "deactivate"), *(fields.items() if isinstance(fields, dict) else fields)]
        refused = root.post(path, sent, status=403)
        assert refused.content_type == "text/html"
        assert "csrf_failed" in refused.text
        # The page tells the way back to the form.
        assert f"/console{path}" in [a["href"] for a in refused.html("a")]
    root.post(f"{path}?csrf_token={token}", {"change": "deactivate"}, status=403)
    root.post(path, {"change": "deactivate"}, headers={**ORIGIN, "X-CSRF-Token": token}, status=403)
    assert activity(root, "viewer") is True
    root.post(path, {"change": "deactivate", "csrf_token": token}, status=303)
    assert activity(root, "viewer") is False


def test_the_token_of_another_session_is_none(root):
    other = root.another_browser()
    other.sign_in("admin")
    assert other.token != root.token
    path = f"/users/{root.people.numbers['viewer']}"
    root.post(path, {"change": "deactivate", "csrf_token": other.token}, status=403)


@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://localhost:1", "https://localhost", "http://localhost.evil"]
)
def test_a_form_of_another_origin_is_refused(root, origin):
    headers = {} if origin is None else {"Origin": origin}
    path = f"/users/{root.people.numbers['viewer']}"
    for where, fields in (
        (path, {"change": "deactivate", "csrf_token": root.token}),
        ("/access", {"feature": "aircraft", "csrf_token": root.token}),
        ("/sign-out", {"csrf_token": root.token}),
        ("/sign-in", {"username": "admin", "password": PASSWORD, "csrf_token": root.token}),
    ):
        refused = root.post(where, fields, headers=headers, status=403)
        assert "not sent from a page of this console" in refused.text
    root.get("/users")


def test_an_origin_that_may_call_the_api_may_not_use_the_console(make_visitor):
    origin = "http://app.localhost"
    visitor = make_visitor(
        auth_mode="hybrid", cors_allowed_origins=origin, cors_allow_credentials="true", jwt_auth_cookie="true"
    )
    read = visitor.get("/sign-in", headers={"Origin": origin})
    assert not [name for name in read.headers if name.startswith("Access-Control")]
    preflight = visitor.client.options(
        "/console/sign-in", headers={"Origin": origin, "Access-Control-Request-Method": "POST"}, status="*"
    )
    assert "Access-Control-Allow-Origin" not in preflight.headers
    visitor.sign_in("admin", headers={"Origin": origin}, status=403)


def test_behind_a_proxy_the_origin_is_that_of_base_url(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", base_url="https://radar.example")
    visitor.sign_in("nobody", status=403)
    visitor.sign_in("nobody", headers={"Origin": "https://radar.example"}, status=401)
    asked = visitor.get("/users", status=303)
    assert asked.location == "https://radar.example/console/sign-in?next=/console/users"


def test_nobody_is_signed_in_unasked(visitor):
    """A sign-in form needs the number that the page gave this very browser."""
    page = visitor.get("/sign-in")
    fields = {"username": "admin", "password": PASSWORD, "csrf_token": page.forms[0]["csrf_token"].value}
    visitor.client.reset()
    assert "did not send the cookie" in visitor.post("/sign-in", fields, status=403).text
    visitor.get("/sign-in")
    visitor.post("/sign-in", fields, status=403)
    assert visitor.cookie is None


def test_two_tabs_with_the_sign_in_page_both_work(visitor):
    first, second = visitor.get("/sign-in"), visitor.get("/sign-in?next=/console/audit")
    assert visitor.send(first, 0, username="admin", password=PASSWORD).location.endswith("/console")
    assert visitor.send(second, 0, username="admin", password=PASSWORD).location.endswith("/console/audit")


def test_a_form_of_the_session_before_says_what_to_do(root):
    page = root.get(f"/users/{root.people.numbers['viewer']}")
    root.send(root.get(""), 0)
    root.sign_in("superadmin")
    refused = root.send(page, {"change": "deactivate"}, status=403)
    assert "earlier session" in refused.text


def test_a_form_sent_after_the_session_leads_to_sign_in_and_back_to_its_page(root):
    number = root.people.numbers["viewer"]
    page = root.get(f"/users/{number}")
    root.client.reset()
    asked = root.send(page, {"change": "deactivate"})
    assert asked.location == f"http://localhost/console/sign-in?next=/console/users/{number}"
    assert activity(root, "viewer") is True
    # The way out, when one is out already.
    assert root.post("/sign-out", {"csrf_token": "x"}, status=303).location == "http://localhost/console/sign-in"


@pytest.mark.parametrize("onward", ELSEWHERE, ids=range(len(ELSEWHERE)))
def test_next_leads_nowhere_but_to_pages_of_the_console(visitor, onward):
    page = visitor.client.get("/console/sign-in", {"next": onward})
    assert page.forms[0]["next"].value == "/console"
    done = visitor.send(page, 0, username="admin", password=PASSWORD, next=onward)
    assert done.location == "http://localhost/console"


@pytest.mark.parametrize(
    "onward", ["/console", "/console/users/7", "/console/audit?action=login&to=2026-01-01T00%3A00"]
)
def test_next_leads_to_any_page_of_the_console(visitor, onward):
    page = visitor.client.get("/console/sign-in", {"next": onward})
    done = visitor.send(page, 0, username="admin", password=PASSWORD)
    assert done.location == f"http://localhost{onward}"


def test_a_body_that_no_form_has_is_refused_before_it_is_read(root):
    refused = root.client.post(
        "/console/access", b"csrf_token=" + b"x" * 70_000, headers=ORIGIN, status=413, content_type="text/plain"
    )
    assert refused.content_type == "text/html"
    assert "65536 bytes" in refused.text
    many = "&".join(f"roles={number}" for number in range(600))
    root.client.post("/console/access", f"{many}&csrf_token={root.token}", headers=ORIGIN, status=400)


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b"{}", "application/json", 415),
        (b"a", "multipart/form-data; boundary=x", 415),
        (b"csrf_token=%FF%FE", "application/x-www-form-urlencoded", 400),
        (b"csrf_token=\xff", "application/x-www-form-urlencoded", 400),
        (b"", "application/x-www-form-urlencoded", 403),
    ],
)
def test_what_is_no_form_is_refused(root, body, content_type, status):
    for path in ("/access", "/users/1", "/sign-in", "/sign-out"):
        root.client.post(f"/console{path}", body, headers=ORIGIN, content_type=content_type, status=status)


def test_unknown_fields_and_fields_that_come_twice_are_refused_by_name(root):
    token, path = root.token, f"/users/{root.people.numbers['viewer']}"
    for sent, fault in (
        ([("change", "deactivate"), ("password", "x")], "password"),
        ([("change", "deactivate"), ("change", "activate")], "change"),
        ([("change", "delete")], "change"),
        ([], "change"),
    ):
        refused = root.post(path, [*sent, ("csrf_token", token)], status=400)
        assert refused.html.find(role="alert").b.text == fault
    assert activity(root, "viewer") is True


@pytest.mark.parametrize(
    "query", ["offset=x", "nothing=1", "limit=0", "is_active=perhaps", "search=%FF", "offset=1&offset=-1"]
)
def test_a_query_that_makes_no_sense_is_a_page_and_no_fault_of_ours(root, query):
    refused = root.get(f"/users?{query}", status=400)
    assert refused.content_type == "text/html"
    root.get("/sign-in?next=%FF")


def test_a_find_form_with_empty_fields_asks_for_everything(root):
    assert "superadmin" in root.get("/users?search=&is_active=&role=").text
    assert root.get("/audit?action=&actor=&address=&target_type=&target_id=&from=&to=").status_int == 200


def test_what_people_wrote_is_shown_as_text(root):
    with root.runtime.sessions() as session:
        user = session.get(User, root.people.numbers["viewer"])
        user.display_name = "<script>alert('x')</script>"
        session.commit()
    for page in (root.get("/users"), root.get(f"/users/{root.people.numbers['viewer']}")):
        assert "&lt;script&gt;" in page.text
        assert "<script>" not in page.text
    said = root.get("/users?search=%22%3E%3Cscript%3E")
    assert find_form(said, search='"><script>')
    assert "<script>" not in said.text


def test_every_answer_has_the_headers_that_keep_pages_to_themselves(root):
    number = root.people.numbers["viewer"]
    answers = [root.get(path) for path in ("", "/users", f"/users/{number}", "/roles", "/access", "/audit", "/sign-in")]
    answers += [root.get("/nothing", status=404), root.post("/access", {"csrf_token": ""}, status=403)]
    for answer in answers:
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Frame-Options"] == "DENY"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Referrer-Policy"] == "same-origin"
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self';")
        assert "unsafe" not in policy
        assert all(script["src"] and not script.text for script in answer.html.find_all("script"))
        assert " style=" not in answer.text
        assert " on" not in [name[:3] for tag in answer.html(True) for name in tag.attrs]


def test_switched_off_it_is_not_there(make_client):
    client = make_client(console_enabled="false", auth_mode="hybrid")
    for path in ("/console", "/console/sign-in", "/console/style.css"):
        assert client.get(path, status=404).json["code"] == "not_found"
