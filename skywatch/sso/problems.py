"""The error codes of single sign-on."""

from __future__ import annotations

from skywatch.core.problems import ProblemKind

DISABLED = ProblemKind("sso_disabled", 403, "Single sign-on is switched off")
REDIRECT_REFUSED = ProblemKind("sso_redirect_refused", 400, "The redirect address is not registered")
STATE_UNKNOWN = ProblemKind("sso_state_unknown", 401, "No such sign-on is under way")
OTHER_BROWSER = ProblemKind("sso_other_browser", 401, "The sign-on was begun in another browser")
DENIED = ProblemKind("sso_denied", 401, "The identity provider did not let the person in")
CODE_REFUSED = ProblemKind("sso_code_refused", 401, "The identity provider refused the code")
TOKEN_MALFORMED = ProblemKind("sso_token_malformed", 401, "The ID token cannot be read")
ALGORITHM_REFUSED = ProblemKind("sso_algorithm_refused", 401, "The ID token's algorithm is not accepted")
KEY_UNKNOWN = ProblemKind("sso_key_unknown", 401, "The ID token is signed with an unknown key")
SIGNATURE_WRONG = ProblemKind("sso_signature_wrong", 401, "The ID token's signature is wrong")
ISSUER_WRONG = ProblemKind("sso_issuer_wrong", 401, "The answer is of another issuer")
AUDIENCE_WRONG = ProblemKind("sso_audience_wrong", 401, "The ID token is for another audience")
PARTY_WRONG = ProblemKind("sso_party_wrong", 401, "The ID token was issued to another client")
NONCE_MISSING = ProblemKind("sso_nonce_missing", 401, "The ID token has no nonce")
NONCE_WRONG = ProblemKind("sso_nonce_wrong", 401, "The ID token answers another sign-on")
TOKEN_EXPIRED = ProblemKind("sso_token_expired", 401, "The ID token has expired")
CLAIM_WRONG = ProblemKind("sso_claim_wrong", 401, "A claim of the ID token is missing or wrong")
ACCESS_TOKEN_WRONG = ProblemKind("sso_access_token_wrong", 401, "The access token is not the ID token's")
SUBJECT_WRONG = ProblemKind("sso_subject_wrong", 401, "The user information is another person's")
PROVIDER_UNREACHABLE = ProblemKind("sso_provider_unreachable", 502, "The identity provider cannot be reached")
PROVIDER_SLOW = ProblemKind("sso_provider_slow", 502, "The identity provider does not answer in time")
PROVIDER_ANSWER = ProblemKind("sso_provider_answer", 502, "The identity provider's answer cannot be used")
LOGOUT_TOKEN_REFUSED = ProblemKind("sso_logout_token_refused", 400, "The logout token is not valid")

PROBLEMS = (
    DISABLED,
    REDIRECT_REFUSED,
    STATE_UNKNOWN,
    OTHER_BROWSER,
    DENIED,
    CODE_REFUSED,
    TOKEN_MALFORMED,
    ALGORITHM_REFUSED,
    KEY_UNKNOWN,
    SIGNATURE_WRONG,
    ISSUER_WRONG,
    AUDIENCE_WRONG,
    PARTY_WRONG,
    NONCE_MISSING,
    NONCE_WRONG,
    TOKEN_EXPIRED,
    CLAIM_WRONG,
    ACCESS_TOKEN_WRONG,
    SUBJECT_WRONG,
    PROVIDER_UNREACHABLE,
    PROVIDER_SLOW,
    PROVIDER_ANSWER,
    LOGOUT_TOKEN_REFUSED,
)
