"""Every page x every role x every mode gives what the table says; and no page is without a permission."""

import re

import pytest
import sqlalchemy as sa
from pyramid.config import Configurator
from pyramid.interfaces import IStaticURLInfo

from skywatch import make_app
from skywatch.accounts.changes import begin_change
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.console.routes import OWN_ROUTES
from skywatch.core.database.engine import writing
from skywatch.http.resources.service import NUMBER
from skywatch.security.permissions import Permission, ViewPermission, default_permissions
from skywatch.sso.models import ClaimMapping
from tests.functional.console.system_pages import SYSTEM_PAGES
from tests.functional.console.visitor import populate

pytestmark = pytest.mark.deep("walks a whole table")

# Method, path and permission. A page of a feature's records follows its access setting, as in the API.
TABLE = (
    ("GET", "", "identified"),
    *((method, "/map", "identified") for method in ("GET", "POST")),
    ("GET", "/users", "users.view"),
    *((method, "/users/new", "users.create") for method in ("GET", "POST")),
    *((method, "/users/new/service", "users.create") for method in ("GET", "POST")),
    ("GET", "/users/{user}", "users.view"),
    ("POST", "/users/{user}", "users.edit"),
    *((method, "/users/{user}/edit", "users.edit") for method in ("GET", "POST")),
    *((method, "/users/{user}/password", "users.edit") for method in ("GET", "POST")),
    *((method, "/users/{user}/reset-link", "users.edit") for method in ("GET", "POST")),
    *((method, "/users/{service}/keys/new", "users.edit") for method in ("GET", "POST")),
    *((method, "/users/{user}/delete", "users.delete") for method in ("GET", "POST")),
    ("GET", "/keys", "users.view"),
    ("POST", "/keys", "users.edit"),
    ("GET", "/roles", "roles.view"),
    *((method, "/roles/new", "roles.create") for method in ("GET", "POST")),
    *((method, "/roles/{role}/edit", "roles.edit") for method in ("GET", "POST")),
    *((method, "/roles/{role}/delete", "roles.delete") for method in ("GET", "POST")),
    *((method, "/mappings", "roles.edit") for method in ("GET", "POST")),
    *((method, "/sign-on", "roles.edit") for method in ("GET", "POST")),
    *((method, "/mappings/new", "roles.edit") for method in ("GET", "POST")),
    *((method, "/mappings/{mapping}", "roles.edit") for method in ("GET", "POST")),
    *((method, "/mappings/{mapping}/delete", "roles.edit") for method in ("GET", "POST")),
    ("GET", "/access", "system.manage"),
    ("POST", "/access", "system.manage"),
    ("GET", "/audit", "system.manage"),
    ("GET", "/audit/export", "system.manage"),
)
TABLE += SYSTEM_PAGES
# Roles in addition to the default ones, each with one administrative permission.
CUSTOM = {
    "reads_users": "users.view",
    "edits_users": "users.edit",
    "creates_users": "users.create",
    "deletes_users": "users.delete",
    "reads_roles": "roles.view",
    "creates_roles": "roles.create",
    "edits_roles": "roles.edit",
    "deletes_roles": "roles.delete",
    "manages": "system.manage",
}
DEFAULT = ("viewer", "operator", "analyst", "admin", "superadmin")
# What Pyramid and Cornice make themselves: no page of ours.
OPEN_PATHS = set(OWN_ROUTES.values())


def views(registry):
    """Every view of a route: (method, path, permission, name of the function)."""
    routes = {
        entry["introspectable"]["name"]: entry["introspectable"]
        for entry in registry.introspector.get_category("routes")
    }
    static = {name for _, _, name in registry.queryUtility(IStaticURLInfo).registrations}
    cornice = {path for service in registry.cornice_services.values() for path in (service.path, service.canonical)}
    for entry in registry.introspector.get_category("views"):
        view = entry["introspectable"]
        route = routes.get(view["route_name"])
        if route is None or route["pattern"] in cornice or view["route_name"] in static:
            continue
        permissions = [r["value"] for r in entry["related"] if r.category_name == "permissions"]
        yield view["request_methods"], route["pattern"], permissions, view["callable"]


