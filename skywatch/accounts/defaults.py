"""What every installation begins with: the default roles and the access settings of a closed service."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.rights import SUPERADMIN
from skywatch.accounts.models import FeatureAccessSetting, Role
from skywatch.security.contexts import DEFAULT_ACCESS
from skywatch.security.permissions import DEFAULT_ROLES, Permission, default_permissions


def install(session: Session) -> list[str]:
    """Add what is missing and say what was added; what an administrator has changed stays as it is.

    Only the superadmin role is brought up to date: it has every permission, also those of later versions.
    """
    added: list[str] = []
    roles = {role.name: role for role in session.scalars(sa.select(Role).where(Role.is_system))}
    for default in DEFAULT_ROLES:
        if default.name not in roles:
            role = Role(
                name=default.name,
                display_name=default.display_name,
                description=default.description,
                permissions=sorted(default_permissions(default.name)),
                priority=default.priority,
                is_system=True,
            )
            session.add(role)
            added.append(f"role {default.name}")
    everything = sorted(permission.value for permission in Permission)
    if SUPERADMIN in roles and roles[SUPERADMIN].permissions != everything:
        roles[SUPERADMIN].permissions = everything
        added.append("permissions of role superadmin")
    stored = set(session.scalars(sa.select(FeatureAccessSetting.feature)))
    for feature, access in DEFAULT_ACCESS.items():
        if feature not in stored:
            session.add(
                FeatureAccessSetting(
                    feature=feature,
                    read_access=access.read_access,
                    write_access=access.write_access,
                    is_enabled=access.is_enabled,
                )
            )
            added.append(f"access setting {feature}")
    session.flush()
    return added
