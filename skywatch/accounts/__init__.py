"""Accounts: users, roles and their assignments, logins and tokens, API keys, and the access settings of features.

``identity`` resolves a credential to its owner and their present permissions, for the REST API and for the real-time
channel; the other folders change the data that it reads.

Not here: deciding on a request (`security`, `http/authentication.py`), and identity providers (`sso`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

SUBJECTS = ("users", "roles", "assignments", "access", "audit_log", "sign_in", "profile", "keys", "setup")


def includeme(config: Configurator) -> None:
    """Add the account resources."""
    # Here, so that who needs the tables alone does not load the API with them.
    from skywatch.accounts.passwords.hashing import hashing
    from skywatch.accounts.passwords.rules import rules
    from skywatch.accounts.settings import AccountSettings
    from skywatch.core.runtime import runtime_of
    from skywatch.http.settings import HttpSettings

    settings = runtime_of(config.registry).settings
    hashing.resize(settings.of(HttpSettings).api_threads)
    rules.minimum_length = settings.of(AccountSettings).password_min_length
    for name in ("login", "refresh"):
        config.add_throttle_bucket("POST", f"/api/v1/auth/{name}", name)
    config.add_throttle_bucket("POST", "/api/v1/auth/handover", "refresh")
    config.add_throttle_bucket("POST", "/api/v1/setup", "login")
    for subject in SUBJECTS:
        config.scan(f"skywatch.accounts.{subject}.views")
