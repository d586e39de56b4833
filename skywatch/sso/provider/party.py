"""A provider as a sign-on uses it: where to send a person, the tokens for a code, and the person's claims.

Authlib's client does the protocol (authorization URL, PKCE, client authentication, exchange of the code); ``fetch``
does the HTTP, because a provider that hangs or floods must not hurt the service.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from authlib.oauth2 import ClientAuth, OAuth2Client, OAuth2Error

from skywatch.core.problems import Problem
from skywatch.sentences import sentence
from skywatch.sso import problems
from skywatch.sso.models import PendingLogin
from skywatch.sso.pending_sign_ons import Begun
from skywatch.sso.provider.discovery import Discovery
from skywatch.sso.provider.fetch import Fetcher
from skywatch.sso.providers import Provider
from skywatch.sso.settings import SsoSettings


@dataclass(frozen=True)
class Tokens:
    """What a code was exchanged for; nothing of it has been checked."""

    id_token: str
    access_token: str | None


class Party:
    """A provider of the settings with its metadata. Safe to use from any thread; making it sends no request."""

    def __init__(self, provider: Provider, settings: SsoSettings, slots: int) -> None:
        """``slots``: how many threads may wait for the provider at a time."""
        self.provider = provider
        self._fetcher = Fetcher(settings, slots)
        self.discovery = Discovery(provider, self._fetcher)

    def authorization_url(self, begun: Begun, redirect_uri: str) -> str:
        """Where to send the person of a sign-on that has begun; raises Problem (401, 502)."""
        url, _ = self._client(redirect_uri).create_authorization_url(
            self.discovery.metadata().authorization_endpoint,
            state=begun.state,
            code_verifier=begun.verifier,
            nonce=begun.nonce,
        )
        return str(url)

    def redeem(self, begun: PendingLogin, code: str) -> Tokens:
        """Exchange a code for tokens; raises Problem (401, 502)."""
        endpoint = self.discovery.metadata().token_endpoint
        client = self._client(begun.redirect_uri)
        try:
            answer = client.fetch_token(
                endpoint, grant_type="authorization_code", code=code, code_verifier=begun.verifier
            )
        except OAuth2Error as refusal:
            error = str(refusal.error)[:64]
            if error == "invalid_grant":
                raise Problem(problems.CODE_REFUSED) from None
            raise Problem(
                problems.PROVIDER_ANSWER,
                sentence("sso.tokens_refused", "The provider refused the request for tokens: {error}.", error=error),
            ) from None
        except (ValueError, TypeError, OverflowError):
            # An ``expires_in`` that is no number: Authlib computes the end of the access token.
            raise Problem(
                problems.PROVIDER_ANSWER,
                sentence("sso.tokens_answer", "The provider's answer is not one to a request for tokens."),
            ) from None
        return _tokens(answer)

    def _client(self, redirect_uri: str) -> OAuth2Client:
        """Authlib's client of one sign-on: it writes the authorization URL with PKCE, and exchanges the code."""
        offered = self.discovery.metadata().client_authentication
        if not self.provider.client_secret:
            authentication = "none"
        elif "client_secret_basic" not in offered and "client_secret_post" in offered:
            authentication = "client_secret_post"
        else:
            authentication = "client_secret_basic"
        client = OAuth2Client(
            _Session(self._fetcher),
            self.provider.client_id,
            self.provider.client_secret or None,
            token_endpoint_auth_method=authentication,
            scope=self.provider.scopes,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
        )
        client.register_client_auth_method(("client_secret_basic", _encoded_basic))
        return client

    def userinfo(self, access_token: str | None, subject: str) -> dict[str, Any]:
        """The provider's user information about a person; raises Problem (401, 502)."""
        address = self.discovery.metadata().userinfo_endpoint
        if address is None or access_token is None:
            return {}
        claims = self._fetcher.get(address, {"Authorization": f"Bearer {access_token}"})
        if claims.get("sub") != subject:
            raise Problem(problems.SUBJECT_WRONG)
        return claims


@dataclass(frozen=True)
class _Answer:
    """What Authlib reads of the response of a token endpoint."""

    document: dict[str, Any]
    status_code: int = 200

    def json(self) -> dict[str, Any]:
        return self.document


class _Session:
    """The HTTP client that Authlib's client sends with: ours, with its limits."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    def post(self, url: str, data: Mapping[str, str], headers: Mapping[str, str], auth: ClientAuth) -> _Answer:
        """Send a form with the client's credentials; raises Problem (502)."""
        url, headers, body = auth.prepare("POST", url, dict(headers), urlencode(data))
        return _Answer(self._fetcher.post(url, body, headers))


def _encoded_basic(
    client: ClientAuth, method: str, uri: str, headers: dict[str, str], body: str
) -> tuple[str, dict[str, str], str]:
    # RFC 6749, section 2.3.1: both are form-encoded before they are joined, which Authlib leaves out.
    encoded = ClientAuth(quote(client.client_id, safe=""), quote(client.client_secret, safe=""), "client_secret_basic")
    prepared: tuple[str, dict[str, str], str] = encoded.prepare(method, uri, headers, body)
    return prepared


def _tokens(body: Mapping[str, Any]) -> Tokens:
    id_token, access_token = body.get("id_token"), body.get("access_token")
    if not isinstance(id_token, str):
        raise Problem(problems.PROVIDER_ANSWER, sentence("sso.no_id_token", "The provider gave no ID token."))
    if access_token is not None and not (isinstance(access_token, str) and access_token.isascii()):
        raise Problem(
            problems.PROVIDER_ANSWER,
            sentence("sso.access_token_unusable", "The provider's access token cannot be used."),
        )
    return Tokens(id_token, access_token)
