"""Who may sign on, and who may say which claims give which role."""

from tests.functional.access.grids import EVERYBODY, EXCHANGE, MANAGE
from tests.functional.access.table import Row

OIDC = "/api/v1/auth/oidc"
MAPPINGS = "/api/v1/oidc-mappings"
ROWS = [
    Row("GET", f"{OIDC}/providers", EVERYBODY),
    # Single sign-on is switched off in a test that does not say otherwise.
    Row("GET", f"{OIDC}/authorize", EXCHANGE, answer=403),
    Row("GET", f"{OIDC}/callback", EXCHANGE, answer=403),
    Row("POST", f"{OIDC}/backchannel-logout", EXCHANGE, answer=403),
    Row("GET", MAPPINGS, MANAGE, "superadmin"),
    Row("POST", MAPPINGS, MANAGE, "superadmin"),
    Row("GET", f"{MAPPINGS}/{{id}}", MANAGE, "superadmin"),
    Row("PATCH", f"{MAPPINGS}/{{id}}", MANAGE, "superadmin"),
    Row("PUT", f"{MAPPINGS}/{{id}}", MANAGE, "superadmin"),
    Row("DELETE", f"{MAPPINGS}/{{id}}", MANAGE, "superadmin"),
]
