"""Who may call the account resources, the access settings and the audit log."""

from tests.functional.access.grids import EXCHANGE, IDENTIFIED, MANAGE, OPEN, OWN, PEOPLE, SWITCH
from tests.functional.access.table import Row

V1 = "/api/v1"
ROWS = [
    Row("GET", f"{V1}/auth/config", OPEN),
    Row("POST", f"{V1}/auth/login", EXCHANGE),
    Row("POST", f"{V1}/auth/refresh", EXCHANGE),
    Row("POST", f"{V1}/setup", EXCHANGE),
    Row("POST", f"{V1}/auth/logout", OWN),
    Row("GET", f"{V1}/auth/profile", IDENTIFIED),
    Row("PATCH", f"{V1}/auth/profile", OWN),
    Row("POST", f"{V1}/auth/password", OWN),
    Row("GET", f"{V1}/auth/permissions", OPEN),
    Row("GET", f"{V1}/auth/my-permissions", IDENTIFIED),
    Row("GET", f"{V1}/auth/api-keys", OWN),
    Row("POST", f"{V1}/auth/api-keys", OWN),
    Row("DELETE", f"{V1}/auth/api-keys/{{id}}", OWN),
    Row("GET", f"{V1}/api-keys", OWN),
    Row("POST", f"{V1}/api-keys", OWN),
    Row("DELETE", f"{V1}/api-keys/{{id}}", OWN),
    Row("GET", f"{V1}/users", PEOPLE, "admin"),
    Row("POST", f"{V1}/users", MANAGE, "superadmin"),
    Row("GET", f"{V1}/users/{{id}}", PEOPLE, "admin"),
    Row("PATCH", f"{V1}/users/{{id}}", MANAGE, "admin"),
    Row("DELETE", f"{V1}/users/{{id}}", MANAGE, "superadmin"),
    Row("GET", f"{V1}/user-roles", PEOPLE, "admin"),
    Row("POST", f"{V1}/user-roles", MANAGE, "admin"),
    Row("GET", f"{V1}/user-roles/{{id}}", PEOPLE, "admin"),
    Row("PATCH", f"{V1}/user-roles/{{id}}", MANAGE, "admin"),
    Row("DELETE", f"{V1}/user-roles/{{id}}", MANAGE, "admin"),
    Row("GET", f"{V1}/roles", PEOPLE, "admin"),
    Row("POST", f"{V1}/roles", MANAGE, "superadmin"),
    Row("GET", f"{V1}/roles/{{id}}", PEOPLE, "admin"),
    Row("PATCH", f"{V1}/roles/{{id}}", MANAGE, "superadmin"),
    Row("DELETE", f"{V1}/roles/{{id}}", MANAGE, "superadmin"),
    Row("GET", f"{V1}/feature-access", SWITCH, "admin"),
    Row("GET", f"{V1}/feature-access/{{feature}}", SWITCH, "admin"),
    Row("PATCH", f"{V1}/feature-access/{{feature}}", SWITCH, "admin"),
    Row("PUT", f"{V1}/feature-access/{{feature}}", SWITCH, "admin"),
    Row("GET", f"{V1}/system/audit", MANAGE, "admin"),
]
