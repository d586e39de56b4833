"""What single sign-on needs of the database before it starts."""

from __future__ import annotations

import sqlalchemy as sa

from skywatch.accounts.models import Role
from skywatch.core.runtime import Runtime
from skywatch.settings import SettingsError
from skywatch.sso.providers import FIRST, read_providers
from skywatch.sso.settings import SsoSettings


def check_default_roles(runtime: Runtime) -> None:
    """Raise SettingsError for a default role that does not exist: new users would silently get none."""
    providers = [provider for provider in read_providers(runtime.settings.of(SsoSettings)) if provider.default_role]
    if not providers:
        return
    with runtime.sessions() as session:
        role_names = set(session.scalars(sa.select(Role.name)))
    for provider in providers:
        if provider.default_role not in role_names:
            setting = "oidc_default_role" if provider.name == FIRST else f"oidc.{provider.name}.default_role"
            raise SettingsError(setting, f"there is no role {provider.default_role}")
