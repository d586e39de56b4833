"""Accounts: users, roles and their assignments, logins and tokens, API keys, and the access settings of features.

``authenticator`` returns the owner of a credential and their present permissions, for the REST API and for the
real-time channel; the other modules change the data that it reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyramid.config import Configurator

SUBJECTS = ("users", "roles", "assignments", "access", "audit_log", "sign_in", "profile", "keys", "setup")


def includeme(config: Configurator) -> None:
    """Add the authenticator and the account resources."""
    # Here, so that who needs the tables alone does not load the API with them.
    from skywatch.accounts.identity.authenticator import Authenticator
    from skywatch.accounts.identity.credentials import cookie_method, header_method
    from skywatch.accounts.passwords.hashing import hashing
    from skywatch.accounts.passwords.rules import rules
    from skywatch.accounts.settings import AccountSettings
    from skywatch.accounts.setup.service import SetupState
    from skywatch.accounts.sign_in.attempts import GuessLimits
    from skywatch.http.settings import HttpSettings

    # The one of this process: the API and the channel learn of an ended login in the same moment.
    authenticator = config.registry["runtime"].shared(Authenticator)
    config.registry["authenticator"] = authenticator
    settings = config.registry["runtime"].settings
    hashing.resize(settings.of(HttpSettings).api_threads)
    config.registry["guess_limits"] = GuessLimits(
        config.registry["limiter"], settings.guesses_place, settings.guesses_anywhere
    )
    config.registry["feature_access"] = authenticator.feature_access
    config.registry["access_settings"] = authenticator.access_settings
    # What other parts add to ``auth/config``.
    config.registry["auth_config"] = {"oidc_enabled": False, "oidc_provider_name": ""}
    # What other parts have to say at a logout: functions of the request and the numbers of the logins that end.
    config.registry["at_logout"] = []
    config.registry["security_policy"].methods.extend([header_method, cookie_method])
    rules.minimum_length = settings.of(AccountSettings).password_min_length
    config.registry["setup"] = SetupState(config.registry["runtime"])
    for name in ("login", "refresh"):
        config.add_throttle_bucket("POST", f"/api/v1/auth/{name}", name)
    config.add_throttle_bucket("POST", "/api/v1/auth/handover", "refresh")
    config.add_throttle_bucket("POST", "/api/v1/setup", "login")
    for subject in SUBJECTS:
        config.scan(f"skywatch.accounts.{subject}.views")
