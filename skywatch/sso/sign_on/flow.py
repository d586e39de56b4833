"""A sign-on from the first address to the tokens: authorization code with PKCE (RFC 7636), state and nonce.

No database transaction is open while the provider is asked. Whatever is refused is written into the audit log with
its code.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy.orm import Session

from skywatch.accounts.identity.authenticator import Authenticator
from skywatch.accounts.identity.tokens import THROWAWAY_SECRET
from skywatch.accounts.login_tokens import TokenPair, begin_login, tokens_of
from skywatch.accounts.models import Login, User
from skywatch.core.database.encryption import Sealer
from skywatch.core.database.engine import writing
from skywatch.core.problems import Problem, not_found
from skywatch.core.runtime import Runtime
from skywatch.core.storage import audit
from skywatch.http.settings import HttpSettings
from skywatch.sentences import sentence
from skywatch.sso import pending_sign_ons, problems
from skywatch.sso.models import PendingLogin
from skywatch.sso.providers import Provider, read_providers
from skywatch.sso.redirects import may_redirect
from skywatch.sso.settings import SsoSettings
from skywatch.sso.sign_on import people
from skywatch.sso.sign_on.answer import Answer, code_of

# Whoever has no provider does without the libraries: 0.1 s of the start and some megabytes. See SignOn.
if TYPE_CHECKING:
    from skywatch.sso.provider.party import Party

log = logging.getLogger(__name__)


class SignOn:
    """Single sign-on with all providers of the settings. Safe to use from any thread; making it sends no request."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._codec = runtime.shared(Authenticator).codec
        settings = runtime.settings.of(SsoSettings)
        providers = read_providers(settings)
        slots = max(1, settings.of(HttpSettings).api_threads // 2 // max(1, len(providers)))
        # ID tokens name people and are good for a logout at the provider.
        self.sealer = Sealer(settings.secret or THROWAWAY_SECRET, "id token")
        self.parties = _parties_of(providers, settings, slots)

    def check_enabled(self) -> None:
        """Raise Problem (403) where there is no provider."""
        if not self.parties:
            raise Problem(problems.DISABLED)

    def party(self, name: str | None) -> Party:
        """A provider by its name, the first one without; raises Problem (403, 404)."""
        self.check_enabled()
        if name is None:
            return next(iter(self.parties.values()))
        if name not in self.parties:
            raise not_found(sentence("thing.identity_provider", "identity provider"))
        return self.parties[name]

    def authorize(
        self, name: str | None, redirect_uri: str | None, own_uri: str, opener_origin: str, browser: str | None
    ) -> tuple[str, pending_sign_ons.Begun]:
        """The address to send a person to, and the sign-on that it begins; raises Problem (400, 401, 403, 404, 502)."""
        party = self.party(name)
        target = own_uri if redirect_uri is None else redirect_uri
        if target != own_uri and not may_redirect(target, self._runtime.settings.of(SsoSettings).oidc_redirect_uris):
            raise Problem(
                problems.REDIRECT_REFUSED,
                sentence("sso.register_redirect", "Register it in oidc_redirect_uris, or use a loopback address."),
            )
        # A provider that does not answer is refused before anything is written.
        party.discovery.metadata()
        with writing(self._runtime.sessions) as session:
            begun = pending_sign_ons.begin(
                session,
                provider=party.provider.name,
                redirect_uri=target,
                opener_origin=opener_origin,
                browser=browser,
            )
        return party.authorization_url(begun, target), begun

    def take(
        self, answer: Answer, browser: str | None, actor: audit.Actor, *, needs_browser: bool = False
    ) -> PendingLogin:
        """The sign-on that an answer is to, once; raises Problem (401, 403), written down with its code.

        ``needs_browser``: only the browser with the sign-on's cookie may take it.
        """
        self.check_enabled()
        needs_browser = needs_browser or self._runtime.settings.of(HttpSettings).jwt_auth_cookie
        with self._noting_failure(actor), writing(self._runtime.sessions) as session:
            return pending_sign_ons.take(session, state=answer.state, browser=browser, needs_browser=needs_browser)

    def finish(self, begun: PendingLogin, answer: Answer, actor: audit.Actor) -> tuple[User, TokenPair]:
        """The user and tokens that an answer yields; raises Problem (401, 404, 502), written down with its code."""
        lifetime = timedelta(seconds=self._codec.refresh_lifetime_s)

        def begin(session: Session, user: User) -> Login:
            return begin_login(session, user, people.SOURCE, actor, lifetime)

        user, login = self.begin_login(begun, answer, actor, begin)
        return user, tokens_of(self._codec, login)

    def begin_login(
        self, begun: PendingLogin, answer: Answer, actor: audit.Actor, begin: Callable[[Session, User], Login]
    ) -> tuple[User, Login]:
        """The user that an answer is about, and the login that ``begin`` starts for them; raises like ``finish``."""
        with self._noting_failure(actor) as note:
            party = self.party(begun.provider)
            note["provider"] = party.provider.name
            if answer.error is not None:
                note["error"] = answer.error[:64]
                log.warning(
                    "provider %s refused the sign-on: %.64r, %.500r",
                    begun.provider,
                    answer.error,
                    answer.error_description,
                )
            claims, id_token = _vouched(party, begun, answer, note)
            sealed = self.sealer.seal(id_token)
            with writing(self._runtime.sessions) as session:
                return people.sign_in(session, begin, party.provider, claims, sealed, actor)

    def claims_of(self, begun: PendingLogin, answer: Answer, actor: audit.Actor) -> tuple[Party, dict[str, Any]]:
        """The provider and the claims of an answer, of which no login begins; raises like ``finish``."""
        with self._noting_failure(actor) as note:
            party = self.party(begun.provider)
            note["provider"] = party.provider.name
            return party, _vouched(party, begun, answer, note)[0]

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


def _parties_of(providers: Sequence[Provider], settings: SsoSettings, slots: int) -> dict[str, Party]:
    """Imports what sign-ons need now, at the start, and not with the first of them."""
    if not providers:
        return {}
    from skywatch.sso.provider import idtoken  # noqa: F401
    from skywatch.sso.provider.party import Party

    return {provider.name: Party(provider, settings, slots) for provider in providers}


def _vouched(party: Party, begun: PendingLogin, answer: Answer, note: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """What a provider vouches for, checked, and its ID token; ``note`` gets whom it is about."""
    from skywatch.sso.provider.idtoken import check_id_token

    tokens = party.redeem(begun, code_of(answer, party.discovery.metadata()))
    claims = check_id_token(tokens.id_token, party.provider, party.discovery, begun.nonce, tokens.access_token)
    note |= {"issuer": claims["iss"], "subject": claims["sub"]}
    return people.merge_claims(claims, party.userinfo(tokens.access_token, claims["sub"])), tokens.id_token
