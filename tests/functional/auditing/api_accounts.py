"""Logins, accounts, roles, keys, access settings and claim mappings."""

from __future__ import annotations

from skywatch.accounts.changes import begin_change
from skywatch.accounts.defaults import install
from skywatch.accounts.setup.service import issue_password
from skywatch.core.database.engine import writing
from tests.accounts import PASSWORD
from tests.functional.auditing.world import V1, Write
from tests.functional.sso.signing_on import back_channel, sign_on

NEW_PASSWORD = "nine quiet miles over Bern"
KEY = {"name": "key", "scopes": ["aircraft"]}
ACCESS = {"read_access": "authenticated", "write_access": "permission", "is_enabled": True}
MAPPING = {
    "name": "staff",
    "claim_name": "groups",
    "match_type": "exact",
    "claim_value": "staff",
    "role": "viewer",
}


def log_in(world):
    assert world.root
    world.client.post_json(f"{V1}/auth/login", {"username": "root", "password": PASSWORD})


def set_up(world):
    with writing(world.runtime.sessions) as session:
        begin_change(session)
        install(session)
        password = issue_password(session)
    fields = {"token": password, "username": "ada", "password": NEW_PASSWORD}
    world.client.post_json(f"{V1}/setup", fields, status=201)


def user(world):
    """A user; the id."""
    return world.people.user(f"ada{world.number()}")


def role(world):
    """A role made through the API; the id."""
    return world.post("/roles", {"name": f"spotter{world.number()}", "permissions": ["aircraft.view"]})["id"]


def mapping(world):
    """A claim mapping; the id."""
    return world.post("/oidc-mappings", {**MAPPING, "name": f"staff{world.number()}"})["id"]


def assignment(world):
    """An assignment of a role to a user; the id."""
    return world.post("/user-roles", {"user": user(world), "role": role(world)})["id"]


def end_by_provider(world):
    world.client.provider = world.provider
    sign_on(world.client)
    back_channel(world.client, world.provider.logout_token())


def keys(prefix):
    """The writes of one of the two addresses of keys."""
    path = f"{prefix}/api-keys"
    return (
        Write(f"POST {V1}{path}", "api_key.created", lambda world: world.post(path, KEY)),
        Write(
            f"DELETE {V1}{path}/{{id}}",
            "api_key.deleted",
            lambda world: world.delete(f"{path}/{world.post(path, KEY)['id']}"),
        ),
    )


WRITES = (
    Write(f"POST {V1}/auth/login", "login.succeeded", log_in),
    Write(f"POST {V1}/setup", "user.created", set_up, is_alone=True),
    Write(f"POST {V1}/auth/logout", "login.ended", lambda world: world.post("/auth/logout"), is_alone=True),
    Write(
        f"PATCH {V1}/auth/profile",
        "profile.changed",
        lambda world: world.patch("/auth/profile", {"display_name": "Ada"}),
    ),
    Write(
        f"POST {V1}/auth/password",
        "password.changed",
        lambda world: world.ask("POST", "/auth/password", {"current_password": PASSWORD, "new_password": NEW_PASSWORD}),
        is_alone=True,
    ),
    *keys("/auth"),
    *keys(""),
    Write(
        f"POST {V1}/users",
        "user.created",
        lambda world: world.post("/users", {"username": "ada", "email": "ada@example.org"}),
    ),
    Write(
        f"PATCH {V1}/users/{{id}}",
        "user.changed",
        lambda world: world.patch(f"/users/{user(world)}", {"is_active": False}),
    ),
    Write(f"DELETE {V1}/users/{{id}}", "user.deleted", lambda world: world.delete(f"/users/{user(world)}")),
    Write(f"POST {V1}/user-roles", "assignment.created", assignment),
    Write(
        f"PATCH {V1}/user-roles/{{id}}",
        "assignment.changed",
        lambda world: world.patch(f"/user-roles/{assignment(world)}", {"expires_at": "2099-01-01T00:00:00Z"}),
    ),
    Write(
        f"DELETE {V1}/user-roles/{{id}}",
        "assignment.deleted",
        lambda world: world.delete(f"/user-roles/{assignment(world)}"),
    ),
    Write(f"POST {V1}/roles", "role.created", role),
    Write(
        f"PATCH {V1}/roles/{{id}}",
        "role.changed",
        lambda world: world.patch(f"/roles/{role(world)}", {"display_name": "Spotter"}),
    ),
    Write(
        f"DELETE {V1}/roles/{{id}}",
        "role.deleted",
        lambda world: world.delete(f"/roles/{role(world)}"),
    ),
    Write(
        f"PATCH {V1}/feature-access/{{feature}}",
        "feature_access.changed",
        lambda world: world.patch("/feature-access/acars", {"is_enabled": False}),
    ),
    Write(
        f"PUT {V1}/feature-access/{{feature}}",
        "feature_access.changed",
        lambda world: world.put("/feature-access/acars", ACCESS),
    ),
    Write(f"POST {V1}/oidc-mappings", "claim_mapping.created", mapping),
    Write(
        f"PATCH {V1}/oidc-mappings/{{id}}",
        "claim_mapping.changed",
        lambda world: world.patch(f"/oidc-mappings/{mapping(world)}", {"priority": 3}),
    ),
    Write(
        f"PUT {V1}/oidc-mappings/{{id}}",
        "claim_mapping.changed",
        lambda world: world.put(f"/oidc-mappings/{mapping(world)}", {**MAPPING, "name": "crew"}),
    ),
    Write(
        f"DELETE {V1}/oidc-mappings/{{id}}",
        "claim_mapping.deleted",
        lambda world: world.delete(f"/oidc-mappings/{mapping(world)}"),
    ),
    Write(
        f"POST {V1}/auth/oidc/backchannel-logout", "login.ended", end_by_provider, is_alone=True, needs_provider=True
    ),
)
