"""What the pages show and change: the services' rules hold, and a refusal is told where the form is."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import Login, User
from skywatch.accounts.users import service as users
from skywatch.core.database.models import AuditEntry
from skywatch.core.storing.versions import version_of
from tests.functional.console.visitor import alert, find_form, note, populate


def user_page(visitor, name):
    return visitor.get(f"/users/{visitor.people.numbers[name]}")


def entries(visitor, action):
    with visitor.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def roles_of(visitor, name):
    page = user_page(visitor, name)
    return {row.td.text.lower() for row in page.html("tr") if row.td is not None}


def test_users_are_found_by_name_state_and_role_page_by_page(root, monkeypatch):
    for number in range(60):
        root.people.user(f"pilot{number:02}", active=number % 2 == 0)

    def names(page):
        return [row.td.text for row in page.html("tr") if row.td is not None]

    first = root.get("/users?search=pilot")
    assert names(first) == [f"pilot{number:02}" for number in range(50)]
    assert "60 found" in first.text
    second = first.click("Next")
    assert names(second) == [f"pilot{number:02}" for number in range(50, 60)]
    assert names(second.click("Previous")) == names(first)
    assert len(names(root.get("/users?search=pilot&is_active=false"))) == 30
    assert names(root.get("/users?role=admin")) == ["admin"]
    monkeypatch.setattr(users, "FEW_HOLDERS", 1)
    assert names(root.get("/users?role=admin")) == ["admin"]
    empty = root.get("/users?search=nobody+of+this+name")
    assert "Nothing found" in empty.text
    assert find_form(empty, search="nobody of this name")


def test_a_user_is_deactivated_and_activated_again(root):
    viewer = root.people.numbers["viewer"]
    token = root.people.bearer(viewer)
    root.client.get("/api/v1/auth/profile", headers=token)
    done = root.send(user_page(root, "viewer"), {"change": "deactivate"}).follow()
    assert note(done) == "viewer is deactivated and signed out everywhere."
    # Said once.
    assert root.get(f"/users/{viewer}").html.find(role="status") is None
    root.client.get("/api/v1/auth/profile", headers=token, status=401)
    assert note(root.send(done, {"change": "activate"}).follow()) == "viewer is active."
    changed = entries(root, "user.changed")
    assert [(entry.actor_name, entry.method, entry.after) for entry in changed] == [
        ("superadmin", "console", {"is_active": False}),
        ("superadmin", "console", {"is_active": True}),
    ]


def test_all_logins_of_a_user_are_ended(root):
    viewer = root.people.numbers["viewer"]
    tokens = [root.people.bearer(viewer) for _ in range(3)]
    done = root.send(user_page(root, "viewer"), {"change": "end_logins"}).follow()
    assert note(done) == "3 logins of viewer ended."
    for token in tokens:
        root.client.get("/api/v1/auth/profile", headers=token, status=401)
    (entry,) = entries(root, "user.logged_out")
    assert (entry.target_name, entry.after) == ("viewer", {"logins": 3})
    with root.runtime.sessions() as session:
        assert session.get(User, viewer).is_active
        reasons = session.scalars(sa.select(Login.ended_reason).where(Login.user_id == viewer)).all()
    assert set(reasons) == {"ended by an administrator"}


def choose(page, *names):
    form = find_form(page, change="roles")
    for box in form.fields["roles"]:
        box.checked = box._value in names
    return form


def submit(form, status=303):
    return form.submit(headers={"Origin": "http://localhost"}, status=status)


def test_roles_are_set(root):
    done = submit(choose(user_page(root, "viewer"), "operator", "analyst")).follow()
    assert note(done) == "viewer now has these roles: Analyst, Operator."
    assert roles_of(root, "viewer") == {"analyst", "operator"}
    assert note(submit(choose(user_page(root, "viewer"))).follow()) == "viewer has no role now."


def test_nobody_hands_out_or_touches_what_they_lack(visitor):
    visitor.sign_in("admin")
    page = user_page(visitor, "viewer")
    beyond = [box for box in page.html("input", attrs={"name": "roles"}) if box.has_attr("disabled")]
    assert [box["value"] for box in beyond] == ["superadmin"]
    form = choose(page, "operator")
    fields = [("csrf_token", visitor.token), ("change", "roles"), ("version", form["version"].value)]
    refused = visitor.post(
        form.action.removeprefix("/console") or page.request.path.removeprefix("/console"),
        [*fields, ("roles", "operator"), ("roles", "superadmin")],
        status=403,
    )
    assert "The role superadmin has rights that you lack" in alert(refused)
    # What was chosen is still chosen, and nothing has happened.
    marked = [box["value"] for box in refused.html("input", attrs={"name": "roles"}) if box.has_attr("checked")]
    assert set(marked) == {"operator", "superadmin"}
    assert roles_of(visitor, "viewer") == {"viewer"}
    assert [entry.after["code"] for entry in entries(visitor, "user.changed.refused")] == ["permission_denied"]
    # Who holds more is not touched at all, and the page offers nothing.
    boss = user_page(visitor, "superadmin")
    assert [form["change"].value for form in boss.forms.values() if "change" in form.fields] == []
    assert "has rights that you lack" in boss.text
    path = f"/users/{visitor.people.numbers['superadmin']}"
    for change in ("deactivate", "end_logins", "roles"):
        sent = {"csrf_token": visitor.token, "change": change, "version": version_of(["superadmin"])}
        assert "lack" in alert(visitor.post(path, sent, status=403))


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_the_last_superadmin_stays(make_visitor, request, database):
    visitor = make_visitor(auth_mode="hybrid", database_url=request.getfixturevalue(f"{database}_url"))
    visitor.people = populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    page = user_page(visitor, "superadmin")
    # What could only be refused is not offered, and refused all the same.
    assert page.html.find("button", string="Deactivate") is None
    assert page.html.find("a", string="Delete") is None
    sent = {"csrf_token": visitor.token, "change": "deactivate"}
    refused = visitor.post(page.request.path.removeprefix("/console"), sent, status=409)
    assert "last active superadmin" in alert(refused)
    # The page shows what is, not what was tried.
    assert refused.html.find(class_="state").text == "active"
    refused = submit(choose(refused, "viewer"), status=409)
    assert "last active superadmin" in alert(refused)
    assert "Super administrator" in [row.td.text for row in refused.html("tr") if row.td is not None]
    visitor.get("")


def test_of_two_tabs_the_later_does_not_undo_the_earlier_unseen(root):
    first, second = user_page(root, "viewer"), user_page(root, "viewer")
    submit(choose(first, "operator"))
    refused = submit(choose(second, "viewer", "analyst"), status=409)
    assert "since you opened it" in alert(refused)
    assert roles_of(root, "viewer") == {"operator"}
    # Sent again from the page that now shows it, it holds.
    submit(choose(refused, "viewer", "analyst"))
    assert roles_of(root, "viewer") == {"viewer", "analyst"}


def test_unknown_roles_and_users_are_told(root):
    path = f"/users/{root.people.numbers['viewer']}"
    sent = {"csrf_token": root.token, "change": "roles", "version": version_of(["viewer"]), "roles": "captain"}
    assert "there is no role captain" in alert(root.post(path, sent, status=400))
    for missing in ("/users/999999", "/users/0", "/users/x", "/users/%D9%A1"):
        assert root.get(missing, status=404).content_type == "text/html"
    root.post("/users/999999", {"csrf_token": root.token, "change": "deactivate"}, status=404)


def access_form(page, feature):
    return find_form(page, feature=feature)


def test_access_settings_are_changed_and_hold_at_once(root):
    nobody = root.client
    nobody.get("/api/v1/aircraft", headers={"Cookie": ""}, status=401)
    form = access_form(root.get("/access"), "aircraft")
    form["read_access"] = "public"
    done = submit(form).follow()
    assert note(done) == "The settings of aircraft are in force."
    nobody.get("/api/v1/aircraft", headers={"Cookie": ""})
    form = access_form(done, "aircraft")
    form["is_enabled"].checked = False
    submit(form)
    nobody.get("/api/v1/aircraft", headers={"Cookie": ""}, status=403)
    assert [entry.after for entry in entries(root, "feature_access.changed")] == [
        {"read_access": "public"},
        {"is_enabled": False},
    ]


def test_a_feature_that_is_switched_off_does_not_lock_the_switch_away(root):
    form = access_form(root.get("/access"), "system")
    form["is_enabled"].checked = False
    submit(form)
    form = access_form(root.get("").click("^People$", index=0).click("Who may see what"), "system")
    assert root.get("").html.find(class_="figures") is None
    form["is_enabled"].checked = True
    submit(form)
    assert root.get("").html.find(class_="figures") is not None


def test_settings_that_make_no_sense_or_are_stale_are_told_on_the_page(root):
    stale = access_form(root.get("/access"), "alerts")
    token = root.token
    sent = {"csrf_token": token, "feature": "alerts", "read_access": "anybody", "write_access": "public"}
    refused = root.post("/access", sent, status=400)
    assert "read_access" in alert(refused)
    assert access_form(refused, "alerts")["write_access"].value == "public"
    assert root.post("/access", {**sent, "read_access": "public", "feature": "weather"}, status=404)
    form = access_form(root.get("/access"), "alerts")
    form["read_access"] = "public"
    submit(form)
    stale["write_access"] = "authenticated"
    assert "since you opened it" in alert(submit(stale, status=409))


def test_the_audit_log_is_filtered_and_read_on(root):
    def rows(page):
        return len(page.html("td", attrs={"data-head": "When"}))

    for number in range(55):
        root.client.post_json("/api/v1/auth/login", {"username": f"x{number}", "password": "x"}, status=401)
    first = root.get("/audit?action=login.failed")
    assert rows(first) == 50
    assert "55 entries" in first.text
    second = first.click("Older")
    assert rows(second) == 5
    assert rows(second.click("Newest")) == 50
    mine = root.get(f"/audit?actor={root.people.numbers['superadmin']}")
    assert {cell.code.text for cell in mine.html("td", attrs={"data-head": "Action"})} == {"login.succeeded"}
    assert "0 entries" in root.get("/audit?from=2030-01-01T00:00:00").text
    assert rows(root.get("/audit?from=2020-01-01T00:00&address=127.0.0.1")) == 50
    for refused in ("from=yesterday", "cursor=-1", f"actor={'9' * 400}"):
        root.get(f"/audit?{refused}", status=400)


def test_a_secret_is_on_no_page(root):
    root.send(user_page(root, "viewer"), {"change": "deactivate"})
    pages = [
        root.get(path).text for path in ("", "/users", "/users/1", "/users/5", "/keys", "/roles", "/access", "/audit")
    ]
    with root.runtime.sessions() as session:
        hashes = session.scalars(sa.select(User.password_hash)).all()
        logins = session.scalars(sa.select(Login.id)).all()
    for page in pages:
        assert not [text for text in (*hashes, *logins, root.runtime.settings.secret) if text in page]
