"""Logins, users, roles, keys and access settings."""

from __future__ import annotations

from benchmarks._endpoint_costs.ask import API, Ask, json_bytes
from benchmarks._endpoint_costs.entry import Entries, Entry, on_row, read, send
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.population import give_to_all
from benchmarks._people import NAME, PASSWORD
from skywatch.accounts.models import ApiKey, Role
from skywatch.security.permissions import Permission

LONG_PASSWORD = "a quiet night over the Jura " * 9
PERMISSIONS = sorted(str(permission) for permission in Permission)
ROLES = [f"role_{number}" for number in range(50)]
PREFERENCES = {f"setting {number}": "x" * 100 for number in range(120)}


def refresh(installation: Installation) -> Ask:
    """The refresh token of a login that is alive."""
    body = json_bytes({"refresh": installation.login()[1]})
    return Ask(f"{API}/auth/refresh", body, headers={"Authorization": ""})


def password(installation: Installation) -> Ask:
    """From one long password to another."""
    before, after = installation.password, f"{LONG_PASSWORD}{installation.number()}"
    installation.password = after
    return Ask(f"{API}/auth/password", json_bytes({"current_password": before, "new_password": after}))


def login(installation: Installation) -> Ask:
    """The right password; a wrong one costs the same."""
    body = json_bytes({"username": NAME, "password": installation.password})
    return Ask(f"{API}/auth/login", body, headers={"Authorization": ""})


def assignment(installation: Installation) -> Ask:
    """A role for a user who has it not."""
    body = json_bytes({"user": installation.another("other user"), "role": installation.another("own role")})
    return Ask(f"{API}/user-roles", body)


def frequent_role(installation: Installation) -> Ask:
    """A role that all users have."""
    role_id = give_to_all(installation)
    return Ask(f"{API}/roles/{role_id}?force=true")


def keys(prefix: str) -> Entries:
    """The entries of one of the two addresses of keys."""
    new = {"name": "key", "scopes": ["aircraft", "alerts", "safety", "audio", "acars", "history", "system"]}
    return {
        f"GET {API}{prefix}/api-keys": [read("a page of 1,000", f"{prefix}/api-keys?limit=1000")],
        f"POST {API}{prefix}/api-keys": [send("a key", f"{prefix}/api-keys", new)],
        f"DELETE {API}{prefix}/api-keys/{{id}}": [on_row("one key", f"{prefix}/api-keys/{{id}}", ApiKey)],
    }


def access(body: object) -> list[Entry]:
    """A change of an access setting."""
    return [send("one feature", "/feature-access/acars", body)]


SETTING = {"read_access": "authenticated", "write_access": "permission", "is_enabled": True}

ENTRIES: Entries = {
    "POST /api/v1/auth/login": [
        Entry("a name and a password", login),
        send(
            "a megabyte of a password",
            "/auth/login",
            {"username": "x", "password": "x" * 1_000_000},
            status=(400,),
            headers={"Authorization": ""},
        ),
    ],
    "POST /api/v1/setup": [
        send(
            "where there is a user",
            "/setup",
            {"token": "x" * 100, "username": "ada", "password": LONG_PASSWORD},
            status=(409,),
            headers={"Authorization": ""},
        ),
    ],
    "POST /api/v1/auth/refresh": [Entry("a token", refresh)],
    "POST /api/v1/auth/handover": [
        send(
            "a code that is unknown",
            "/auth/handover",
            {"code": "x" * 43},
            status=(401, 403),
            headers={"Authorization": ""},
        ),
    ],
    "POST /api/v1/auth/logout": [Entry("a login", lambda i: Ask(f"{API}/auth/logout", b"{}"))],
    "POST /api/v1/auth/password": [Entry("from one long password to another", password)],
    "GET /api/v1/auth/config": [read("as it is", "/auth/config")],
    "GET /api/v1/auth/permissions": [read("all permissions", "/auth/permissions?limit=1000")],
    "GET /api/v1/auth/my-permissions": [read("all permissions", "/auth/my-permissions")],
    "GET /api/v1/auth/profile": [read("as it is", "/auth/profile")],
    "PATCH /api/v1/auth/profile": [
        send("the largest preferences", "/auth/profile", {"preferences": PREFERENCES}),
        send(
            "a megabyte of preferences",
            "/auth/profile",
            {"preferences": {f"{n}": 0 for n in range(90_000)}},
            status=(400,),
        ),
    ],
    **keys("/auth"),
    **keys(""),
    "GET /api/v1/users": [
        read("a page of 1,000", "/users?limit=1000"),
        read("a search that many match", "/users?limit=1000&search=user&role=viewer"),
        read("a search that nobody matches", "/users?limit=1000&search=zeppelin"),
    ],
    "POST /api/v1/users": [
        send(
            "a user with a password and 50 roles",
            "/users",
            lambda number: {
                "username": f"new{number}",
                "email": f"new{number}@example.org",
                "password": PASSWORD,
                "roles": ROLES,
            },
        ),
    ],
    "GET /api/v1/users/{id}": [on_row("one user", "/users/{id}", "other user")],
    "PATCH /api/v1/users/{id}": [
        on_row("a new password and 50 roles", "/users/{id}", "other user", {"password": PASSWORD, "roles": ROLES}),
    ],
    "DELETE /api/v1/users/{id}": [on_row("one user", "/users/{id}", "other user")],
    "GET /api/v1/roles": [read("a page of 1,000", "/roles?limit=1000")],
    "POST /api/v1/roles": [
        send("all permissions", "/roles", lambda number: {"name": f"new_{number}", "permissions": PERMISSIONS}),
    ],
    "GET /api/v1/roles/{id}": [on_row("one role", "/roles/{id}", Role)],
    "PATCH /api/v1/roles/{id}": [on_row("all permissions", "/roles/{id}", "own role", {"permissions": PERMISSIONS})],
    "DELETE /api/v1/roles/{id}": [
        on_row("one role", "/roles/{id}?force=true", "own role"),
        Entry("a role that many hold", frequent_role),
    ],
    "GET /api/v1/user-roles": [read("a page of 1,000", "/user-roles?limit=1000")],
    "POST /api/v1/user-roles": [Entry("one", assignment)],
    "GET /api/v1/user-roles/{id}": [on_row("one", "/user-roles/{id}", "assignment")],
    "PATCH /api/v1/user-roles/{id}": [
        on_row("one", "/user-roles/{id}", "assignment", {"expires_at": "2099-01-01T00:00:00Z"}),
    ],
    "DELETE /api/v1/user-roles/{id}": [on_row("one", "/user-roles/{id}", "assignment")],
    "GET /api/v1/feature-access": [read("all features", "/feature-access?limit=1000")],
    "GET /api/v1/feature-access/{feature}": [read("one feature", "/feature-access/acars")],
    "PATCH /api/v1/feature-access/{feature}": access(SETTING),
    "PUT /api/v1/feature-access/{feature}": access(SETTING),
}
