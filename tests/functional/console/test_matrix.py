"""Every page x every role x every mode gives what the table says; and no page is without a permission."""

import pytest
import sqlalchemy as sa
from pyramid.config import Configurator
from pyramid.interfaces import IStaticURLInfo

from skywatch.accounts.changes import begin_change
from skywatch.accounts.models import FeatureAccessSetting
from skywatch.core.db import writing
from skywatch.http.openapi import SERVICE_PERMISSIONS
from skywatch.http.service import ApiService
from skywatch.security.contexts import EXCHANGE, PERSONAL_WRITE
from skywatch.security.permissions import Permission
from tests.functional.console.visitor import populate

# Method, path, and who gets it: the least administrative role, or which of the custom ones.
TABLE = (
    ("GET", "", {"admin", "superadmin", "reads users", "edits users", "reads roles", "manages"}),
    ("GET", "/users", {"admin", "superadmin", "reads users"}),
    ("GET", "/users/1", {"admin", "superadmin", "reads users"}),
    ("POST", "/users/1", {"admin", "superadmin", "edits users"}),
    ("GET", "/roles", {"admin", "superadmin", "reads roles"}),
    ("GET", "/access", {"admin", "superadmin", "manages"}),
    ("POST", "/access", {"admin", "superadmin", "manages"}),
    ("GET", "/audit", {"admin", "superadmin", "manages"}),
)
CUSTOM = {
    "reads users": "users.view",
    "edits users": "users.edit",
    "reads roles": "roles.view",
    "manages": "system.manage",
}
DEFAULT = ("viewer", "operator", "analyst", "admin", "superadmin")
# What Pyramid and Cornice make themselves: no page of ours.
OPEN_PATHS = {"/console/sign-in", "/console/sign-out", "/console/style.css"}


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
    known = {*SERVICE_PERMISSIONS, PERSONAL_WRITE, *map(str, Permission)}
    found = list(views(client.app.registry))
    assert len(found) >= 11
    for method, path, permissions, view in found:
        assert permissions, f"{view.__module__}.{view.__name__} ({method} {path}) has no permission"
        assert set(map(str, permissions)) <= known
    assert all(isinstance(service, ApiService) for service in client.app.registry.cornice_services.values())


def test_a_view_without_a_permission_would_be_found(make_client):
    client = make_client()
    config = Configurator(registry=client.app.registry)
    config.add_route("console.forgotten", "/console/forgotten")
    config.add_view(lambda request: None, route_name="console.forgotten", renderer="string")
    config.commit()
    assert [path for _, path, permissions, _ in views(client.app.registry) if not permissions] == ["/console/forgotten"]


def test_every_page_is_in_the_table_and_only_sign_in_and_the_style_are_open(client):
    pages = {
        (method, path.replace("{id:[0-9]{1,18}}", "1"))
        for method, path, _, _ in views(client.app.registry)
        if path.startswith("/console")
    }
    exchanged = {path for _, path, permissions, _ in views(client.app.registry) if EXCHANGE in permissions}
    assert exchanged == OPEN_PATHS
    table = {(method, f"/console{path}") for method, path, _ in TABLE}
    assert {(method, path) for method, path in pages if path not in OPEN_PATHS} == table


@pytest.mark.parametrize("mode", ["public", "private", "hybrid"])
@pytest.mark.parametrize("level", ["public", "authenticated", "permission"])
def test_every_role_gets_the_pages_of_the_table(make_visitor, mode, level):
    first = make_visitor(auth_mode=mode)
    people = populate(first.runtime, *DEFAULT)
    for role, permission in CUSTOM.items():
        name = role.replace(" ", "_")
        people.role(name, [permission])
        people.user(name, name)
    with writing(first.runtime.sessions) as session:
        begin_change(session)
        session.execute(sa.update(FeatureAccessSetting).values(read_access=level, write_access=level))
    opened = mode != "public" and level != "permission"
    faults = []
    for role in (*DEFAULT, *CUSTOM):
        visitor = first.beside()
        gets_in = role not in ("viewer", "operator", "analyst")
        visitor.sign_in(role.replace(" ", "_"), status=303 if gets_in else 403)
        for method, path, holders in TABLE:
            # Reading people follows the access setting for everybody who is identified, as in the API.
            may = role in holders or (opened and method == "GET" and path.startswith(("/users", "/roles")))
            if not gets_in:
                wanted = 303
            elif method == "POST":
                wanted = 403 if not may else 400
            else:
                wanted = 200 if may else 403
            token = visitor.token if gets_in else "x"
            got = (
                visitor.get(path, status="*")
                if method == "GET"
                else visitor.post(path, {"csrf_token": token}, status="*")
            )
            if got.status_int != wanted:
                faults.append(f"{method} {path} as {role}: {got.status_int}, the table says {wanted}")
    assert faults == []
