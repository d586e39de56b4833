"""What single sign-on is made of."""

from __future__ import annotations

from skywatch.core.feature import Feature
from skywatch.core.problems import ProblemKind
from skywatch.sso.settings import SsoSettings

PROBLEMS = (
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
    ProblemKind("sso_subject_wrong", 401, "The user information is another person's"),
    ProblemKind("sso_provider_unreachable", 502, "The identity provider cannot be reached"),
    ProblemKind("sso_provider_slow", 502, "The identity provider does not answer in time"),
    ProblemKind("sso_provider_answer", 502, "The identity provider's answer cannot be used"),
    ProblemKind("sso_logout_token_refused", 400, "The logout token is not valid"),
)

FEATURE = Feature(
    name="sso",
    include="skywatch.sso",
    settings=SsoSettings,
    problems=PROBLEMS,
    commands={"oidc": "skywatch.sso.command:oidc"},
    tags={
        "oidc-mappings": "Which claims of an identity provider give which roles.",
    },
)
