"""The caller's own account."""

from __future__ import annotations

from skywatch.accounts.nodes import (
    password_node,
    text,
)
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import (
    Schema,
)


class PasswordChangeFields(Fields):
    current_password: str
    new_password: str


class PasswordChange(Schema):
    struct = PasswordChangeFields

    current_password = text(1024, 1)
    new_password = password_node()
