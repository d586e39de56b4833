"""Credentials in headers: which headers, in which form, and how many.

Used by the REST API and the handshake of the real-time channel alike.
"""

from __future__ import annotations

import re

from skywatch.core.problems import Problem, field_fault
from skywatch.sentences import sentence

# Prefix of API keys; no access token begins with it.
KEY_PREFIX = "sk_"
# A header that is sent twice arrives as one, with a comma between: a scheme and a credential behind a comma.
_ANOTHER_CREDENTIAL = re.compile(r",\s*[A-Za-z][A-Za-z0-9-]*\s+[^\s=,]")
_SEPARATOR = re.compile(r"[ ,;\t]")


def credential_of_headers(authorization: str | None, api_key: str | None) -> str | None:
    """The access token or API key in ``Authorization`` (``Bearer`` or ``ApiKey``) or ``X-API-Key``, or None.

    Raises Problem: 400 where there are two credentials, 401 where one is malformed or a key is sent as a token.
    """
    if authorization is not None and api_key is not None:
        raise second_credential(
            "header",
            "X-API-Key",
            sentence("security.second_credential", "is a second credential in addition to Authorization"),
        )
    if api_key is not None:
        if "," in api_key:
            raise second_credential("header", "X-API-Key", sentence("field.twice", "is given more than once"))
        return _key(api_key.strip())
    if authorization is None:
        return None
    if _ANOTHER_CREDENTIAL.search(authorization):
        raise second_credential("header", "Authorization", sentence("field.twice", "is given more than once"))
    scheme, _, credential = authorization.strip().partition(" ")
    credential = credential.strip()
    if scheme.lower() == "bearer" and _is_one_word(credential):
        if credential.startswith(KEY_PREFIX):
            raise Problem(
                "token_invalid",
                sentence(
                    "security.send_key", "Send an API key as `Authorization: ApiKey <key>` or `X-API-Key: <key>`."
                ),
            )
        return credential
    if scheme.lower() == "apikey":
        return _key(credential)
    raise Problem(
        "token_invalid",
        sentence(
            "security.authorization_header", "The Authorization header must be `Bearer <token>` or `ApiKey <key>`."
        ),
    )


def second_credential(location: str, name: str, detail: str) -> Problem:
    """The problem (400) of a request with more than one credential."""
    errors = [field_fault(location, name, detail)]
    return Problem(
        "validation_failed",
        sentence("security.several_credentials", "The request has more than one credential."),
        errors=errors,
    )


def _key(text: str) -> str:
    if not _is_one_word(text):
        raise Problem("token_invalid", sentence("security.one_key", "The header must contain one API key."))
    if not text.startswith(KEY_PREFIX):
        raise Problem("token_invalid", sentence("accounts.key_unknown", "There is no such API key."))
    return text


def _is_one_word(text: str) -> bool:
    return bool(text) and text.isascii() and _SEPARATOR.search(text) is None
