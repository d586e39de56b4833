"""Logout in both directions: the provider ends our logins (back channel), and ours sends people to end theirs.

OpenID Connect Back-Channel Logout 1.0 and RP-Initiated Logout 1.0.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import sqlalchemy as sa

from skywatch.accounts.changes import begin_change
from skywatch.accounts.login_tokens import end_login
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.storage import audit
from skywatch.sentences import sentence
from skywatch.sso import problems
from skywatch.sso.models import ExternalLogin, UsedLogoutToken
from skywatch.sso.pending_sign_ons import digest
from skywatch.sso.settings import SsoSettings
from skywatch.sso.sign_on.flow import SignOn
from skywatch.sso.sign_on.people import logins_of

# SignOn imports what these need where there is a provider.
if TYPE_CHECKING:
    from skywatch.sso.provider.party import Party


def obey(runtime: Runtime, sign_on: SignOn, token: str, actor: audit.Actor) -> int:
    """End the logins that a provider's logout token names; gives how many. Raises Problem (400, 502)."""
    from skywatch.sso.provider.idtoken import LEEWAY_S, OLDEST_LOGOUT_S, check_logout_token

    try:
        party = _party_of(sign_on, token)
        claims = check_logout_token(token, party.provider, party.discovery)
    except Problem as problem:
        after = {"reason": problem.kind.code}
        audit.record_apart(runtime.sessions, actor, "logout.refused", audit.Target("login"), after=after)
        if problem.kind.status == 401:
            raise Problem(
                problems.LOGOUT_TOKEN_REFUSED,
                sentence("sso.logout_check", "The check that it fails: {code}.", code=problem.kind.code),
            ) from None
        raise
    # After that it is too old to be obeyed anyway.
    ends = utcnow() + timedelta(seconds=OLDEST_LOGOUT_S + 2 * LEEWAY_S)
    by_provider = audit.Actor(party.provider.name, "oidc", None, actor.address, actor.request_id)
    with writing(runtime.sessions) as session:
        begin_change(session)
        session.execute(sa.delete(UsedLogoutToken).where(UsedLogoutToken.expires_at <= utcnow()))
        name = digest(f"{claims['iss']} {claims['jti']}")
        if session.get(UsedLogoutToken, name) is not None:
            raise Problem(problems.LOGOUT_TOKEN_REFUSED, sentence("sso.logout_used", "It has been used."))
        session.add(UsedLogoutToken(token_hash=name, expires_at=ends))
        ended = 0
        for login_id in logins_of(session, claims["iss"], claims.get("sub"), claims.get("sid")):
            if end_login(session, login_id, "provider logout"):
                ended += 1
                audit.record(session, by_provider, "login.ended", audit.Target("login", login_id))
    return ended


def logout_url(runtime: Runtime, sign_on: SignOn, login_ids: Iterable[str]) -> str | None:
    """Where to send a browser so that the provider's session ends too; None where there is no such place.

    The provider is asked only by a process that does not know it yet, as after a restart; logout does not need it.
    """
    if not sign_on.parties:
        return None
    query = sa.select(ExternalLogin).where(ExternalLogin.login_id.in_(list(login_ids)))
    with runtime.sessions() as session:
        login = session.scalars(query.limit(1)).one_or_none()
    party = sign_on.parties.get(login.provider) if login is not None else None
    metadata = party.discovery.metadata_if_any() if party is not None else None
    if login is None or party is None or metadata is None or metadata.end_session_endpoint is None:
        return None
    parameters = {"client_id": party.provider.client_id}
    id_token = sign_on.sealer.open(login.id_token)
    if id_token is not None:  # Without it the provider asks the person whether to log out.
        parameters["id_token_hint"] = id_token
    if runtime.settings.of(SsoSettings).oidc_logout_redirect_uri:
        parameters["post_logout_redirect_uri"] = runtime.settings.of(SsoSettings).oidc_logout_redirect_uri
    joint = "&" if "?" in metadata.end_session_endpoint else "?"
    return metadata.end_session_endpoint + joint + urlencode(parameters)


def _party_of(sign_on: SignOn, token: str) -> Party:
    from skywatch.sso.provider.idtoken import unverified_issuer

    issuer = (unverified_issuer(token) or "").rstrip("/")
    for party in sign_on.parties.values():
        if party.provider.url == issuer:
            return party
    raise Problem(problems.ISSUER_WRONG, sentence("sso.logout_no_provider", "It is of no provider that is configured."))
