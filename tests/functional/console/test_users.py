"""Users through the forms: create, edit, delete, password, roles for a time, logins and API keys."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
import time_machine

from skywatch.accounts.models import ApiKey, PasswordReset, Role, User, UserRole
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from tests.accounts import PASSWORD
from tests.functional.console.visitor import ORIGIN, alert, find_form, main_form, note, populate, send

NEW = "nine quiet miles over Bern"


def entries(visitor, action):
    with visitor.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def address(visitor, name, more=""):
    return f"/users/{visitor.people.numbers[name]}{more}"


def log_in(visitor, name, password, status=200):
    body = {"username": name, "password": password}
    return visitor.client.post_json("/api/v1/auth/login", body, status=status)


def test_a_user_is_created_with_roles_and_logs_in(root):
    page = root.get("/users").click("New user")
    form = main_form(page)
    form["username"], form["email"], form["password"] = "ada", "ada@example.net", NEW
    for box in form.fields["roles"]:
        box.checked = box._value in ("operator", "viewer")
    done = form.submit(headers=ORIGIN, status=303).follow()
    assert note(done) == "ada is created."
    assert log_in(root, "ada", NEW).json["user"]["roles"] == ["operator", "viewer"]
    (entry,) = entries(root, "user.created")
    assert (entry.actor_name, entry.method, entry.target_name) == ("superadmin", "console", "ada")


def test_every_fault_stands_at_its_field_and_what_was_entered_is_still_there(root):
    refused = send(
        root.get("/users/new"), status=400, username="-", email="nowhere", display_name="Ada", password="short"
    )
    for name in ("username", "email", "password"):
        field = refused.html.find("input", attrs={"name": name})
        assert field["aria-invalid"] == "true"
        assert refused.html.find(id=field["aria-describedby"]).find(class_="fault").text
        assert refused.html.find(role="alert").find("a", href=f"#field-{name}") is not None
    form = main_form(refused)
    assert (form["username"].value, form["display_name"].value, form["password"].value) == ("-", "Ada", "")
    taken = send(refused, status=409, username="viewer", email="v@example.net", password=NEW)
    assert "a user of this name already" in alert(taken)
    assert main_form(taken)["email"].value == "v@example.net"


def test_nobody_creates_a_user_with_rights_they_lack(visitor):
    visitor.people.role("clerk", ["users.create", "users.view"])
    visitor.people.user("clerk", "clerk")
    visitor.sign_in("clerk")
    page = visitor.get("/users/new")
    open_boxes = [box["value"] for box in page.html("input", attrs={"name": "roles"}) if not box.has_attr("disabled")]
    assert open_boxes == ["clerk"]
    sent = {"csrf_token": visitor.token, "username": "eve", "email": "e@example.net", "roles": "admin"}
    assert "The role admin has rights that you lack" in alert(visitor.post("/users/new", sent, status=403))
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(User.id).where(User.username == "eve")) is None
    assert [entry.actor_name for entry in entries(visitor, "user.created.refused")] == ["clerk"]


def test_a_user_is_edited_and_of_two_who_do_the_later_is_told(root):
    first, second = (root.get(address(root, "viewer", "/edit")) for _ in range(2))
    other = root.another_browser()
    other.sign_in("admin")
    theirs = other.get(address(root, "viewer", "/edit"))
    assert note(send(theirs, display_name="Vera").follow()) == "viewer is saved."
    refused = send(first, status=409, display_name="Viola", email="viola@example.net")
    assert "admin changed this since you opened it" in alert(refused)
    assert main_form(refused)["display_name"].value == "Viola"
    assert refused.html.find(class_="other").text == "Stored now: Vera"
    # Whoever has seen it may save all the same.
    send(refused)
    shown = root.get(address(root, "viewer"))
    assert "Viola" in shown.text
    assert "viola@example.net" in shown.text
    assert "since you opened it" in alert(send(second, status=409, display_name="Vic"))
    assert [entry.before["display_name"] for entry in entries(root, "user.changed")] == ["Viewer", "Vera"]


def test_a_user_is_deleted_after_a_question_that_shows_who_it_is(root):
    page = root.get(address(root, "viewer")).click("Delete")
    assert "viewer@example.org" in page.text
    stale = root.get(address(root, "viewer", "/delete"))
    send(root.get(address(root, "viewer", "/edit")), display_name="Vera")
    assert "since you opened it" in alert(send(stale, status=409))
    done = send(root.get(address(root, "viewer", "/delete"))).follow()
    assert note(done) == "viewer is deleted."
    root.get(address(root, "viewer"), status=404)
    refused = root.get(address(root, "superadmin", "/delete"), status=409)
    assert "last active superadmin" in alert(refused)
    sent = {"csrf_token": root.token, "version": "x"}
    root.post(address(root, "superadmin", "/delete"), sent, status=409)


def test_a_password_is_set_and_ends_the_logins(root):
    token = root.people.bearer(root.people.numbers["viewer"])
    page = root.get(address(root, "viewer", "/password"))
    assert "too common" in send(page, status=400, password="password12345").html.find(class_="fault").text
    assert "too much like the name" in send(page, status=400, password="viewer-viewer-8").html.find(class_="fault").text
    assert "is signed out everywhere" in note(send(page, password=NEW).follow())
    root.client.get("/api/v1/auth/profile", headers=token, status=401)
    log_in(root, "viewer", NEW)
    for entry in entries(root, "user.changed"):
        assert NEW not in str(entry.after)


def make_link(visitor, name):
    page = send(visitor.get(address(visitor, name, "/reset-link")), status=200)
    return copied(page).removeprefix("http://localhost")


def copied(page):
    """The first text that a page offers to copy."""
    return page.html.find(class_="copy").find("code").text


def test_a_link_sets_a_password_once(root, caplog):
    link = make_link(root, "viewer")
    assert link.startswith("/console/reset?link=")
    # Only the maker's answer ever holds it.
    assert link.partition("=")[2] not in root.get(address(root, "viewer", "/reset-link")).text
    guest = root.another_browser()
    moved = guest.client.get(link, status=303)
    assert moved.location == "http://localhost/console/reset"
    page = moved.follow()
    assert "viewer" in page.text
    assert "too common" in send(page, status=400, password="password12345", again="password12345").text
    assert "is not the same" in send(page, status=400, password=NEW, again=PASSWORD).html.find(class_="fault").text
    token = root.people.bearer(root.people.numbers["viewer"])
    done = send(page, status=200, password=NEW, again=NEW)
    # On to the map, where the code becomes a login.
    code = done.html.find(id="handover")["data-code"]
    tokens = guest.client.post_json("/api/v1/auth/handover", {"code": code}, headers=ORIGIN).json
    bearer = {"Authorization": f"Bearer {tokens['access']}", "Cookie": ""}
    assert guest.client.get("/api/v1/auth/profile", headers=bearer).json["username"] == "viewer"
    root.client.get("/api/v1/auth/profile", headers=token, status=401)
    log_in(root, "viewer", NEW)
    second = root.another_browser()
    assert "This link is not valid" in second.client.get(link).follow(status=404).text
    for wrong in ("?link=x", "?link=%0d%0aX:y", "?link=%E2%82%AC", "?link=%FF", "?%FF=1"):
        answer = root.another_browser().client.get(f"/console/reset{wrong}", status="*")
        assert "This link is not valid" in (answer.follow(status=404) if answer.status_int == 303 else answer).text
    (entry,) = entries(root, "password.changed")
    assert (entry.actor_name, entry.method) == ("viewer", "reset_link")
    assert link.partition("=")[2] not in caplog.text
    assert [entry.actor_name for entry in entries(root, "password_reset.created")] == ["superadmin"]


def age(visitor):
    with writing(visitor.runtime.sessions) as session:
        session.execute(sa.update(PasswordReset).values(expires_at=datetime.now(UTC) - timedelta(seconds=1)))


def replace(visitor):
    make_link(visitor, "viewer")


def promote(visitor):
    form = find_form(visitor.get(address(visitor, "viewer")), change="roles")
    for box in form.fields["roles"]:
        box.checked = box._value == "superadmin"
    form.submit(headers=ORIGIN, status=303)


def deactivate(visitor):
    visitor.send(visitor.get(address(visitor, "viewer")), {"change": "deactivate"})


def deactivate_maker(visitor):
    visitor.send(visitor.get(address(visitor, "admin")), {"change": "deactivate"})


@pytest.mark.parametrize("event", [age, replace, promote, deactivate, deactivate_maker])
def test_a_link_is_good_no_more(root, event):
    maker = root.another_browser()
    maker.people = root.people
    maker.sign_in("admin")
    link = make_link(maker, "viewer")
    guest = root.another_browser()
    page = guest.client.get(link).follow()
    event(root)
    assert "This link is not valid" in send(page, status=404, password=NEW, again=NEW).text
    assert "This link is not valid" in root.another_browser().client.get(link).follow(status=404).text
    log_in(root, "viewer", NEW, status=401)


def test_somebody_without_an_address_is_invited_with_a_link_of_seven_days(root):
    form = main_form(root.get("/users/new"))
    form["username"] = "guest"
    page = form.submit(headers=ORIGIN, status=200)
    assert "Invitation of guest" in page.html.h1.text
    assert page.html.find("svg", class_="qr").find("path")["d"].startswith("M")
    assert "leads to this machine itself" in page
    link = copied(page).removeprefix("http://localhost")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=6, hours=23)):
        guest = root.another_browser()
        page = guest.client.get(link).follow()
        assert "Welcome, guest" in page.html.h1.text
        done = send(page, status=200, password=NEW, again=NEW)
        assert done.html.find(id="handover")["data-code"]
        log_in(root, "guest", NEW)
    # With a password there is no invitation any more, but a link of an hour.
    user = root.get("/users?search=guest").click("guest", index=0)
    assert user.html.find("a", string="Invite") is None
    assert "within one hour" in user.click("Link for a new password").text


def test_an_invitation_ends_after_seven_days(root):
    form = main_form(root.get("/users/new"))
    form["username"] = "guest"
    link = copied(form.submit(headers=ORIGIN, status=200)).removeprefix("http://localhost")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=7, minutes=1)):
        assert "This link is not valid" in root.another_browser().client.get(link).follow(status=404).text


def test_nobody_makes_a_link_for_who_holds_more_and_no_form_is_taken_from_elsewhere(visitor):
    visitor.sign_in("admin")
    assert visitor.get(address(visitor, "superadmin")).html.find("a", string="Link for a new password") is None
    refused = visitor.post(address(visitor, "superadmin", "/reset-link"), {"csrf_token": visitor.token}, status=403)
    assert "has rights that you lack" in alert(refused)
    page = visitor.another_browser().client.get(make_link(visitor, "viewer")).follow()
    form = main_form(page)
    form["password"] = form["again"] = NEW
    assert "csrf_failed" in form.submit(headers={"Origin": "https://evil.example"}, status=403).text


def test_without_local_login_there_is_no_link(make_visitor):
    visitor = make_visitor(auth_mode="hybrid")
    visitor.people = populate(visitor.runtime, "viewer", "superadmin")
    visitor.sign_in("superadmin")
    object.__setattr__(visitor.runtime.settings, "local_auth_enabled", False)
    assert visitor.get(address(visitor, "viewer")).html.find("a", string="Link for a new password") is None
    refused = visitor.post(address(visitor, "viewer", "/reset-link"), {"csrf_token": visitor.token}, status=403)
    assert "switched off" in alert(refused)


def test_without_local_login_a_link_that_was_made_before_sets_no_password(make_visitor):
    visitor = make_visitor(auth_mode="hybrid")
    visitor.people = populate(visitor.runtime, "viewer", "superadmin")
    visitor.sign_in("superadmin")
    page = visitor.another_browser().client.get(make_link(visitor, "viewer")).follow()
    object.__setattr__(visitor.runtime.settings, "local_auth_enabled", False)
    assert "switched off" in alert(send(page, status=403, password=NEW, again=NEW))
    assert entries(visitor, "password.changed") == []


def roles_form(page):
    return find_form(page, change="roles")


def box(form, role):
    return next(box for box in form.fields["roles"] if box._value == role)


def test_a_role_is_given_for_a_time_changed_and_taken_away_in_one_editor(root):
    form = roles_form(root.get(address(root, "viewer")))
    box(form, "analyst").checked = True
    form["ends.analyst"] = "2020-01-01T00:00:00"
    refused = form.submit(headers=ORIGIN, status=400)
    assert refused.html.find(id="about-ends.analyst").find(class_="fault").text == "must be in the future"
    form = roles_form(refused)
    assert box(form, "analyst").checked
    ends = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    form["ends.analyst"] = ends
    done = form.submit(headers=ORIGIN, status=303).follow()
    assert note(done) == f"viewer now has these roles: Analyst until {ends.replace('T', ' ')}:00 UTC, Viewer."
    form, stale = roles_form(done), roles_form(root.get(address(root, "viewer")))
    assert (form["ends.analyst"].value, form["ends.viewer"].value) == (f"{ends}:00", "")
    form["ends.analyst"] = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%S")
    form.submit(headers=ORIGIN, status=303)
    stale["ends.analyst"] = ""
    refused = stale.submit(headers=ORIGIN, status=409)
    assert "superadmin changed this since you opened it" in alert(refused)
    again = roles_form(refused).submit(headers=ORIGIN, status=303).follow()
    assert note(again) == "viewer now has these roles: Analyst, Viewer."
    form = roles_form(again)
    box(form, "analyst").checked = False
    assert note(form.submit(headers=ORIGIN, status=303).follow()) == "viewer now has these roles: Viewer."
    changed = [(entry.method, sorted(entry.after)) for entry in entries(root, "user.changed")]
    assert changed == [
        ("console", ["role_ends", "roles"]),
        ("console", ["role_ends"]),
        ("console", ["role_ends"]),
        ("console", ["roles"]),
    ]
    with root.runtime.sessions() as session:
        holder = root.people.numbers["viewer"]
        assert session.scalar(sa.select(sa.func.count(UserRole.id)).where(UserRole.user_id == holder)) == 1


def test_a_role_of_single_sign_on_and_one_that_ran_out_are_told_apart_in_the_editor(root):
    holder = root.people.numbers["viewer"]
    past = datetime.now(UTC) - timedelta(hours=1)
    with writing(root.runtime.sessions) as session:
        numbers = dict(session.execute(sa.select(Role.name, Role.id)).all())
        session.add(UserRole(user_id=holder, role_id=numbers["operator"], source="oidc"))
        session.add(UserRole(user_id=holder, role_id=numbers["analyst"], expires_at=past))
    page = root.get(address(root, "viewer"))
    sources = {row.b.text: row("td")[2].text for row in page.html.find(class_="settings")("tr") if row.td is not None}
    assert sources["Operator"].startswith("single sign-on")
    assert (sources["Analyst"], sources["Viewer"][:7]) == ("", "by hand")
    form = roles_form(page)
    assert [entry for entry in ("operator", "analyst") if box(form, entry).checked] == ["operator"]
    box(form, "analyst").checked = True
    form.submit(headers=ORIGIN, status=303)
    with root.runtime.sessions() as session:
        rows = session.execute(
            sa.select(Role.name, UserRole.source, UserRole.expires_at)
            .join(Role, Role.id == UserRole.role_id)
            .where(UserRole.user_id == holder)
        ).all()
    assert sorted(map(tuple, rows)) == [
        ("analyst", "manual", None),
        ("operator", "oidc", None),
        ("viewer", "manual", None),
    ]


def test_the_last_superadmin_keeps_the_role(root):
    form = roles_form(root.get(address(root, "superadmin")))
    form["ends.superadmin"] = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%dT%H:%M:%S")
    assert "last active superadmin" in alert(form.submit(headers=ORIGIN, status=409))


def test_a_new_user_is_offered_the_role_that_may_only_look(root):
    form = main_form(root.get("/users/new"))
    assert [box._value for box in form.fields["roles"] if box.checked] == ["viewer"]


def test_a_program_gets_an_account_and_a_key_in_two_forms(root):
    form = main_form(root.get("/users").click("New service account"))
    form["username"] = "grafana"
    assert [box._value for box in form.fields["roles"] if box.checked] == ["viewer"]
    page = form.submit(headers=ORIGIN, status=303).follow()
    assert note(page) == "grafana is created."
    refused = send(page, status=400, name="", expires_at="2020-01-01T00:00")
    assert refused.html.find("input", attrs={"name": "name"})["aria-invalid"] == "true"
    form = main_form(refused)
    for scope in form.fields["scopes"]:
        scope.checked = scope._value == "aircraft"
    form["name"], form["expires_at"] = "dashboard", ""
    shown = form.submit(headers=ORIGIN)
    text = copied(shown)
    assert f'curl -H "X-API-Key: {text}" http://localhost/api/v1/aircraft' in shown.html.text
    header = {"X-API-Key": text, "Cookie": ""}
    root.client.get("/api/v1/aircraft", headers=header)
    root.client.get("/api/v1/safety/events", headers=header, status=403)
    (entry,) = entries(root, "api_key.created")
    assert (entry.method, entry.after["owner"], entry.after["scopes"]) == ("console", "grafana", ["aircraft"])
    account = shown.click("Back to grafana")
    assert "dashboard" in account.text
    assert text not in account.text
    for offered in ("Set password", "Link for a new password"):
        assert account.html.find("a", string=offered) is None
    assert "service account" in root.get("/users").text
    root.send(account, {"change": "revoke_key"})
    root.client.get("/api/v1/aircraft", headers=header, status=401)
    # Its address, and those of people's pages that do not fit it.
    number = account.request.path.rpartition("/")[2]
    for what in ("/password", "/reset-link"):
        assert "no password" in alert(root.get(f"/users/{number}{what}", status=403))
    assert note(send(root.get(f"/users/{number}/edit"), display_name="Dashboard").follow()) == "grafana is saved."


def test_keys_are_made_for_programs_alone_within_the_rights_of_who_makes_them(visitor):
    great = visitor.people.user("great", "superadmin", kind="service")
    visitor.sign_in("admin")
    assert "People create their own keys" in alert(visitor.get(address(visitor, "viewer", "/keys/new"), status=403))
    assert "rights that you lack" in alert(visitor.get(f"/users/{great}/keys/new", status=403))
    sent = {"csrf_token": visitor.token, "name": "x", "scopes": "aircraft", "expires_at": ""}
    visitor.post(f"/users/{great}/keys/new", sent, status=403)
    assert visitor.get(f"/users/{great}").html.find("a", string="New key") is None
    with visitor.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count(ApiKey.id))) == 0


def test_without_api_keys_there_is_no_form_for_them(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", api_key_enabled=False)
    visitor.people = populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    done = send(visitor.get("/users/new/service"), username="grafana").follow()
    assert note(done) == "grafana is created."
    assert "switched off" in alert(visitor.get(f"{done.request.path.removeprefix('/console')}/keys/new", status=403))


def test_forms_that_could_only_be_refused_are_not_shown_at_their_address_either(visitor):
    visitor.sign_in("admin")
    people = visitor.people
    people.role("clerk", ["users.view", "users.edit", "users.create", "users.delete"])
    people.user("clerk", "clerk")
    clerk = visitor.another_browser()
    clerk.sign_in("clerk")
    for what in ("/edit", "/password", "/reset-link", "/delete", "/keys/new"):
        page = clerk.get(address(visitor, "superadmin", what), status=403)
        assert "The user has rights that you lack" in alert(page)
        assert [form.action for form in page.forms.values() if form.method == "post"] in ([], ["/console/sign-out"])


def test_a_deactivated_user_gets_no_link(root):
    root.send(root.get(address(root, "viewer")), {"change": "deactivate"})
    assert "activate the user first" in alert(root.get(address(root, "viewer", "/reset-link"), status=403))


def test_one_login_is_ended_and_the_others_go_on(root):
    viewer = root.people.numbers["viewer"]
    tokens = [root.people.bearer(viewer) for _ in range(2)]
    page = root.get(address(root, "viewer"))
    form = find_form(page, change="end_login")
    assert note(form.submit(headers=ORIGIN, status=303).follow()) == "A login of viewer ended."
    statuses = {root.client.get("/api/v1/auth/profile", headers=token, status="*").status_int for token in tokens}
    assert statuses == {200, 401}
    assert "no such login" in form.submit(headers=ORIGIN, status=404).text


def test_api_keys_of_anybody_are_seen_and_revoked_but_never_their_text(visitor):
    people = visitor.people
    text = people.key(people.numbers["viewer"], "aircraft")
    people.key(people.numbers["superadmin"], "aircraft")
    visitor.sign_in("admin")
    page = visitor.get("/keys")
    owners = [row.td.text for row in page.html("tr") if row.td is not None]
    assert sorted(owners) == ["superadmin", "viewer"]
    assert text not in page.text
    # Only what the viewer may revoke is offered.
    forms = [form for form in page.forms.values() if "key" in form.fields]
    assert len(forms) == 1
    assert "is revoked" in note(forms[0].submit(headers=ORIGIN, status=303).follow())
    visitor.client.get("/api/v1/aircraft", headers={"X-API-Key": text}, status=401)
    with visitor.runtime.sessions() as session:
        (left,) = session.scalars(sa.select(ApiKey.id))
    sent = {"csrf_token": visitor.token, "key": str(left)}
    assert "has rights that you lack" in alert(visitor.post("/keys", sent, status=403))
    assert "Nothing found" in visitor.get("/keys?owner=viewer").text
    people.key(people.numbers["viewer"], "aircraft")
    done = visitor.send(visitor.get(address(visitor, "viewer")), {"change": "revoke_key"}).follow()
    assert "is revoked" in note(done)
    (first, _) = entries(visitor, "api_key.deleted")
    assert (first.actor_name, first.method, first.before["owner"]) == ("admin", "console", "viewer")
    for number in ("", "x", "9" * 19, "٣"):
        visitor.post("/keys", {"csrf_token": visitor.token, "key": number}, status=400)


def test_who_may_only_look_is_offered_nothing(visitor):
    visitor.people.role("reader", ["users.view"])
    visitor.people.user("reader", "reader")
    visitor.sign_in("reader")
    people = visitor.people
    people.key(people.numbers["viewer"], "aircraft")
    for path in ("/users", address(visitor, "viewer"), "/keys"):
        page = visitor.get(path)
        assert {form.action for form in page.forms.values() if form.method == "post"} == {"/console/sign-out"}
        links = {a["href"] for a in page.html.main("a") if a["href"].startswith("/console/")}
        assert all(visitor.client.get(link, status="*").status_int == 200 for link in links)
