"""The console's sign-in and its pages of people: users, roles, keys, access and claim mappings."""

from __future__ import annotations

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.accounts.setup.service import issue_password
from skywatch.core.database.engine import writing
from tests.functional.auditing.api_accounts import MAPPING, mapping, role
from tests.functional.auditing.world import Write
from tests.functional.console.visitor import ORIGIN, find_form, main_form, send

NEW = "nine quiet miles over Bern"


def set_up(world):
    with writing(world.runtime.sessions) as session:
        begin_change(session)
        install(session)
        password = issue_password(session)
    page = world.visitor.get("/setup")
    world.visitor.send(page, 0, setup_password=password, username="ada", email="ada@example.org", password=NEW)


def follow_link(world):
    shown = send(world.console.get(f"/users/{user(world)}/reset-link"), status=200)
    link = shown.html.find(class_="copy").find("code").text.removeprefix("http://localhost")
    guest = world.client
    send(guest.get(link, status=303).follow(), status=200, password=NEW, again=NEW)


def user(world):
    """A user with one role; the id."""
    return world.people.user(f"ada{world.number()}", "viewer")


def user_page(world):
    return world.console.get(f"/users/{user(world)}")


def press(world, change):
    """Press a button of a user's page."""
    page = user_page(world)
    world.console.send(page, {"change": change})


def set_roles(world):
    form = find_form(user_page(world), change="roles")
    for box in form.fields["roles"]:
        box.checked = box._value == "operator"
    form.submit(headers=ORIGIN, status=303)


def end_logins(world):
    number = user(world)
    world.people.login(number)
    world.console.send(world.console.get(f"/users/{number}"), {"change": "end_logins"})


def end_login(world):
    number = user(world)
    world.people.login(number)
    world.console.send(world.console.get(f"/users/{number}"), {"change": "end_login"})


def revoke_key_of_user(world):
    number = user(world)
    world.people.key(number, "aircraft")
    world.console.send(world.console.get(f"/users/{number}"), {"change": "revoke_key"})


def revoke_key(world):
    world.people.key(user(world), "aircraft")
    send(world.console.get("/keys"))


def on_user(path, **fields):
    """Send the form of a page about a user."""
    return lambda world: send(world.console.get(f"/users/{user(world)}{path}"), **fields)


def key_of_program(world):
    number = world.people.user(f"program{world.number()}", "viewer", kind="service")
    send(world.console.get(f"/users/{number}/keys/new"), name="dashboard", status=200)


def on_role(path, **fields):
    """Send the form of a page about a role."""

    return lambda world: send(world.console.get(f"/roles/{role(world)}/{path}"), **fields)


def on_mapping(path, **fields):
    """Send the form of a page about a claim mapping."""
    return lambda world: send(world.console.get(f"/mappings/{mapping(world)}{path}"), **fields)


def new_role(world):
    form = main_form(world.console.get("/roles/new"))
    form["name"] = f"spotter{world.number()}"
    form.fields["permissions"][0].checked = True
    form.submit(headers=ORIGIN, status=303)


def new_mapping(world):
    fields = {name: MAPPING[name] for name in ("name", "claim_name", "claim_value", "match_type", "role")}
    send(world.console.get("/mappings/new"), **fields)


def ask_provider(world):
    world.console.send(world.console.get("/sign-on"), 1, status=200)


def switch_off(world):
    send(world.console.get("/access"), **{"acars.is_enabled": False})


def sign_out(world):
    page = world.console.get("")
    world.console.send(page, 0)


def enter(world):
    world.client.post("/console/enter", headers={**world.headers, **ORIGIN}, status=204)


def leave(world):
    """Press Map; the page with the code."""
    return world.console.post("/map", {"csrf_token": world.console.token})


def go_on_in_application(world):
    code = leave(world).html.find(id="handover")["data-code"]
    world.client.post_json("/api/v1/auth/handover", {"code": code}, headers=ORIGIN)


USER = "/console/users/{id}"
WRITES = (
    Write("POST /console/setup", "user.created", set_up, is_alone=True),
    Write("POST /console/sign-in", "login.succeeded", lambda world: world.console, is_alone=True),
    Write("POST /console/sign-out", "login.ended", sign_out, is_alone=True),
    Write("POST /console/enter", "console.entered", enter, is_alone=True),
    Write("POST /console/map", "handover.created", leave),
    Write("POST /api/v1/auth/handover", "handover.used", go_on_in_application, is_alone=True),
    Write("POST /console/reset", "password.changed", follow_link, is_alone=True),
    Write(
        "POST /console/users/new",
        "user.created",
        lambda world: send(world.console.get("/users/new"), username="ada", email="ada@example.org", password=NEW),
    ),
    Write(
        "POST /console/users/new/service",
        "user.created",
        lambda world: send(world.console.get("/users/new/service"), username="grafana"),
    ),
    Write(f"POST {USER}", "user.changed", lambda world: press(world, "deactivate")),
    Write(f"POST {USER}", "user.changed", set_roles),
    Write(f"POST {USER}", "user.logged_out", end_logins),
    Write(f"POST {USER}", "user.logged_out", end_login),
    Write(f"POST {USER}", "api_key.deleted", revoke_key_of_user),
    Write(f"POST {USER}/edit", "user.changed", on_user("/edit", display_name="Vera")),
    Write(f"POST {USER}/password", "user.changed", on_user("/password", password=NEW)),
    Write(f"POST {USER}/reset-link", "password_reset.created", on_user("/reset-link", status=200)),
    Write(f"POST {USER}/delete", "user.deleted", on_user("/delete")),
    Write(f"POST {USER}/keys/new", "api_key.created", key_of_program),
    Write("POST /console/keys", "api_key.deleted", revoke_key),
    Write("POST /console/roles/new", "role.created", new_role),
    Write("POST /console/roles/{id}/edit", "role.changed", on_role("edit", display_name="Spotter")),
    Write("POST /console/roles/{id}/delete", "role.deleted", on_role("delete")),
    Write("POST /console/mappings/new", "claim_mapping.created", new_mapping),
    Write("POST /console/mappings/{id}", "claim_mapping.changed", on_mapping("", priority="5")),
    Write("POST /console/mappings/{id}/delete", "claim_mapping.deleted", on_mapping("/delete")),
    Write("POST /console/sign-on", "provider.tried", ask_provider, is_alone=True, needs_provider=True),
    Write("POST /console/access", "feature_access.changed", switch_off),
)
