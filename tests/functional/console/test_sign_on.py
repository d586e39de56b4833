"""Single sign-on for the console: the rules of the API's, and a session instead of tokens."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import Login, User
from skywatch.core.database.models import AuditEntry
from tests.functional.console.visitor import Visitor, alert, main_form, note, populate
from tests.functional.sso.signing_on import add_mapping, settings_for
from tests.providers import fake_provider


@pytest.fixture
def provider():
    with fake_provider() as running:
        yield running


@pytest.fixture
def visitor(make_client, provider):
    def make(**more):
        client = make_client(**settings_for(provider, **more))
        found = Visitor(client)
        found.people = client.people = populate(client.runtime, "superadmin")
        add_mapping(client, "admin", "staff")
        return found

    return make


def begin(visitor, onward=""):
    """Where the provider is asked, after the button was pressed."""
    page = visitor.get(f"/sign-in{onward}")
    button = page.html.find("a", string="Sign in with SSO")
    return visitor.client.get(button["href"], status=303).location


def finish(visitor, provider, url, status=303, **more):
    return visitor.get("/sign-in/callback", params={**provider.log_in(url), **more}, status=status)


def audited(visitor, action):
    with visitor.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def test_who_administers_by_a_claim_gets_in_and_out_again(visitor, provider):
    visitor = visitor(local_auth_enabled="false")
    provider.person["groups"] = ["staff"]
    url = begin(visitor, "?next=/console/users%3Fsearch%3Dada")
    assert "console%2Fsign-in%2Fcallback" in url
    done = finish(visitor, provider, url)
    assert done.location == "http://localhost/console/users?search=ada"
    page = done.follow()
    assert "ada" in page.html.find("header").text
    (entry,) = [entry for entry in audited(visitor, "login.succeeded") if entry.actor_name == "ada"]
    assert entry.method == "console"
    # No token of the API has come of it.
    visitor.client.get("/api/v1/auth/profile", status=401)
    out = main_form_of_sign_out(page)
    assert note(out) == "You are signed out."
    visitor.get("/users", status=303)
    # The answer is good once.
    refused = visitor.client.get(done.request.url, status=401)
    assert "has been used" in alert(refused)


def main_form_of_sign_out(page):
    answer = page.forms[0].submit(headers={"Origin": "http://localhost"})
    return answer.follow() if answer.status_int == 303 else answer


def test_after_signing_out_the_session_at_the_provider_can_be_ended_too(visitor, provider):
    visitor = visitor()
    provider.discovery["end_session_endpoint"] = f"{provider.url}/logout"
    provider.person["groups"] = ["staff"]
    page = finish(visitor, provider, begin(visitor)).follow()
    out = main_form_of_sign_out(page)
    assert out.html.find("a", string="End it there too")["href"].startswith(f"{provider.url}/logout?")
    visitor.get("/users", status=303)


def test_who_administers_nothing_is_told_so_and_nothing_is_made(visitor, provider):
    visitor = visitor()
    refused = finish(visitor, provider, begin(visitor), status=403)
    assert "holds no administrative permission" in alert(refused)
    assert visitor.cookie is None
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(User.id).where(User.username == "ada")) is None
        assert session.scalar(sa.select(sa.func.count(Login.id)).where(Login.method == "console")) == 0
    assert [entry.after["reason"] for entry in audited(visitor, "login.failed")] == ["nothing_to_administer"]


def test_an_answer_of_another_browser_of_the_api_or_with_an_error_lets_nobody_in(visitor, provider):
    visitor = visitor()
    provider.person["groups"] = ["staff"]
    other = visitor.another_browser()
    assert "sso_other_browser" in problem_of(finish(other, provider, begin(visitor), status=401), other)
    begin(other)
    assert "sso_other_browser" in problem_of(finish(other, provider, begin(visitor), status=401), other)
    url = visitor.client.get("/api/v1/auth/oidc/authorize").json["authorization_url"]
    finish(visitor, provider, url, status=401)
    denied = visitor.get("/sign-in/callback", params={"error": "access_denied", "state": "x"}, status=401)
    assert main_form(denied)
    for query in ("", "?state=%FF", f"?state={'x' * 5000}", "?code=1"):
        assert visitor.get(f"/sign-in/callback{query}", status="*").status_int in (400, 401)
    assert visitor.get("/sign-in/sso?provider=nobody", status=404).html.find(role="alert")
    assert visitor.get("/sign-in/sso?provider=%FF", status=404).html.find(role="alert")
    assert visitor.cookie is None


def problem_of(page, visitor):
    entry = audited(visitor, "login.failed")[-1]
    assert page.html.find(role="alert")
    return entry.after["reason"]


def test_a_sign_on_leads_to_no_page_of_others(visitor, provider):
    visitor = visitor()
    provider.person["groups"] = ["staff"]
    done = finish(visitor, provider, begin(visitor, "?next=https://evil.example/console"))
    assert done.location == "http://localhost/console"


def test_without_a_provider_no_button_leads_anywhere(make_client):
    visitor = Visitor(make_client(environment="development", local_auth_enabled="false"))
    assert "Nobody can sign in here" in visitor.get("/sign-in").text
    visitor.get("/sign-in/sso", status=403)


def try_login(visitor, provider, status=303):
    link = visitor.get("/sign-on").html.find("a", string="Try a login")["href"]
    url = visitor.client.get(link, status=303).location
    return visitor.get("/sign-in/callback", params=provider.log_in(url), status=status)


def test_a_login_is_tried_without_a_session_or_a_user_coming_of_it(visitor, provider):
    visitor = visitor()
    visitor.sign_in("superadmin")
    provider.person |= {"groups": ["staff"], "email": "ada@example.net"}
    page = try_login(visitor, provider).follow()
    assert "who would get admin" in note(page)
    rows = {row.td.text: row("td")[1].text for row in page.html.find("table")("tr") if row.td is not None}
    assert rows["groups"] == '["staff"]'
    assert "ada@example.net" not in page.text
    assert "superadmin" in page.html.find("header").text
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(User.id).where(User.username == "ada")) is None
        assert set(session.scalars(sa.select(Login.method))) <= {"console", "password"}
    (entry,) = audited(visitor, "sign_on.tried")
    assert (entry.actor_name, entry.after["roles"], entry.after["subject"]) == ("superadmin", ["admin"], "1001")


def test_a_login_is_tried_only_by_who_edits_roles(visitor, provider):
    visitor = visitor()
    link = "/sign-in/sso?next=/console/sign-on%3Ftrial%3Dlogin"
    provider.person["groups"] = ["staff"]
    for who in (None, "viewer_of_users"):
        browser = visitor.another_browser()
        if who is not None:
            visitor.people.role(who, ["users.view"])
            visitor.people.user(who, who)
            browser.sign_in(who)
        url = browser.get(link, status=303).location
        refused = browser.get("/sign-in/callback", params=provider.log_in(url), status=403)
        assert "Only who edits roles" in alert(refused)
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(User.id).where(User.username == "ada")) is None
    assert audited(visitor, "sign_on.tried") == []


def test_a_provider_is_asked_whether_it_answers(visitor, provider):
    visitor = visitor()
    visitor.sign_in("superadmin")
    page = visitor.get("/mappings").click("Identity providers")
    assert "/console/sign-in/callback" in page.text
    shown = visitor.send(page, {"party": "default"} if "default" in page.text else 1, status=200)
    assert f"It answers as {provider.url}, with 1 key that can be used." in note(shown)
    provider.discovery = {"token_endpoint": "not an address"}
    refused = visitor.send(page, 1, status=200)
    assert "token_endpoint" in alert(refused)
    assert [entry.after["result"] for entry in audited(visitor, "provider.tried")] == [
        "answered",
        "sso_provider_answer",
    ]
    visitor.post("/sign-on", {"csrf_token": visitor.token, "party": "nobody"}, status=404)
