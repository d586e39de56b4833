"""Roles and claim mappings through the forms."""

import pytest
import sqlalchemy as sa

from skywatch.accounts.models import Role
from skywatch.core.database.models import AuditEntry
from skywatch.security.permissions import Permission, default_permissions
from skywatch.sso.models import ClaimMapping
from tests.functional.console.visitor import ORIGIN, alert, main_form, note, populate, send


def number_of(visitor, name):
    with visitor.runtime.sessions() as session:
        return session.scalar(sa.select(Role.id).where(Role.name == name))


def tick(page, *names):
    form = main_form(page)
    for box in form.fields["permissions"]:
        box.checked = box._value in names
    return form


def submit(form, status=303):
    return form.submit(headers=ORIGIN, status=status)


def audited(visitor, action):
    with visitor.runtime.sessions() as session:
        return session.scalars(sa.select(AuditEntry).where(AuditEntry.action == action)).all()


def test_a_role_is_created_copied_edited_and_deleted(root):
    form = tick(root.get("/roles").click("New role"), "aircraft.view", "alerts.view")
    form["name"], form["display_name"] = "Bad name", "Spotter"
    refused = submit(form, status=400)
    assert "lower-case letters" in refused.html.find(id="about-name").find(class_="fault").text
    ticked = [box["value"] for box in refused.html("input", attrs={"name": "permissions"}) if box.has_attr("checked")]
    assert ticked == ["aircraft.view", "alerts.view"]
    done = send(refused, name="spotter").follow()
    assert note(done) == "The role spotter is created."
    spotter = number_of(root, "spotter")
    copy = root.get(f"/roles/new?copy={spotter}")
    assert main_form(copy)["name"].value == "spotter_copy"
    send(copy, name="watcher")
    edit = root.get(f"/roles/{spotter}/edit")
    assert not edit.html.find(id="field-name").has_attr("readonly")
    stale = root.get(f"/roles/{spotter}/edit")
    form = tick(edit, "aircraft.view", "history.view")
    form["priority"] = "7"
    submit(form)
    refused = submit(tick(stale, "audio.view"), status=409)
    assert "superadmin changed this since you opened it" in alert(refused)
    assert "aircraft.view, history.view" in refused.html.find(id="about-permissions").text
    root.people.user("eve", "spotter")
    page = root.get(f"/roles/{spotter}/delete")
    assert "1 user has this role and loses its rights" in page.text
    root.people.user("ivy", "spotter")
    assert "since you opened it" in alert(send(page, status=409))
    assert note(send(root.get(f"/roles/{spotter}/delete")).follow()) == "The role spotter is deleted."
    with root.runtime.sessions() as session:
        watcher = session.scalars(sa.select(Role).where(Role.name == "watcher")).one()
        assert watcher.permissions == ["aircraft.view", "alerts.view"]
        assert session.scalar(sa.select(Role.id).where(Role.name == "spotter")) is None
    (changed,) = audited(root, "role.changed")
    assert (changed.method, changed.before["priority"], changed.after["priority"]) == ("console", 0, 7)


