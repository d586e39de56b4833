"""Checks of ID tokens (OpenID Connect Core 1.0, section 3.1.3.7) and logout tokens (Back-Channel Logout 1.0, 2.6).

Every refusal has a code of its own. The token's algorithm and key are only used to choose among
what we would have taken anyway.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from authlib.oidc.core import CodeIDToken
from joserfc import jws
from joserfc.errors import BadSignatureError, ExpiredTokenError, InvalidClaimError, JoseError, MissingClaimError

from skywatch.core.clock import unix_now
from skywatch.core.problems import Problem
from skywatch.sentences import sentence
from skywatch.sso import problems
from skywatch.sso.provider.discovery import Discovery
from skywatch.sso.providers import Provider

MAX_LENGTH = 64_000
# Clocks of two machines differ by this much at most (s).
LEEWAY_S = 60
OLDEST_LOGOUT_S = 600
LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"
WRONG = {
    "iss": problems.ISSUER_WRONG,
    "aud": problems.AUDIENCE_WRONG,
    "azp": problems.PARTY_WRONG,
    "nonce": problems.NONCE_WRONG,
}
MISSING = {**WRONG, "nonce": problems.NONCE_MISSING}
CODES_AT_HASH = problems.ACCESS_TOKEN_WRONG


@dataclass(frozen=True)
class Signed:
    """The header and claims of a token whose signature has been checked."""

    header: dict[str, Any]
    claims: dict[str, Any]


def check_id_token(
    token: str, provider: Provider, discovery: Discovery, nonce: str, access_token: str | None
) -> dict[str, Any]:
    """The claims of a good ID token; raises Problem (401) with the code of the first check it fails."""
    signed = _check_signature(token, discovery)
    params = {"nonce": nonce, "client_id": provider.client_id, "access_token": access_token}
    _check_audience_and_time(signed, provider, discovery, essential=("iss", "sub", "aud", "exp", "iat"), params=params)
    subject = signed.claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= 255 or not subject.isprintable():
        raise Problem(
            problems.CLAIM_WRONG, sentence("sso.claim_sub", "The claim sub is not a text of at most 255 characters.")
        )
    return signed.claims


def check_logout_token(token: str, provider: Provider, discovery: Discovery) -> dict[str, Any]:
    """The claims of a good logout token; raises Problem."""
    signed = _check_signature(token, discovery)
    claims = signed.claims
    if "nonce" in claims:
        raise Problem(
            problems.LOGOUT_TOKEN_REFUSED, sentence("sso.logout_has_nonce", "It has a nonce, so it is an ID token.")
        )
    # Providers that follow a draft of the standard send no expiry; the age of the token is limited below in any case.
    _check_audience_and_time(signed, provider, discovery, essential=("iss", "aud", "iat", "jti"), params={})
    if claims["iat"] < unix_now() - OLDEST_LOGOUT_S:
        raise Problem(problems.LOGOUT_TOKEN_REFUSED, sentence("sso.logout_too_old", "It was issued too long ago."))
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT_EVENT), dict):
        raise Problem(
            problems.LOGOUT_TOKEN_REFUSED, sentence("sso.logout_no_event", "It does not say that it is about a logout.")
        )
    named = [claims.get("sub"), claims.get("sid")]
    if named == [None, None] or any(name is not None and not isinstance(name, str) for name in named):
        raise Problem(
            problems.LOGOUT_TOKEN_REFUSED, sentence("sso.logout_nobody", "It names neither a subject nor a session.")
        )
    if not isinstance(claims["jti"], str):
        raise Problem(problems.LOGOUT_TOKEN_REFUSED, sentence("sso.logout_jti", "Its jti is not a text."))
    return claims


def unverified_issuer(token: str) -> str | None:
    """Whom a token claims to be from, to choose the provider that it is then checked against."""
    try:
        claims = json.loads(_extract(token).payload)
    except (ValueError, RecursionError):
        return None
    issuer = claims.get("iss") if isinstance(claims, dict) else None
    return issuer if isinstance(issuer, str) else None


def _check_signature(token: str, discovery: Discovery) -> Signed:
    """The token's parts, where a key of the provider has signed them with an algorithm that we take."""
    token_parts = _extract(token)
    header = token_parts.headers()
    algorithm, key_id = header.get("alg"), header.get("kid")
    allowed = discovery.metadata().algorithms
    if not isinstance(algorithm, str) or algorithm not in allowed:
        raise Problem(
            problems.ALGORITHM_REFUSED,
            sentence("sso.algorithms", "Accepted are {names}.", names=", ".join(allowed) or "none that it offers"),
        )
    if key_id is not None and not isinstance(key_id, str):
        raise Problem(problems.TOKEN_MALFORMED)
    keys = discovery.keys(key_id)
    if not keys:
        raise Problem(problems.KEY_UNKNOWN)
    if not any(_is_signed(token_parts, key, algorithm) for key in keys):
        raise Problem(problems.SIGNATURE_WRONG)
    try:
        claims = json.loads(token_parts.payload)
    except (ValueError, RecursionError):
        raise Problem(problems.TOKEN_MALFORMED) from None
    if not isinstance(claims, dict):
        raise Problem(problems.TOKEN_MALFORMED)
    return Signed(header, claims)


def _extract(token: str) -> jws.CompactSignature:
    if len(token) > MAX_LENGTH or not token.isascii() or token.count(".") != 2:
        raise Problem(problems.TOKEN_MALFORMED)
    try:
        return jws.extract_compact(token.encode("ascii"))
    except (JoseError, ValueError, TypeError, RecursionError):
        raise Problem(problems.TOKEN_MALFORMED) from None


def _is_signed(token_parts: jws.CompactSignature, key: Any, algorithm: str) -> bool:
    try:
        return jws.validate_compact(token_parts, key, algorithms=[algorithm])
    except (BadSignatureError, JoseError, ValueError, TypeError):
        return False


def _check_audience_and_time(
    signed: Signed, provider: Provider, discovery: Discovery, *, essential: tuple[str, ...], params: dict[str, Any]
) -> None:
    """Authlib's checks, with our codes for what they raise."""
    options: dict[str, Any] = {name: {"essential": True} for name in essential}
    options["iss"]["value"] = discovery.metadata().issuer
    options["aud"]["value"] = provider.client_id
    claims = CodeIDToken(signed.claims, signed.header, options, params)
    # Logout tokens need not name a subject, which Authlib would have of every ID token.
    claims.ESSENTIAL_CLAIMS = list(essential)
    try:
        claims.validate(now=int(unix_now()), leeway=LEEWAY_S)
    except ExpiredTokenError:
        raise Problem(problems.TOKEN_EXPIRED) from None
    except MissingClaimError as error:
        raise Problem(
            MISSING.get(error.claim, problems.CLAIM_WRONG),
            sentence("sso.claim_missing", "The claim {name} is missing.", name=error.claim),
        ) from None
    except InvalidClaimError as error:
        code = CODES_AT_HASH if error.claim == "at_hash" else WRONG.get(error.claim, problems.CLAIM_WRONG)
        raise Problem(
            code, sentence("sso.claim_wrong", "The claim {name} is not as it should be.", name=error.claim)
        ) from None
    except (JoseError, ValueError, TypeError):
        raise Problem(problems.CLAIM_WRONG) from None
    for name in {"exp", "iat"} & set(signed.claims):
        if isinstance(signed.claims[name], bool) or not isinstance(signed.claims[name], int | float):
            raise Problem(
                problems.CLAIM_WRONG, sentence("sso.claim_not_a_number", "The claim {name} is not a number.", name=name)
            )
