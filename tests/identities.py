"""Callers for tests that are about something else than credentials: a header names who asks.

``install(client)`` adds a credential method to the application under test; ``as_role("viewer", user_id=7)`` gives
the header of a caller with that default role's permissions.
"""

from __future__ import annotations

import json
from typing import Any

from skywatch.accounts.models import User
from skywatch.core.database.engine import writing
from skywatch.core.runtime import runtime_of
from skywatch.http.authentication import security_policy
from skywatch.security.identity import Identity
from skywatch.security.permissions import Permission, default_permissions

HEADER = "X-Test-Identity"


def as_role(role: str | None, user_id: int = 1, scopes: list[str] | None = None, *extra: Permission) -> dict[str, str]:
    """The header of a caller; ``role`` None holds nothing."""
    held = sorted((default_permissions(role) if role else frozenset()) | set(extra))
    identity = {"user_id": user_id, "role": role or "", "permissions": held, "scopes": scopes}
    return {HEADER: json.dumps(identity)}


def _method(request: Any) -> Identity | None:
    text = request.headers.get(HEADER)
    if text is None:
        return None
    fields = json.loads(text)
    return Identity(
        user_id=fields["user_id"],
        username=f"user{fields['user_id']}",
        method="jwt" if fields["scopes"] is None else "api_key",
        permissions=frozenset(map(Permission, fields["permissions"])),
        roles=frozenset({fields["role"]} - {""}),
        scopes=None if fields["scopes"] is None else frozenset(fields["scopes"]),
    )


def install(client: Any) -> Any:
    """Let the client's application believe the header; returns the client."""
    runtime_of(client.app.registry).shared(security_policy).methods.insert(0, _method)
    return client


def install_with_users(client: Any) -> Any:
    """``install``, and users 1 to 4 in the database: ada, ben, cleo and dan; returns the client."""
    with writing(client.runtime.sessions) as db:
        for number, name in enumerate(("ada", "ben", "cleo", "dan"), 1):
            email = f"{name}@example.org"
            db.add(User(id=number, username=name, username_key=name, email=email, email_key=name, display_name=name))
    return install(client)
