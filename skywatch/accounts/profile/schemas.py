"""The caller's own account."""

from __future__ import annotations

from skywatch.accounts.nodes import password_node
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import Schema, text_node


class PasswordChangeFields(Fields):
    current_password: str
    new_password: str


class PasswordChange(Schema):
    struct = PasswordChangeFields

    current_password = text_node(1024, 1)
    new_password = password_node()
