"""The errors a client may see, each with a stable code (RFC 9457 problem details).

Those here are common to all features and raised by their code. A feature declares its own in its ``feature.py`` and
raises the kinds themselves. Services raise them;
``skywatch.http.errors`` turns them into ``application/problem+json``. The real-time channel uses the same codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from skywatch.sentences import Sentence, reworded, sentence, worded


@dataclass(frozen=True)
class ProblemKind:
    """One row of the error table: stable code, HTTP status, title."""

    code: str
    status: int
    title: str

    @property
    def name(self) -> str:
        """The code."""
        return self.code


KINDS: Mapping[str, ProblemKind] = {
    kind.code: kind
    for kind in (
        ProblemKind("authentication_required", 401, "Authentication is required"),
        ProblemKind("invalid_credentials", 401, "Wrong username or password"),
        ProblemKind("token_invalid", 401, "The credential is not valid"),
        ProblemKind("token_expired", 401, "The token has expired"),
        ProblemKind("token_revoked", 401, "The login has ended"),
        ProblemKind("account_disabled", 401, "The account is deactivated"),
        ProblemKind("local_auth_disabled", 403, "Login with a password is switched off"),
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
        ProblemKind("range_not_satisfiable", 416, "The range is not satisfiable"),
        ProblemKind("headers_too_large", 431, "The header fields are too large"),
        ProblemKind("unsupported_media_type", 415, "Unsupported media type"),
        ProblemKind("misdirected_request", 421, "The service does not answer to this host"),
        ProblemKind("rate_limited", 429, "Too many requests"),
        ProblemKind("unavailable", 503, "Temporarily unavailable"),
        ProblemKind("internal_error", 500, "Internal error"),
    )
}


class Problem(Exception):
    """An error with a stable code: that of one of ``KINDS``, or a kind that a feature declares.

    ``detail`` is for people and never contains internals or secrets.

    ``errors`` lists the faults of a validation (``field_fault``). ``headers`` are added
    to the response (``Retry-After``, ``Allow``, ``WWW-Authenticate``).
    """

    def __init__(
        self,
        kind: str | ProblemKind,
        detail: Sentence | None = None,
        *,
        errors: list[dict[str, Any]] | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.kind = KINDS[kind] if isinstance(kind, str) else kind
        self.sentence = detail or title_of(self.kind)
        self.detail = self.sentence.text
        self.errors = errors
        self.headers = headers or {}
        super().__init__(f"{self.kind.code}: {self.detail}")

    def as_dict(self, request_id: str | None = None) -> dict[str, Any]:
        """The members of the problem document."""
        body: dict[str, Any] = {
            "type": f"urn:skywatch:problem:{self.kind.code}",
            "title": self.kind.title,
            "status": self.kind.status,
            **worded("detail", self.sentence),
            "code": self.kind.code,
        }
        if request_id is not None:
            body["request_id"] = request_id
        if self.errors is not None:
            body["errors"] = self.errors
        return body


def title_of(kind: ProblemKind) -> Sentence:
    """Return the title of a kind as the sentence of a problem without one of its own."""
    return sentence(f"problem.{kind.code}", f"{kind.title}.")


def field_fault(location: str, name: str, detail: str) -> dict[str, Any]:
    """Return one of the ``errors`` of a problem."""
    return {"location": location, "name": name, **worded("detail", detail)}


def text_of_fault(error: Mapping[str, Any]) -> str:
    """Return the text of a ``field_fault``, as the sentence that it was made of."""
    return reworded(error["detail"], error.get("detail_code"), error.get("detail_params"))


def invalid_request(errors: list[dict[str, Any]]) -> Problem:
    """Return the problem (400) with all faults of a request."""
    detail = sentence("problem.faults", "The request has {n} fault.|The request has {n} faults.", n=len(errors))
    return Problem("validation_failed", detail, errors=errors)


def not_found(what: Sentence) -> Problem:
    """404 for a thing that is not there, or is not the caller's."""
    return Problem("not_found", sentence("problem.no_such", "There is no such {what}.", what=what))


def invalid(name: str, detail: str, location: str = "body") -> Problem:
    """400 for one field that a rule refuses after the schema let it pass."""
    return invalid_fields({name: detail}, location)


def invalid_fields(faults: Mapping[str, str], location: str = "body") -> Problem:
    """400 for fields that rules refuse after the schema let them pass: name and fault of each."""
    return invalid_request([field_fault(location, name, detail) for name, detail in faults.items()])
