"""What creates the first administrator."""

from __future__ import annotations

from skywatch.accounts.nodes import password_node, username_node
from skywatch.accounts.users.schemas import UserSummary
from skywatch.http.resources.fields import Fields
from skywatch.http.resources.schema import Schema, text_node


class SetupFields(Fields):
    token: str
    username: str
    password: str


class SetupBody(Schema):
    struct = SetupFields

    token = text_node(100, 1, description="The one-time password, as the link carries it.")
    username = username_node()
    password = password_node(description="The administrator's own password from now on.")


class SetupAnswer(Schema):
    user = UserSummary()
