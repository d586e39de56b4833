"""The caller's own account."""

from __future__ import annotations

from skywatch.accounts.nodes import (
    password_node,
    text,
)
from skywatch.http.resources.schema import (
    Schema,
)


class PasswordChange(Schema):
    current_password = text(1024, 1)
    new_password = password_node()
