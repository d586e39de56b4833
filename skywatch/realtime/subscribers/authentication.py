"""Authenticates subscribers in worker threads, so that a slow database does not delay the picture."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

from skywatch.core.clock import unix_to_iso
from skywatch.core.problems import Problem
from skywatch.realtime.topics.topic_table import TopicTable
from skywatch.realtime.wire.answers import ConnectedUser
from skywatch.security.contexts import FeatureAccess
from skywatch.security.identity import Identity
from skywatch.security.visibility import Visibility, visibility_of
from skywatch.sentences import sentence
from skywatch.settings import AuthMode

# Logins come in bursts after a restart; each waits for the database, hardly ever for the processor.
THREADS = 4


class Authenticator(Protocol):
    """The interface to the accounts; every method may wait for the database and runs in a worker thread."""

    def identify(self, credential: str) -> Identity:
        """The identity that an access token or API key proves; raises Problem (401) where it proves none."""

    def still_valid(self, identity: Identity) -> Problem | Identity:
        """The identity with its present rights, or the reason why it is no longer valid."""

    def feature_access(self, feature: str) -> FeatureAccess:
        """The access setting of a feature."""


@dataclass(frozen=True)
class Admission:
    """An identity (None: anonymous) and what it may see."""

    identity: Identity | None
    visibility: Visibility
    # The topics that it may join, in their usual order.
    topics: tuple[str, ...]

    @cached_property
    def local(self) -> Admission:
        """The same for a client on this machine; one for all who share this admission."""
        return replace(self, visibility=replace(self.visibility, is_local=True))

    def introduction(self) -> dict[str, Any]:
        """The data about itself that a subscriber gets."""
        identity = self.identity
        return {
            "user": ConnectedUser(identity.user_id, identity.username) if identity is not None else None,
            "topics": self.topics,
            "expires_at": unix_to_iso(identity.expires_at) if identity is not None and identity.expires_at else None,
        }


@dataclass(frozen=True)
class Offer:
    """The credentials of a handshake: from a header (or, not recommended, the URL), and the access cookie.

    The cookie counts only if neither a header nor the client's message has a credential: browsers always send it.
    """

    credential: str | None = None
    cookie: str | None = None
    # Whether the credential was in the URL, which ends up in logs.
    leaks: bool = False
    # Whether the client is on this machine.
    is_local: bool = False


NO_OFFER = Offer()


class ConnectionAuthenticator:
    """Runs an authenticator off the loop and turns its answers into admissions."""

    def __init__(self, authenticator: Authenticator, mode: AuthMode, topics: TopicTable) -> None:
        self._topics = topics
        self._authenticator = authenticator
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="realtime-accounts")
        self.mode = mode

    async def admit(self, credential: str | None) -> Admission:
        """The admission for a credential; raises Problem if it is wrong."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._admit, credential)

    def _admit(self, credential: str | None) -> Admission:
        identity = self._authenticator.identify(credential) if credential is not None else None
        return self._standing(identity)

    async def review(self, identities: list[Identity | None]) -> list[Problem | Admission]:
        """The present admission of each identity, or the reason why it is no longer valid."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._review, identities)

    def _review(self, identities: list[Identity | None]) -> list[Problem | Admission]:
        admissions: list[Problem | Admission] = []
        for identity in identities:
            current = self._authenticator.still_valid(identity) if identity is not None else None
            admissions.append(current if isinstance(current, Problem) else self._standing(current))
        return admissions

    def _standing(self, identity: Identity | None) -> Admission:
        visibility = visibility_of(identity, self.mode, self._authenticator.feature_access)
        return Admission(identity, visibility, self._topics.open_to(visibility))

    def close(self) -> None:
        """Shut the worker threads down."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def credential_of_auth(auth: Mapping[str, Any] | None) -> str | None:
    """The credential in a client's ``auth`` object, or None; raises Problem (401) where it is not a text."""
    if auth is None:
        return None
    token = auth.get("token")
    if token is None:
        return None
    if not isinstance(token, str) or not token:
        raise Problem("token_invalid", sentence("realtime.token_text", "token must be a text."))
    # Accepts the value of an HTTP Authorization header as well.
    scheme, _, value = token.partition(" ")
    return value.strip() if scheme.lower() in ("bearer", "apikey") and value.strip() else token
