"""What a provider sends back with the browser, and whether it is a code that can be exchanged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skywatch.core.problems import Problem
from skywatch.sentences import sentence
from skywatch.sso import problems

if TYPE_CHECKING:
    from skywatch.sso.provider.discovery import Metadata

# Errors of a provider whose reason is a person, not the software.
DENIALS = frozenset({"access_denied", "login_required", "consent_required", "interaction_required"})
# Errors whose reason are the settings on either side (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0,
# section 3.1.2.6). Only these are shown: anybody can send a browser here with an error of their own making.
FAULTS = frozenset(
    {
        "invalid_request",
        "unauthorized_client",
        "unsupported_response_type",
        "invalid_scope",
        "server_error",
        "temporarily_unavailable",
        "account_selection_required",
        "registration_not_supported",
    }
)
MAX_CODE = 4096


@dataclass(frozen=True)
class Answer:
    """The parameters of the redirect address; ``issuer`` is who answers (RFC 9207)."""

    code: str | None
    state: str | None
    issuer: str | None
    error: str | None
    error_description: str | None

    @classmethod
    def of(cls, query: dict[str, Any], error_description: str | None) -> Answer:
        """From the values of a CallbackQuery.

        The description is as long as the provider likes and of several lines: it goes nowhere but into the log, and
        there cut short.
        """
        return cls(query.get("code"), query.get("state"), query.get("iss"), query.get("error"), error_description)


def code_of(answer: Answer, metadata: Metadata) -> str:
    """The code in an answer of the provider's; raises Problem (401, 502)."""
    if answer.issuer is not None and answer.issuer != metadata.issuer:
        raise Problem(problems.ISSUER_WRONG)
    if answer.issuer is None and metadata.names_itself:
        # RFC 9207: a provider that announces its issuer in answers must send it; else that of another could pass.
        raise Problem(
            problems.ISSUER_WRONG, sentence("sso.issuer_missing", "The provider has not named itself in its answer.")
        )
    if answer.error in DENIALS:
        raise Problem(problems.DENIED, sentence("sso.provider_says", "The provider says: {error}.", error=answer.error))
    if answer.error is not None:
        named = f"the error {answer.error}" if answer.error in FAULTS else "an error"
        raise Problem(
            problems.PROVIDER_ANSWER,
            sentence("sso.answered_with", "The provider answered with {error}; the log says more.", error=named),
        )
    if not answer.code or len(answer.code) > MAX_CODE:
        raise Problem(problems.CODE_REFUSED, sentence("sso.no_code", "The answer has no code that can be used."))
    return answer.code
