"""Login, tokens, the own account, and what a client needs to know before it logs in."""

from __future__ import annotations

from typing import Any

import colander

from skywatch.accounts.schemas.parts import (
    DROP,
    LEVELS,
    MAXIMUM_TOKEN,
    boolean_node,
    display_name_node,
    email_node,
    number_node,
    optional_timestamp_node,
    password_node,
    small_json,
    strings_node,
    text,
    timestamp_node,
)
from skywatch.http.paging import PageLinks
from skywatch.http.schema import (
    JsonList,
    JsonObject,
    JsonString,
    Schema,
)
from skywatch.security.permissions import FEATURES


class Credentials(Schema):
    username = text(254, 1, description="The username or the e-mail address.")
    password = text(1024, 1)


class RefreshBody(Schema):
    refresh = text(MAXIMUM_TOKEN, 1, description="The refresh token; left out where it travels as a cookie.", **DROP)


class Tokens(Schema):
    access = colander.SchemaNode(JsonString())
    refresh = colander.SchemaNode(JsonString())


class UserSummary(Schema):
    id = number_node()
    username = colander.SchemaNode(JsonString())
    email = colander.SchemaNode(JsonString())
    display_name = colander.SchemaNode(JsonString())
    permissions = strings_node(colander.SchemaNode(JsonString()), maximum=1000)
    roles = strings_node(colander.SchemaNode(JsonString()), maximum=1000)


class LoginAnswer(Tokens):
    user = UserSummary()


class Profile(UserSummary):
    preferences = colander.SchemaNode(JsonObject())
    auth_provider = colander.SchemaNode(JsonString(), description="local or oidc.")
    is_active = boolean_node()
    created_at = timestamp_node()
    last_login = optional_timestamp_node()


class ProfileChange(Schema):
    display_name = display_name_node(**DROP)
    email = email_node(**DROP)
    preferences = colander.SchemaNode(JsonObject(), validator=small_json, **DROP)


class PasswordChange(Schema):
    current_password = text(1024, 1)
    new_password = password_node()


class Detail(Schema):
    detail = colander.SchemaNode(JsonString())


class LogoutAnswer(Detail):
    logout_url = colander.SchemaNode(
        JsonString(), description="Where the identity provider's session can be ended.", **DROP
    )


class PermissionEntry(Schema):
    name = colander.SchemaNode(JsonString())
    feature = colander.SchemaNode(JsonString())
    action = colander.SchemaNode(JsonString())
    description = colander.SchemaNode(JsonString())


class PermissionList(PageLinks):
    permissions = colander.SchemaNode(JsonList(), PermissionEntry())


class OwnPermissions(Schema):
    permissions = strings_node(colander.SchemaNode(JsonString()), maximum=1000)
    roles = strings_node(colander.SchemaNode(JsonString()), maximum=1000)


class AccessSummary(Schema):
    read_access = colander.SchemaNode(JsonString(), validator=colander.OneOf(LEVELS))
    write_access = colander.SchemaNode(JsonString(), validator=colander.OneOf(LEVELS))
    is_enabled = boolean_node()


class FeatureSummaries(Schema):
    """The access setting of every feature, by its name."""

    def __init__(self, *args: Any, **kw: Any) -> None:
        super().__init__(*args, **kw)
        for feature in FEATURES:
            self.add(AccessSummary(name=feature))


class RealtimeSummary(Schema):
    url = colander.SchemaNode(
        JsonString(), description="Address of the real-time channel without its path; empty where it is not known."
    )
    path = colander.SchemaNode(JsonString())
    protocols = strings_node(colander.SchemaNode(JsonString()))


class AuthConfig(Schema):
    auth_mode = colander.SchemaNode(JsonString(), validator=colander.OneOf(("public", "private", "hybrid")))
    auth_enabled = boolean_node(description="Whether anything at all asks for authentication.")
    local_auth_enabled = boolean_node()
    api_key_enabled = boolean_node()
    oidc_enabled = boolean_node()
    oidc_provider_name = colander.SchemaNode(JsonString())
    features = FeatureSummaries()
    realtime = RealtimeSummary()
    version = colander.SchemaNode(JsonString())