def test_every_view_of_every_route_has_a_permission_that_is_known(client):
    known = {*map(str, ViewPermission), *map(str, Permission)}
    found = list(views(client.app.registry))
    assert len(found) >= 11
    for method, path, permissions, view in found:
        assert permissions, f"{view.__module__}.{view.__name__} ({method} {path}) has no permission"
        assert set(map(str, permissions)) <= known


def test_a_view_without_a_permission_would_be_found(make_runtime):
    registry = make_app(make_runtime()).registry
    config = Configurator(registry=registry)
    config.add_route("console.forgotten", "/console/forgotten")
    config.add_view(lambda request: None, route_name="console.forgotten", renderer="string")
    config.commit()
    assert [path for _, path, permissions, _ in views(registry) if not permissions] == ["/console/forgotten"]


def test_every_page_is_in_the_table_and_only_sign_in_and_the_style_are_open(client):
    pages = {
        (method, re.sub(r"/(\w+?)s/\{id:\[0-9\]\{1,18\}\}", r"/\1s/{\1}", path).replace(f":{NUMBER}", ""))
        for method, path, _, _ in views(client.app.registry)
        if path.startswith("/console")
    }
    exchanged = {path for _, path, permissions, _ in views(client.app.registry) if ViewPermission.OPEN in permissions}
    assert exchanged == OPEN_PATHS
    table = {(method, f"/console{path}".replace("{service}", "{user}")) for method, path, _ in TABLE}
    assert {(method, path) for method, path in pages if path not in OPEN_PATHS} == table


def holds(role, permission):
    """Whether a role's holders have a permission by it."""
    if permission == "identified":
        return role not in ("viewer", "operator", "analyst")
    return permission == CUSTOM[role] if role in CUSTOM else Permission(permission) in default_permissions(role)


@pytest.mark.parametrize(
    ("mode", "level"), [("public", "public"), ("private", "authenticated"), ("hybrid", "permission")]
)
def test_every_role_gets_the_pages_of_the_table(make_visitor, mode, level):
    first = make_visitor(auth_mode=mode)
    people = populate(first.runtime, *DEFAULT)
    for name, permission in CUSTOM.items():
        people.role(name, [permission])
        people.user(name, name)
    # Somebody whom nobody lacks a right to change.
    empty = people.role("empty", [])
    target, service = people.user("target", "empty"), people.user("program", "empty", kind="service")
    with writing(first.runtime.sessions) as session:
        begin_change(session)
        session.execute(sa.update(FeatureAccessSetting).values(read_access=level, write_access=level))
        mapping = ClaimMapping(name="m", claim_name="c", match_type="exact", claim_value="v", role_id=empty)
        session.add(mapping)
        session.flush()
        numbers = {
            "user": target,
            "service": service,
            "setting": "station_name",
            "role": empty,
            "mapping": mapping.id,
            "channel": 1,
            "known": 1,
        }
    opened = mode != "public" and level != "permission"
    faults = []
    for role in (*DEFAULT, *CUSTOM):
        visitor = first.another_browser()
        gets_in = holds(role, "identified")
        visitor.sign_in(role, status=303 if gets_in else 403)
        token = visitor.token if gets_in else "x"
        for method, path, permission in TABLE:
            permissions = holds(role, permission) or (opened and permission in ("users.view", "roles.view"))
            where = path.format(**numbers)
            got = (
                visitor.get(where, status="*")
                if method == "GET"
                else visitor.post(where, {"csrf_token": token}, status="*")
            )
            # A form without its fields is refused with another status, or asks for nothing that could be refused.
            refused = got.status_int == (403 if gets_in else 303)
            if refused == (permissions and gets_in) or got.status_int >= 500:
                faults.append(f"{method} {path} as {role}: {got.status_int}")
    assert faults == []
