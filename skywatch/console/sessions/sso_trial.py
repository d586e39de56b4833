"""The trial of single sign-on: what an identity provider answers, and what a login would give, without beginning one.

A login is tried on the way that people take, with the same addresses; only at its end no session begins. What came of
it stands in the audit log, without the claims that say who somebody is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from skywatch.console.routes import HOME
from skywatch.console.sessions.session import Sessions
from skywatch.core.database.engine import writing
from skywatch.core.problems import Problem
from skywatch.core.storage import audit
from skywatch.http.requests.request import Request
from skywatch.security.permissions import Permission
from skywatch.sentences import sentence
from skywatch.sso import mappings
from skywatch.sso.claims import try_rules
from skywatch.sso.models import PendingLogin
from skywatch.sso.settings import SsoSettings
from skywatch.sso.sign_on.answer import Answer
from skywatch.sso.sign_on.flow import SignOn

if TYPE_CHECKING:
    from skywatch.sso.provider.discovery import Metadata

PAGE = f"{HOME}/sign-on"
# Where a sign-on goes on to that is a trial.
TRIAL = f"{PAGE}?trial=login"
ACTION = "sign_on.tried"
# Claims of the protocol, and those that say who somebody is (OpenID Connect Core, 5.1): no rule needs them.
LEFT_OUT = frozenset(
    {"iss", "aud", "azp", "exp", "iat", "nbf", "nonce", "jti", "sid", "at_hash", "c_hash", "auth_time", "acr", "amr"}
    | {"name", "given_name", "family_name", "middle_name", "nickname", "profile", "picture", "website", "email"}
    | {"phone_number", "phone_number_verified", "address", "birthdate", "gender", "zoneinfo", "locale", "updated_at"}
)
MAX_CLAIM = 300


@dataclass(frozen=True)
class Found:
    """What a provider says of itself, asked just now."""

    metadata: Metadata
    keys: int


def discover(request: Request, name: str) -> Found:
    """Ask a provider for its metadata and keys, past every cache; raises Problem (404, 502, 503)."""
    from skywatch.sso.provider.party import Party

    provider = request.runtime.shared(SignOn).party(name).provider
    party = Party(provider, request.runtime.settings.of(SsoSettings), slots=1)
    return Found(party.discovery.metadata(), party.discovery.count_keys())


def finish_trial(request: Request, begun: PendingLogin, answer: Answer) -> str:
    """Take the answer to a trial; gives the page that shows what came of it. Raises Problem (401, 403, 502)."""
    identity = request.runtime.shared(Sessions).identify(request)
    if identity is None or Permission.ROLES_EDIT not in identity.permissions:
        raise Problem(
            "permission_denied", sentence("console.trial_needs_roles", "Only who edits roles may try a login.")
        )
    actor = audit.Actor(identity.username, "console", identity.user_id, request.client_address, request.request_id)
    party, claims = request.runtime.shared(SignOn).claims_of(begun, answer, actor)
    with writing(request.runtime.sessions) as session:
        trial = try_rules(mappings.active_rules(session), claims, party.provider.name, party.provider.default_role)
        after = {
            "provider": party.provider.name,
            "subject": claims["sub"],
            "claims": _shown(claims),
            "roles": trial.roles,
            "rules": [tried.rule.name for tried in trial.rules if tried.is_match],
        }
        audit.record(session, actor, ACTION, audit.Target("provider", party.provider.name), after=after)
    return f"{PAGE}?trial=done"


def _shown(claims: Mapping[str, Any]) -> dict[str, str]:
    """Claims that a rule may be made of, each as short text."""
    return {
        name[:100]: (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))[:MAX_CLAIM]
        for name, value in sorted(claims.items())
        if name not in LEFT_OUT
    }
