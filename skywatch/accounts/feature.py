"""The feature declaration of accounts."""

from __future__ import annotations

from skywatch.accounts.settings import AccountSettings
from skywatch.core.feature import Feature

FEATURE = Feature(
    name="accounts",
    settings=AccountSettings,
    include="skywatch.accounts",
    checks="skywatch.accounts.checks:check",
    visibilities="skywatch.accounts.identity.visibilities:visibilities",
    retention="skywatch.accounts.retention:KINDS",
    restored="skywatch.accounts.logins.restored:end_all",
    commands={"user": "skywatch.accounts.command:user"},
    tags={
        "auth": "Logging in and out, the caller's own profile, password and permissions.",
        "setup": "The first administrator of a new installation.",
        "api-keys": "The caller's API keys.",
        "users": "User accounts.",
        "roles": "Roles: named sets of permissions.",
        "user-roles": "Which user has which role, and until when.",
        "feature-access": "Who may use each feature: everybody, users, or holders of its permissions.",
    },
)
