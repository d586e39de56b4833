"""What the pages show and change: the services' rules hold, and a refusal is told where the form is."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import Login, User
from skywatch.accounts.users import service as users
from skywatch.core.database.models import AuditEntry
from tests.functional.console.visitor import ORIGIN, alert, find_form, main_form, note, populate, send


def user_page(visitor, name):
    return visitor.get(f"/users/{visitor.people.numbers[name]}")


def entries(visitor, action):
    with visitor.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def roles_of(visitor, name):
    form = find_form(user_page(visitor, name), change="roles")
    return {box._value for box in form.fields["roles"] if box.checked}


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
    assert [entry.after["code"] for entry in entries(visitor, "user.changed.refused")] == ["permission_denied"]
    # Who holds more is not touched at all, and the page offers nothing.
    boss = user_page(visitor, "superadmin")
    assert [form["change"].value for form in boss.forms.values() if "change" in form.fields] == []
    assert "has rights that you lack" in boss.text
    path = f"/users/{visitor.people.numbers['superadmin']}"
    for change in ("deactivate", "end_logins", "roles"):
        sent = {"csrf_token": visitor.token, "change": change, **({"version": "x"} if change == "roles" else {})}
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
    assert roles_of(visitor, "superadmin") == {"superadmin"}
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
    version = find_form(user_page(root, "viewer"), change="roles")["version"].value
    sent = {"csrf_token": root.token, "change": "roles", "version": version, "roles": "captain"}
    refused = root.post(path, sent, status=400)
    assert refused.html.find(id="about-roles").find(class_="fault").text == "there is no role captain"
    for missing in ("/users/999999", "/users/0", "/users/x", "/users/%D9%A1"):
        assert root.get(missing, status=404).content_type == "text/html"
    root.post("/users/999999", {"csrf_token": root.token, "change": "deactivate"}, status=404)


def test_access_settings_are_changed_in_one_table_and_hold_at_once(root):
    nobody = root.client
    nobody.get("/api/v1/aircraft", headers={"Cookie": ""}, status=401)
    done = send(root.get("/access"), **{"aircraft.read_access": "public", "audio.is_enabled": False}).follow()
    assert note(done) == "In force now: aircraft, audio."
    nobody.get("/api/v1/aircraft", headers={"Cookie": ""})
    assert note(send(done).follow()) == "Nothing was changed."
    send(done, **{"aircraft.is_enabled": False})
    nobody.get("/api/v1/aircraft", headers={"Cookie": ""}, status=403)
    assert [(entry.target_name, entry.after) for entry in entries(root, "feature_access.changed")] == [
        ("aircraft", {"read_access": "public"}),
        ("audio", {"is_enabled": False}),
        ("aircraft", {"is_enabled": False}),
    ]


def effect_on(page, who):
    """What the page says that somebody may do with each feature."""
    row = next(row for row in page.html.find(class_="effect")("tr") if row.td is not None and row.td.text == who)
    return {cell["data-head"]: " ".join(cell.text.split()) for cell in row("td")[1:]}


def test_the_page_shows_what_settings_let_whom_do_before_they_are_saved(root):
    page = root.get("/access")
    nobody, viewer = "Nobody in particular (not signed in)", "Viewer"
    assert set(effect_on(page, nobody).values()) == {"nothing"}
    assert (effect_on(page, viewer)["Aircraft"], effect_on(page, viewer)["Users"]) == ("sees", "nothing")
    assert (effect_on(page, viewer)["Alerts"], effect_on(page, viewer)["ACARS"]) == ("sees", "sees")
    assert effect_on(page, "Operator")["Alerts"] == "sees and changes"
    form = main_form(page)
    form["aircraft.read_access"] = "public"
    form["alerts.write_access"] = "authenticated"
    form["safety.is_enabled"] = False
    shown = form.submit("preview", headers=ORIGIN)
    assert effect_on(shown, nobody)["Aircraft"] == "sees until now: nothing"
    assert effect_on(shown, viewer)["Alerts"] == "sees and changes until now: sees"
    assert effect_on(shown, viewer)["Safety"] == "nothing until now: sees"
    assert effect_on(shown, viewer)["Aircraft"] == "sees"
    assert entries(root, "feature_access.changed") == []
    # What was entered is still there, and is saved from here.
    assert main_form(shown)["aircraft.read_access"].value == "public"
    assert note(send(shown).follow()) == "In force now: aircraft, alerts, safety."
    assert effect_on(root.get("/access"), nobody)["Aircraft"] == "sees"
    assert root.client.get("/api/v1/aircraft", headers={"Cookie": ""}).status_int == 200


def test_the_page_warns_where_others_than_this_machine_may_read(make_visitor):
    visitor = make_visitor(auth_mode="hybrid", listen="0.0.0.0:6543")
    populate(visitor.runtime, "superadmin")
    visitor.sign_in("superadmin")
    assert "Everybody who reaches" not in visitor.get("/access")
    page = send(visitor.get("/access"), **{"aircraft.read_access": "public"}).follow()
    assert "listen = 0.0.0.0:6543" in page.html.find(class_="problem").text


def test_a_feature_that_is_switched_off_does_not_lock_the_switch_away(root):
    send(root.get("/access"), **{"system.is_enabled": False})
    page = root.get("").click("^People$", index=0).click("Who may see what")
    assert root.get("").html.find(class_="figures") is None
    send(page, **{"system.is_enabled": True})
    assert root.get("").html.find(class_="figures") is not None


def test_settings_that_make_no_sense_or_are_stale_are_told_on_the_page(root):
    stale = root.get("/access")
    sent = dict(main_form(stale).submit_fields())
    refused = root.post("/access", {**sent, "alerts.read_access": "anybody"}, status=400)
    select = refused.html.find("select", attrs={"name": "alerts.read_access"})
    fault = refused.html.find(id=select["aria-describedby"]).find(class_="fault").text
    assert (select["aria-invalid"], "is not one of" in fault) == ("true", True)
    # It is said once, at the field; above, the field is named.
    assert fault not in alert(refused)
    assert refused.html.find(role="alert").find("a", href="#field-alerts.read_access") is not None
    assert "weather" in alert(root.post("/access", {**sent, "weather.read_access": "public"}, status=400))
    del sent["aircraft.read_access"]
    assert "aircraft.read_access" in alert(root.post("/access", sent, status=400))
    send(root.get("/access"), **{"alerts.read_access": "public"})
    told = send(stale, status=409, **{"alerts.write_access": "authenticated"})
    assert "superadmin changed this since you opened it" in alert(told)
    assert told.html.find(class_="other").text == "Stored now: public"
    send(told)
    assert [entry.after for entry in entries(root, "feature_access.changed")][-1] == {
        "read_access": "authenticated",
        "write_access": "authenticated",
    }


@pytest.mark.deep("opens dozens of pages")
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


def test_the_page_says_in_a_sentence_what_a_visitor_and_a_viewer_may_do_now(root):
    said = " ".join(root.get("/access").text.split())
    assert (
        "Now a visitor who is not signed in sees <b>nothing</b> and changes <b>nothing</b>; a viewer sees <b>" in said
    )
    send(root.get("/access"), **{"aircraft.read_access": "public", "safety.write_access": "public"})
    said = " ".join(root.get("/access").text.split())
    assert "Now a visitor who is not signed in sees <b>Aircraft</b> and changes <b>Safety" in said


def test_the_form_of_a_new_user_says_what_everybody_may_change_whatever_the_role(root):
    assert "Whatever role you give" not in root.get("/users/new")
    send(root.get("/access"), **{"safety.write_access": "public"})
    page = " ".join(root.get("/users/new").text.split())
    assert "everybody may change this now, signed in or not: <b>Safety</b>." in page
