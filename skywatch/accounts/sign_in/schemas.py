"""Logins and their tokens, and what a client needs to know before it logs in."""

from __future__ import annotations

import colander

from skywatch.accounts.access.schemas import FeatureSummaries
from skywatch.accounts.nodes import DROP, MAX_TOKEN, strings_node
from skywatch.accounts.users.schemas import UserSummary
from skywatch.http.resources.fields import UNSET, Fields, UnsetType
from skywatch.http.resources.schema import (
    JsonString,
    OpenSchema,
    Schema,
    boolean_node,
    choice_node,
    nullable_node,
    string_node,
    text_node,
)


class CredentialsFields(Fields):
    username: str
    password: str


class Credentials(OpenSchema):
    struct = CredentialsFields

    username = text_node(254, 1, description="The username or the e-mail address.")
    password = text_node(1024, 1)


class RefreshFields(Fields):
    refresh: str | UnsetType = UNSET


class RefreshBody(OpenSchema):
    struct = RefreshFields

    refresh = nullable_node(
        JsonString(),
        "The refresh token; left out, null or empty where it travels as a cookie.",
        preparer=lambda token: token or "",
        validator=colander.Length(0, MAX_TOKEN),
        **DROP,
    )


class HandoverFields(Fields):
    code: str


class HandoverBody(Schema):
    struct = HandoverFields

    code = text_node(64, 1, description="The code from the body of the console's page.")


class Tokens(Schema):
    access = string_node()
    refresh = string_node()


class LoginAnswer(Tokens):
    user = UserSummary()


class LoginDetail(Schema):
    detail = string_node()


class LogoutAnswer(LoginDetail):
    logout_url = string_node("Where the identity provider's session can be ended.", **DROP)


class RealtimeSummary(Schema):
    url = string_node("Address of the real-time channel without its path; empty where it is not known.")
    path = string_node()
    protocols = strings_node(string_node())


class Granted(Schema):
    """The permissions that mode and access settings grant without a role, now."""

    anonymous = strings_node(string_node(), description="To callers without credentials.")
    identity = strings_node(string_node(), description="To every identity, whatever its roles.")


class AuthConfig(Schema):
    auth_mode = choice_node(("public", "private", "hybrid"))
    auth_enabled = boolean_node(description="Whether anything at all asks for authentication.")
    local_auth_enabled = boolean_node()
    api_key_enabled = boolean_node()
    cookie_auth_enabled = boolean_node(
        description="Whether a login also sets its tokens as cookies (`jwt_auth_cookie`)."
    )
    oidc_enabled = boolean_node()
    oidc_provider_name = string_node()
    features = FeatureSummaries()
    granted = Granted()
    setup_required = boolean_node(description="Whether there is no user yet: `POST setup` creates the first one.")
    realtime = RealtimeSummary()
    version = string_node()
