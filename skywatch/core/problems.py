"""The errors a client may see, each with a stable code (RFC 9457 problem details).

Services raise these; ``skywatch.http.errors`` turns them into ``application/problem+json``. The real-time
channel uses the same codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ProblemKind:
    """One row of the error table: stable code, HTTP status, title."""

    code: str
    status: int
    title: str


KINDS: dict[str, ProblemKind] = {
    kind.code: kind
    for kind in (
        ProblemKind("authentication_required", 401, "Authentication is required"),
        ProblemKind("invalid_credentials", 401, "Wrong username or password"),
        ProblemKind("token_invalid", 401, "The credential is not valid"),
        ProblemKind("token_expired", 401, "The token has expired"),
        ProblemKind("token_revoked", 401, "The login has ended"),
        ProblemKind("account_disabled", 401, "The account is deactivated"),
        ProblemKind("local_auth_disabled", 403, "Login with a password is switched off"),
        ProblemKind("sso_disabled", 403, "Single sign-on is switched off"),
        ProblemKind("sso_redirect_refused", 400, "The redirect address is not registered"),
        ProblemKind("sso_state_unknown", 401, "No such sign-on is under way"),
        ProblemKind("sso_other_browser", 401, "The sign-on was begun in another browser"),
        ProblemKind("sso_denied", 401, "The identity provider did not let the person in"),
        ProblemKind("sso_code_refused", 401, "The identity provider refused the code"),
        ProblemKind("sso_token_malformed", 401, "The ID token cannot be read"),
        ProblemKind("sso_algorithm_refused", 401, "The ID token's algorithm is not accepted"),
        ProblemKind("sso_key_unknown", 401, "The ID token is signed with an unknown key"),
        ProblemKind("sso_signature_wrong", 401, "The ID token's signature is wrong"),
        ProblemKind("sso_issuer_wrong", 401, "The answer is of another issuer"),
        ProblemKind("sso_audience_wrong", 401, "The ID token is for another audience"),
        ProblemKind("sso_party_wrong", 401, "The ID token was issued to another client"),
        ProblemKind("sso_nonce_missing", 401, "The ID token has no nonce"),
        ProblemKind("sso_nonce_wrong", 401, "The ID token answers another sign-on"),
        ProblemKind("sso_token_expired", 401, "The ID token has expired"),
        ProblemKind("sso_claim_wrong", 401, "A claim of the ID token is missing or wrong"),
        ProblemKind("sso_access_token_wrong", 401, "The access token is not the ID token's"),
        ProblemKind("sso_subject_wrong", 401, "The user information is of somebody else"),
        ProblemKind("sso_email_unverified", 401, "The e-mail address is an account's and not verified"),
        ProblemKind("sso_provider_unreachable", 502, "The identity provider cannot be reached"),
        ProblemKind("sso_provider_slow", 502, "The identity provider does not answer in time"),
        ProblemKind("sso_provider_answer", 502, "The identity provider's answer cannot be used"),
        ProblemKind("sso_logout_token_refused", 400, "The logout token is not valid"),
        ProblemKind("permission_denied", 403, "Permission denied"),
        ProblemKind("feature_disabled", 403, "The feature is switched off"),
        ProblemKind("scope_denied", 403, "The API key does not reach this area"),
        ProblemKind("csrf_failed", 403, "The request's origin is not allowed"),
        ProblemKind("not_found", 404, "Not found"),
        ProblemKind("method_not_allowed", 405, "Method not allowed"),
        ProblemKind("conflict", 409, "Conflict"),
        ProblemKind("validation_failed", 400, "The request is not valid"),
        ProblemKind("malformed_body", 400, "The body cannot be read"),
        ProblemKind("payload_too_large", 413, "The body is too large"),
        ProblemKind("unsupported_media_type", 415, "Unsupported media type"),
        ProblemKind("rate_limited", 429, "Too many requests"),
        ProblemKind("unavailable", 503, "Temporarily unavailable"),
        ProblemKind("internal_error", 500, "Internal error"),
    )
}


class Problem(Exception):
    """An error with a stable code; ``detail`` is for people and never holds internals or secrets.

    ``errors`` lists the faults of a validation: ``{"location", "name", "detail"}`` each. ``headers`` are added
    to the response (``Retry-After``, ``Allow``, ``WWW-Authenticate``).
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        errors: list[dict[str, str]] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.kind = KINDS[code]
        self.detail = detail or f"{self.kind.title}."
        self.errors = errors
        self.headers = headers or {}
        super().__init__(f"{code}: {self.detail}")

    def as_dict(self, request_id: str | None = None) -> dict[str, Any]:
        """The members of the problem document."""
        body: dict[str, Any] = {
            "type": f"urn:skywatch:problem:{self.kind.code}",
            "title": self.kind.title,
            "status": self.kind.status,
            "detail": self.detail,
            "code": self.kind.code,
        }
        if request_id is not None:
            body["request_id"] = request_id
        if self.errors is not None:
            body["errors"] = self.errors
        return body


def not_found(what: str) -> Problem:
    """404 for a thing that is not there, or is not the caller's."""
    return Problem("not_found", f"There is no such {what}.")


def invalid(name: str, detail: str, location: str = "body") -> Problem:
    """400 for one field that a rule refuses after the schema let it pass."""
    return invalid_fields({name: detail}, location)


def invalid_fields(faults: Mapping[str, str], location: str = "body") -> Problem:
    """400 for fields that rules refuse after the schema let them pass: name and fault of each."""
    count = len(faults)
    return Problem(
        "validation_failed",
        f"The request has {count} fault{'s' if count != 1 else ''}.",
        errors=[{"location": location, "name": name, "detail": detail} for name, detail in faults.items()],
    )