def test_nobody_makes_a_role_that_gives_more_than_they_hold(visitor):
    visitor.people.role("clerk", ["roles.view", "roles.create", "roles.edit", "roles.delete", "aircraft.view"])
    visitor.people.user("clerk", "clerk")
    visitor.sign_in("clerk")
    page = visitor.get("/roles/new")
    open_boxes = [b["value"] for b in page.html("input", attrs={"name": "permissions"}) if not b.has_attr("disabled")]
    assert sorted(open_boxes) == ["aircraft.view", "roles.create", "roles.delete", "roles.edit", "roles.view"]
    sent = {"csrf_token": visitor.token, "name": "sly", "permissions": "system.manage"}
    assert "The role has rights that you lack" in alert(visitor.post("/roles/new", sent, status=403))
    # A copy of what goes beyond holds what is within.
    copy = visitor.get(f"/roles/new?copy={number_of(visitor, 'admin')}")
    ticked = {box["value"] for box in copy.html("input", attrs={"name": "permissions"}) if box.has_attr("checked")}
    assert ticked == {"aircraft.view", "roles.view"}
    admin = number_of(visitor, "admin")
    assert visitor.get("/roles").html.find("a", href=f"/console/roles/{admin}/edit") is None
    for what in ("edit", "delete"):
        assert "The role has rights that you lack" in alert(visitor.get(f"/roles/{admin}/{what}", status=403))
    for what in ("edit", "delete"):
        fields = {"csrf_token": visitor.token, "version": "x"}
        assert visitor.post(f"/roles/{admin}/{what}", fields, status="*").status_int in (400, 403, 409)
    with visitor.runtime.sessions() as session:
        stored = session.scalars(sa.select(Role).where(Role.name == "admin")).one().permissions
    assert set(stored) == set(default_permissions("admin"))


def test_the_role_of_all_permissions_keeps_them_and_its_name(root):
    number = number_of(root, "superadmin")
    page = root.get(f"/roles/{number}/edit")
    assert page.html.find("input", attrs={"name": "permissions"}) is None
    assert page.html.find(id="field-name").has_attr("readonly")
    send(page, display_name="Captain")
    with root.runtime.sessions() as session:
        role = session.get(Role, number)
        assert (role.name, role.display_name) == ("superadmin", "Captain")
        assert set(role.permissions) == set(Permission)
    refused = send(root.get(f"/roles/{number}/edit"), status=409, name="captain")
    assert "A system role keeps its name" in alert(refused)
    assert root.get("/roles").html.find("a", href=f"/console/roles/{number}/delete") is None
    assert "cannot be deleted" in alert(root.get(f"/roles/{number}/delete", status=409))


@pytest.fixture
def with_provider(make_visitor):
    visitor = make_visitor(
        auth_mode="hybrid",
        oidc_enabled="true",
        oidc_provider_url="https://id.example.org",
        oidc_client_id="skywatch",
        oidc_client_secret="x" * 40,
        oidc_default_role="viewer",
    )
    visitor.people = populate(visitor.runtime, "admin", "superadmin")
    visitor.sign_in("superadmin")
    return visitor


@pytest.mark.deep("opens dozens of pages")
def test_claim_mappings_are_made_tried_and_deleted(with_provider):
    root = with_provider
    form = main_form(root.get("/mappings").click("New rule"))
    form["name"], form["claim_name"], form["claim_value"] = "staff", "groups", "st(aff"
    form["match_type"] = "regex"
    form["role"] = "analyst"
    refused = submit(form, status=400)
    assert "is not a regular expression" in refused.html.find(id="about-claim_value").find(class_="fault").text
    assert main_form(refused)["role"].value == "analyst"
    assert note(send(refused, claim_value="^staff$").follow()) == "The rule staff is created."
    page = root.get("/mappings")
    shown = send(page, status=200, claims='{"groups": ["staff", "x"]}')
    assert note(shown) == "These claims give analyst."
    assert "staff, x" in shown.text
    assert "the default role, because no rule matches" in note(send(page, status=200, claims='{"groups": "other"}'))
    for claims in ("", "[1]", "{", '{"a": 1e999}', "[" * 3000, '{"a":' * 40 + "1" + "}" * 40):
        refused = send(page, status=400, claims=claims)
        assert refused.html.find(id="about-claims").find(class_="fault").text
        assert main_form(refused)["claims"].value.strip() == claims
    edit, stale = page.click("Edit", index=0), page.click("Edit", index=0)
    form = main_form(edit)
    form["is_active"].checked = False
    submit(form)
    assert "superadmin changed this" in alert(send(stale, status=409, priority="5"))
    shown = send(root.get("/mappings"), status=200, claims='{"groups": ["staff"]}')
    assert "the default role" in note(shown)
    assert note(send(root.get("/mappings").click("Delete")).follow()) == "The rule staff is deleted."
    assert [entry.method for entry in audited(root, "claim_mapping.deleted")] == ["console"]


