"""Rows of accounts as the API shows them."""

from __future__ import annotations

from typing import Any

from skywatch.accounts.models import ApiKey, FeatureAccessSetting, Role, User, UserRole
from skywatch.accounts.services.assignments import is_expired
from skywatch.accounts.services.keys import is_active
from skywatch.accounts.services.users import permissions_of, roles_of
from skywatch.core.models import AuditEntry


def user_summary(user: User) -> dict[str, Any]:
    """The user of a login's answer."""
    return {
        "id": user.id,
        "username": user.username,
        "email": user.email,
        "display_name": user.display_name,
        "permissions": sorted(permissions_of(user)),
        "roles": [role.name for role in roles_of(user)],
    }


def profile(user: User) -> dict[str, Any]:
    """All that is shown of a user."""
    return {
        **user_summary(user),
        "preferences": user.preferences,
        "auth_provider": user.auth_provider,
        "is_active": user.is_active,
        "created_at": user.created_at,
        "last_login": user.last_login,
    }


def role(entry: Role, user_count: int) -> dict[str, Any]:
    """A role and how many hold it."""
    names = (
        "id",
        "name",
        "display_name",
        "description",
        "permissions",
        "priority",
        "is_system",
        "created_at",
        "updated_at",
    )
    return {**{name: getattr(entry, name) for name in names}, "user_count": user_count}


def assignment(entry: UserRole) -> dict[str, Any]:
    """A role assignment with the names of both ends."""
    return {
        "id": entry.id,
        "user": entry.user_id,
        "username": entry.user.username,
        "role": entry.role_id,
        "role_name": entry.role.name,
        "expires_at": entry.expires_at,
        "is_expired": is_expired(entry),
        "assigned_by": entry.assigned_by,
        "created_at": entry.created_at,
    }


def api_key(entry: ApiKey) -> dict[str, Any]:
    """An API key without its secret."""
    names = ("id", "name", "key_prefix", "scopes", "expires_at", "last_used_at", "created_at")
    return {**{name: getattr(entry, name) for name in names}, "is_active": is_active(entry)}


def access(entry: FeatureAccessSetting) -> dict[str, Any]:
    """An access setting."""
    names = ("feature", "read_access", "write_access", "is_enabled", "updated_at")
    return {name: getattr(entry, name) for name in names}


def audit_entry(entry: AuditEntry) -> dict[str, Any]:
    """An entry of the audit log."""
    names = (
        "id",
        "at",
        "action",
        "actor_id",
        "actor_name",
        "method",
        "address",
        "request_id",
        "target_type",
        "target_id",
        "target_name",
        "before",
        "after",
    )
    return {name: getattr(entry, name) for name in names}
