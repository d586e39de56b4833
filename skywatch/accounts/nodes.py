"""Nodes that several schemas of accounts are made of."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import colander

from skywatch.accounts.names import clean_display_name, clean_email, clean_username
from skywatch.accounts.passwords.rules import MAX_LENGTH, check_password
from skywatch.http.resources.schema import JsonString, list_node, node, string_node, text_node
from skywatch.sentences import sentence

LEVELS = ("public", "authenticated", "permission")
MAX_PREFERENCES_BYTES = 16_384
# JSON values of a body with preferences: more do not fit into that many bytes.
MAX_VALUES_OF_PREFERENCES = 10_000
MAX_TOKEN = 4096


class Cleaned(JsonString):
    """A string that a function brings into shape or refuses with a ValueError."""

    def __init__(self, clean: Callable[[str], str]) -> None:
        super().__init__()
        self.clean = clean

    def deserialize(self, node: colander.SchemaNode, cstruct: Any) -> Any:
        value = super().deserialize(node, cstruct)
        if value is colander.null:
            return value
        try:
            return self.clean(value)
        except ValueError as error:
            raise colander.Invalid(node, str(error)) from None


def strings_node(item: colander.SchemaNode, minimum: int = 0, maximum: int = 200, **kw: Any) -> colander.SchemaNode:
    """A list, of a length between these."""
    return list_node(item, validator=colander.Length(minimum, maximum), **kw)


def small_json(node: colander.SchemaNode, value: Any) -> None:
    """The validator of documents that users keep with their account."""
    if len(json.dumps(value)) > MAX_PREFERENCES_BYTES:
        raise colander.Invalid(
            node,
            sentence(
                "accounts.preferences_too_large", "must have at most {most} bytes as JSON", most=MAX_PREFERENCES_BYTES
            ),
        )


def username_node(**kw: Any) -> colander.SchemaNode:
    """A username as it may be given."""
    return node(Cleaned(clean_username), validator=colander.Length(2, 64), **kw)


def email_node(**kw: Any) -> colander.SchemaNode:
    """An e-mail address."""
    return node(Cleaned(clean_email), validator=colander.Length(3, 254), **kw)


def display_name_node(**kw: Any) -> colander.SchemaNode:
    """A name as people see it."""
    return node(Cleaned(clean_display_name), validator=colander.Length(1, 120), **kw)


def password_node(**kw: Any) -> colander.SchemaNode:
    """A new password; whether it is too much like its owner's name is for the service to say."""
    validator = colander.All(colander.Length(1, MAX_LENGTH), _not_easy)
    return string_node(validator=validator, **kw)


def _not_easy(node: colander.SchemaNode, password: str) -> None:
    try:
        check_password(password)
    except ValueError as error:
        raise colander.Invalid(node, str(error)) from None


def role_names_node(**kw: Any) -> colander.SchemaNode:
    """The names of roles."""
    return strings_node(text_node(64, 1), maximum=50, **kw)


DROP: dict[str, Any] = {"missing": colander.drop}
