"""Who may sign on, and who may say which claims give which role."""

from tests.functional.access.table import Row

OIDC = "/api/v1/auth/oidc"
MAPPINGS = "/api/v1/oidc-mappings"
ROWS = [
    Row("GET", f"{OIDC}/providers", "open"),
    # Single sign-on is switched off in a test that does not say otherwise.
    Row("GET", f"{OIDC}/authorize", "open", answer=403),
    Row("GET", f"{OIDC}/callback", "open", answer=403),
    Row("POST", f"{OIDC}/backchannel-logout", "open", answer=403),
    Row("GET", MAPPINGS, "roles.edit"),
    Row("POST", MAPPINGS, "roles.edit"),
    Row("GET", f"{MAPPINGS}/{{id}}", "roles.edit"),
    Row("PATCH", f"{MAPPINGS}/{{id}}", "roles.edit"),
    Row("PUT", f"{MAPPINGS}/{{id}}", "roles.edit"),
    Row("DELETE", f"{MAPPINGS}/{{id}}", "roles.edit"),
]
