"""A provider as a sign-on uses it: where to send a person, the tokens for a code, and what it knows of the person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge

from skywatch.core.problems import Problem
from skywatch.settings import Settings
from skywatch.settings.providers import Provider
from skywatch.sso.discovery import Discovery, Metadata
from skywatch.sso.fetch import Fetcher, Refused
from skywatch.sso.models import PendingLogin
from skywatch.sso.pending import Begun


@dataclass(frozen=True)
class Tokens:
    """What a code was exchanged for; nothing of it has been checked."""

    id_token: str
    access_token: str | None


class Party:
    """A provider of the settings and what is known of it. Safe to use from any thread; making it asks nobody."""

    def __init__(self, provider: Provider, settings: Settings, places: int) -> None:
        """``places``: how many threads may wait for the provider at a time."""
        self.provider = provider
        self._fetcher = Fetcher(settings, places)
        self.discovery = Discovery(provider, self._fetcher)

    def authorization_url(self, begun: Begun, redirect_uri: str) -> str:
        """Where to send the person of a sign-on that has begun; raises Problem (401, 502)."""
        url: str = prepare_grant_uri(
            self.discovery.metadata().authorization_endpoint,
            client_id=self.provider.client_id,
            response_type="code",
            redirect_uri=redirect_uri,
            scope=self.provider.scopes,
            state=begun.state,
            nonce=begun.nonce,
            code_challenge=create_s256_code_challenge(begun.verifier),
            code_challenge_method="S256",
        )
        return url

    def redeem(self, begun: PendingLogin, code: str) -> Tokens:
        """Exchange a code for tokens; raises Problem (401, 502)."""
        metadata = self.discovery.metadata()
        body = prepare_token_request(
            "authorization_code", code=code, redirect_uri=begun.redirect_uri, code_verifier=begun.verifier
        )
        _, headers, body = _client_auth(self.provider, metadata).prepare("POST", metadata.token_endpoint, {}, body)
        try:
            return _tokens(self._fetcher.post(metadata.token_endpoint, body, headers))
        except Refused as refusal:
            if refusal.error == "invalid_grant":
                raise Problem("sso_code_refused") from None
            raise Problem("sso_provider_answer", f"The provider refused the request for tokens: {refusal}.") from None

    def userinfo(self, access_token: str | None, subject: str) -> dict[str, Any]:
        """What the provider says of a person beyond the ID token; raises Problem (401, 502)."""
        address = self.discovery.metadata().userinfo_endpoint
        if address is None or access_token is None:
            return {}
        found = self._fetcher.get(address, {"Authorization": f"Bearer {access_token}"})
        if found.get("sub") != subject:
            raise Problem("sso_subject_wrong")
        return found


def _client_auth(provider: Provider, metadata: Metadata) -> ClientAuth:
    if not provider.client_secret:
        return ClientAuth(provider.client_id, None, "none")
    offered = metadata.client_authentication
    if "client_secret_basic" not in offered and "client_secret_post" in offered:
        return ClientAuth(provider.client_id, provider.client_secret, "client_secret_post")
    # RFC 6749, section 2.3.1: both are form-encoded before they are joined.
    client_id, secret = quote(provider.client_id, safe=""), quote(provider.client_secret, safe="")
    return ClientAuth(client_id, secret, "client_secret_basic")


def _tokens(found: Mapping[str, Any]) -> Tokens:
    id_token, access_token = found.get("id_token"), found.get("access_token")
    if not isinstance(id_token, str):
        raise Problem("sso_provider_answer", "The provider gave no ID token.")
    if access_token is not None and not (isinstance(access_token, str) and access_token.isascii()):
        raise Problem("sso_provider_answer", "The provider's access token cannot be used.")
    return Tokens(id_token, access_token)
