"""Users."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.models import PERSON, SERVICE
from skywatch.accounts.nodes import (
    DROP,
    display_name_node,
    email_node,
    password_node,
    role_names_node,
    small_json,
    strings_node,
    username_node,
)
from skywatch.http.lists.pagination import PageLinks, PageQuery
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonObject,
    QueryBoolean,
    QueryString,
    Schema,
    Timestamp,
    boolean_node,
    choice_node,
    integer_node,
    list_node,
    node,
    nullable_node,
    string_node,
    timestamp_node,
)


class UserSummary(Schema):
    id = integer_node()
    username = string_node()
    kind = string_node("person, or service: a program's account, which has API keys alone.")
    email = string_node()
    display_name = string_node()
    permissions = strings_node(string_node(), maximum=1000)
    roles = strings_node(string_node(), maximum=1000)


class Profile(UserSummary):
    email_confirmed = boolean_node(
        description="Whether an administrator or an identity provider has confirmed the e-mail address: only then it "
        "serves for login and single sign-on."
    )
    preferences = node(JsonObject())
    auth_provider = string_node("local, oidc, or none for a service account.")
    is_active = boolean_node()
    created_at = timestamp_node()
    last_login = nullable_node(Timestamp())


class ProfileChangeFields(Fields):
    """What users may also change themselves."""

    display_name: str | UnsetType = UNSET
    email: str | UnsetType = UNSET
    preferences: dict[str, Any] | UnsetType = UNSET


class ProfileChange(Schema):
    struct = ProfileChangeFields

    display_name = display_name_node(**DROP)
    email = email_node(**DROP)
    preferences = node(JsonObject(), validator=small_json, **DROP)


class UserQuery(PageQuery):
    search = node(QueryString(), "Part of a name or e-mail address.", validator=colander.Length(1, 100), **DROP)
    is_active = node(QueryBoolean(), **DROP)
    role = node(QueryString(), "Name of a role that they hold.", validator=colander.Length(1, 64), **DROP)


class UserList(PageLinks):
    users = list_node(Profile())


class UserCreateFields(Fields):
    """A user to create."""

    username: str
    kind: str = PERSON
    email: str | UnsetType = UNSET
    password: str | UnsetType = UNSET
    display_name: str | UnsetType = UNSET
    is_active: bool = True
    roles: list[str] | UnsetType = UNSET


class UserCreate(Schema):
    struct = UserCreateFields

    username = username_node()
    kind = choice_node(
        (PERSON, SERVICE),
        "service is the account of a program: no e-mail address, no password, no login.",
        missing=PERSON,
    )
    email = email_node(**DROP)
    password = password_node(**DROP)
    display_name = display_name_node(**DROP)
    is_active = boolean_node(missing=True)
    roles = role_names_node(**DROP)


class NewUser(Profile):
    setup_link = string_node(
        "Where no password was given: the address at which the user sets one, good once and for an hour.", **DROP
    )


class UserChangeFields(ProfileChangeFields):
    """What administrators change of a user."""

    is_active: bool | UnsetType = UNSET
    password: str | UnsetType = UNSET
    roles: list[str] | UnsetType = UNSET


class UserChange(ProfileChange):
    struct = UserChangeFields

    is_active = boolean_node(**DROP)
    password = password_node(**DROP)
    roles = role_names_node(description="The names of exactly the roles that the user shall hold.", **DROP)
