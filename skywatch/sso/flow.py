"""A sign-on from the first address to the tokens: authorization code with PKCE (RFC 7636), state and nonce.

No database transaction is open while the provider is asked. Whatever is refused is written into the audit log with
its code.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from skywatch.accounts.models import User
from skywatch.accounts.services.logins import TokenPair
from skywatch.accounts.tokens import TokenCodec
from skywatch.core import audit
from skywatch.core.db import writing
from skywatch.core.problems import Problem, not_found
from skywatch.core.runtime import Runtime
from skywatch.settings.providers import Provider, read_providers
from skywatch.settings.redirects import may_redirect
from skywatch.sso import pending, people
from skywatch.sso.discovery import Discovery, Metadata
from skywatch.sso.fetch import Fetcher, Refused
from skywatch.sso.idtoken import check_id_token
from skywatch.sso.models import PendingLogin

log = logging.getLogger(__name__)
# What a provider says when a person, not the software, is the reason.
DENIALS = frozenset({"access_denied", "login_required", "consent_required", "interaction_required"})
# What it says when the settings on either side are the reason (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0,
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
MAXIMUM_CODE = 4096


@dataclass(frozen=True)
class Party:
    """A provider and what is known of it."""

    provider: Provider
    fetcher: Fetcher
    discovery: Discovery


@dataclass(frozen=True)
class Answer:
    """What came back from the provider to the redirect address."""

    code: str | None
    state: str | None
    issuer: str | None
    error: str | None
    error_description: str | None


class SignOn:
    """Single sign-on with all providers of the settings. Safe to use from any thread; starting it asks nobody."""

    def __init__(self, runtime: Runtime, codec: TokenCodec) -> None:
        self._runtime = runtime
        self._codec = codec
        self.parties: dict[str, Party] = {}
        for provider in read_providers(runtime.settings):
            fetcher = Fetcher(runtime.settings)
            self.parties[provider.name] = Party(provider, fetcher, Discovery(provider, fetcher))

    def check_enabled(self) -> None:
        """Raise Problem (403) where there is no provider."""
        if not self.parties:
            raise Problem("sso_disabled")

    def party(self, name: str | None) -> Party:
        """A provider by its name, the first one without; raises Problem (403, 404)."""
        self.check_enabled()
        if name is None:
            return next(iter(self.parties.values()))
        if name not in self.parties:
            raise not_found("identity provider")
        return self.parties[name]

    def authorize(
        self, name: str | None, redirect_uri: str | None, own_uri: str, opener_origin: str, browser: str | None
    ) -> tuple[str, pending.Begun]:
        """The address to send a person to, and the sign-on that it begins; raises Problem (400, 403, 404, 502)."""
        party = self.party(name)
        target = own_uri if redirect_uri is None else redirect_uri
        if target != own_uri and not may_redirect(target, self._runtime.settings.oidc_redirect_uris):
            raise Problem("sso_redirect_refused", "Register it in oidc_redirect_uris, or use a loopback address.")
        metadata = party.discovery.metadata()
        with writing(self._runtime.sessions) as session:
            begun = pending.begin(
                session,
                provider=party.provider.name,
                redirect_uri=target,
                opener_origin=opener_origin,
                browser=browser,
            )
        url: str = prepare_grant_uri(
            metadata.authorization_endpoint,
            client_id=party.provider.client_id,
            response_type="code",
            redirect_uri=target,
            scope=party.provider.scopes,
            state=begun.state,
            nonce=begun.nonce,
            code_challenge=create_s256_code_challenge(begun.verifier),
            code_challenge_method="S256",
        )
        return url, begun

    def take(self, answer: Answer, browser: str | None, actor: audit.Actor) -> PendingLogin:
        """The sign-on that an answer is to, once; raises Problem (401, 403), written down with its code."""
        self.check_enabled()
        needs_browser = self._runtime.settings.jwt_auth_cookie
        with self._noting_failure(actor), writing(self._runtime.sessions) as session:
            return pending.take(session, state=answer.state, browser=browser, needs_browser=needs_browser)

    def finish(self, begun: PendingLogin, answer: Answer, actor: audit.Actor) -> tuple[User, TokenPair]:
        """The user and tokens that an answer yields; raises Problem (401, 404, 502), written down with its code."""
        with self._noting_failure(actor) as note:
            return self._finish(begun, answer, actor, note)

    @contextmanager
    def _noting_failure(self, actor: audit.Actor) -> Iterator[dict[str, Any]]:
        """Write down why a sign-on fails, and what was known of it by then."""
        note: dict[str, Any] = {}
        try:
            yield note
        except Problem as problem:
            after = {"method": "oidc", "reason": problem.kind.code, **note}
            audit.record_apart(self._runtime.sessions, actor, "login.failed", audit.Target("user"), after=after)
            raise

    def _finish(
        self, begun: PendingLogin, answer: Answer, actor: audit.Actor, note: dict[str, Any]
    ) -> tuple[User, TokenPair]:
        party = self.party(begun.provider)
        note["provider"] = party.provider.name
        if answer.error is not None:
            note["error"] = answer.error[:64]
            log.warning(
                "provider %s let nobody in: %.64r, %.500r", party.provider.name, answer.error, answer.error_description
            )
        metadata = party.discovery.metadata()
        _check_answer(answer, metadata)
        tokens = self._redeem(party, metadata, begun, answer.code or "")
        id_token, access_token = _texts_of(tokens)
        claims = check_id_token(id_token, party.provider, party.discovery, begun.nonce, access_token)
        note |= {"issuer": claims["iss"], "subject": claims["sub"]}
        everything = {**_userinfo(party, metadata, access_token, claims["sub"]), **claims}
        with writing(self._runtime.sessions) as session:
            return people.sign_in(session, self._runtime.bus, self._codec, party.provider, everything, id_token, actor)

    def _redeem(self, party: Party, metadata: Metadata, begun: PendingLogin, code: str) -> dict[str, Any]:
        """Exchange the code for tokens; raises Problem."""
        body = prepare_token_request(
            "authorization_code", code=code, redirect_uri=begun.redirect_uri, code_verifier=begun.verifier
        )
        _, headers, body = _client_auth(party.provider, metadata).prepare("POST", metadata.token_endpoint, {}, body)
        try:
            return party.fetcher.post(metadata.token_endpoint, body, headers)
        except Refused as refusal:
            if refusal.error == "invalid_grant":
                raise Problem("sso_code_refused") from None
            raise Problem("sso_provider_answer", f"The provider refused the request for tokens: {refusal}.") from None


def _check_answer(answer: Answer, metadata: Metadata) -> None:
    if answer.issuer is not None and answer.issuer != metadata.issuer:
        raise Problem("sso_issuer_wrong")
    if answer.issuer is None and metadata.names_itself:
        # RFC 9207: a provider that says it names itself always does; else another one's answer could pass as its own.
        raise Problem("sso_issuer_wrong", "The provider has not named itself in its answer.")
    if answer.error in DENIALS:
        raise Problem("sso_denied", f"The provider says: {answer.error}.")
    if answer.error is not None:
        named = f"the error {answer.error}" if answer.error in FAULTS else "an error"
        raise Problem("sso_provider_answer", f"The provider answered with {named}; the log says more.")
    if not answer.code or len(answer.code) > MAXIMUM_CODE:
        raise Problem("sso_code_refused", "The answer has no code that can be used.")


def _client_auth(provider: Provider, metadata: Metadata) -> ClientAuth:
    if not provider.client_secret:
        return ClientAuth(provider.client_id, None, "none")
    offered = metadata.client_authentication
    if "client_secret_basic" not in offered and "client_secret_post" in offered:
        return ClientAuth(provider.client_id, provider.client_secret, "client_secret_post")
    # RFC 6749, section 2.3.1: both are form-encoded before they are joined.
    client_id, secret = quote(provider.client_id, safe=""), quote(provider.client_secret, safe="")
    return ClientAuth(client_id, secret, "client_secret_basic")


def _texts_of(tokens: Mapping[str, Any]) -> tuple[str, str | None]:
    id_token, access_token = tokens.get("id_token"), tokens.get("access_token")
    if not isinstance(id_token, str):
        raise Problem("sso_provider_answer", "The provider gave no ID token.")
    if access_token is not None and not (isinstance(access_token, str) and access_token.isascii()):
        raise Problem("sso_provider_answer", "The provider's access token cannot be used.")
    return id_token, access_token


def _userinfo(party: Party, metadata: Metadata, access_token: str | None, subject: str) -> dict[str, Any]:
    if metadata.userinfo_endpoint is None or access_token is None:
        return {}
    found = party.fetcher.get(metadata.userinfo_endpoint, {"Authorization": f"Bearer {access_token}"})
    if found.get("sub") != subject:
        raise Problem("sso_subject_wrong")
    return found