def test_a_new_rule_presets_no_role_and_asks_before_it_makes_administrators(with_provider):
    root = with_provider
    page = root.get("/mappings/new")
    form = main_form(page)
    assert form["role"].value == ""
    form["name"], form["claim_name"], form["claim_value"] = "bosses", "groups", "board"
    refused = submit(form, status=400)
    assert refused.html.find(id="about-role").find(class_="fault").text == "is missing"
    form = main_form(refused)
    form["role"] = "admin"
    assert "understood" not in form.fields
    asked = submit(form, status=400)
    assert "administers the installation" in asked.html.find(id="about-understood").find(class_="fault").text
    assert "There is no rule yet" in root.get("/mappings").text
    form = main_form(asked)
    assert not form["understood"].checked
    form["understood"].checked = True
    assert note(submit(form).follow()) == "The rule bosses is created."
    # It is asked again only where the role becomes another one.
    edit = root.get("/mappings").click("Edit", index=0)
    assert note(send(edit, priority="3").follow()) == "The rule bosses is saved."
    submit(main_form_with(root.get("/mappings").click("Edit", index=0), role="superadmin"), status=400)
    done = submit(main_form_with(root.get("/mappings").click("Edit", index=0), role="viewer")).follow()
    assert note(done) == "The rule bosses is saved."


def main_form_with(page, **fields):
    form = main_form(page)
    for name, value in fields.items():
        form[name] = value
    return form


def test_nobody_maps_claims_to_more_than_they_hold(with_provider):
    clerk = with_provider.another_browser()
    with_provider.people.role("clerk", ["roles.view", "roles.edit"])
    with_provider.people.user("clerk", "clerk")
    clerk.sign_in("clerk")
    page = clerk.get("/mappings/new")
    offered = [o["value"] for o in page.html.find(id="field-role")("option") if not o.has_attr("disabled")]
    assert offered == ["", "clerk"]
    fields = {"name": "sly", "claim_name": "sub", "match_type": "exact", "claim_value": "me", "role": "admin"}
    refused = clerk.post("/mappings/new", {**fields, "csrf_token": clerk.token}, status=403)
    assert "The role has rights that you lack" in alert(refused)
    with clerk.runtime.sessions.begin() as session:
        admin = session.scalar(sa.select(Role.id).where(Role.name == "admin"))
        mapping = ClaimMapping(name="m", claim_name="c", match_type="exact", claim_value="v", role_id=admin)
        session.add(mapping)
        session.flush()
        number = mapping.id
    for what in ("", "/delete"):
        assert "The role has rights that you lack" in alert(clerk.get(f"/mappings/{number}{what}", status=403))
    with clerk.runtime.sessions.begin() as session:
        session.execute(sa.delete(ClaimMapping))
    with clerk.runtime.sessions() as session:
        assert session.scalar(sa.select(sa.func.count(ClaimMapping.id))) == 0


def test_who_may_edit_roles_maps_claims_to_what_they_hold(with_provider):
    clerk = with_provider.another_browser()
    with_provider.people.role("clerk", ["roles.view", "roles.edit"])
    with_provider.people.user("clerk", "clerk")
    clerk.sign_in("clerk")
    form = main_form(clerk.get("/mappings/new"))
    form["name"], form["claim_name"], form["claim_value"], form["role"] = "desk", "groups", "desk", "clerk"
    form = main_form(submit(form, status=400))
    form["understood"].checked = True
    assert note(submit(form).follow()) == "The rule desk is created."
    assert note(send(clerk.get("/mappings").click("Edit"), priority="3").follow()) == "The rule desk is saved."
    assert note(send(clerk.get("/mappings").click("Delete")).follow()) == "The rule desk is deleted."
    for what in ("created", "changed", "deleted"):
        assert [entry.actor_name for entry in audited(clerk, f"claim_mapping.{what}")] == ["clerk"]
