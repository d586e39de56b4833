"""Resolves a credential to its identity and present rights, for the REST API and the real-time channel."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.accounts.identity.cache import PROFILE, AccessCache
from skywatch.accounts.identity.rights import (
    KeyState,
    Rights,
    access_of,
    load_access,
    load_key,
    load_login,
    load_rights,
)
from skywatch.accounts.identity.tokens import Claims, TokenCodec
from skywatch.accounts.models import ApiKey
from skywatch.accounts.settings import AccountSettings
from skywatch.core.clock import unix_now, utcnow
from skywatch.core.database.engine import SessionFactory
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.storage.queue import WriteQueue
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.security.contexts import AccessSettings, FeatureAccess, within
from skywatch.security.credentials import KEY_PREFIX
from skywatch.security.identity import Identity, Method
from skywatch.security.permissions import FEATURES, WITHHELD_FROM_KEYS
from skywatch.sentences import sentence

T = TypeVar("T")
MAX_REMEMBERED = 20_000
# One object, as whatever is remembered is told apart by it.
NOTHING_STORED: dict[str, FeatureAccess] = {}

# A key in steady use is written once in so many seconds, and a first use this soon after it.
WRITE_EVERY_S = 60.0
WRITE_AFTER_S = 1.0
# Far more keys than an installation has: each waits at most once.
QUEUE_LIMIT = 20_000
# A stop waits no longer for times of use, which may be lost.
CLOSE_S = 2.0


class Authenticator:
    """Identities from credentials. Safe to use from any thread; a steady caller costs no database query."""

    def __init__(self, runtime: Runtime) -> None:
        self.codec = TokenCodec(runtime.settings.of(AccountSettings))
        self.cache = AccessCache(runtime)
        # The stored settings that were read last, and all of them in order.
        self._access: tuple[dict[str, FeatureAccess] | None, tuple[FeatureAccess, ...]] = (None, ())
        self._usage = UsageRecorder(runtime.sessions)
        self._keys_enabled = runtime.settings.of(AccountSettings).api_key_enabled
        self._verified: dict[bytes, Claims] = {}
        self._identities: dict[tuple[object, ...], tuple[Rights, Identity]] = {}
        runtime.at_close(self.close)

    def identify(self, credential: str) -> Identity:
        """The identity of an access token or API key; raises Problem (401) where it is invalid."""
        return self.identify_key(credential) if credential.startswith(KEY_PREFIX) else self.identify_token(credential)

    def identify_token(self, token: str) -> Identity:
        """The identity of an access token; raises Problem (401)."""
        digest = hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()
        claims = self._verified.get(digest)
        if claims is None:
            claims = self.codec.read(token, "access")
            if len(self._verified) >= MAX_REMEMBERED:
                self._verified.clear()
            self._verified[digest] = claims
        if claims.expires_at <= unix_now():
            self._verified.pop(digest, None)
            raise Problem("token_expired")
        return self._of_login("jwt", claims.user_id, claims.login_id, claims.expires_at)

    def identify_session(self, user_id: int, login_id: str, expires_at: float) -> Identity:
        """The identity of a console session whose cookie was verified; raises Problem (401) where its login is over."""
        return self._of_login("console", user_id, login_id, expires_at)

    def identify_key(self, key: str) -> Identity:
        """The identity of an API key; raises Problem (401)."""
        digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()
        self._check_keys_enabled()
        state = self.cache.get("key", digest, lambda session: load_key(session, ApiKey.key_hash == digest))
        return self._of_key(state)

    def still_valid(self, identity: Identity) -> Problem | Identity:
        """The same caller with the rights of this moment, or the Problem that ends the connection."""
        try:
            if identity.key_id is not None:
                self._check_keys_enabled()
                key_id = identity.key_id
                state = self.cache.get("key_id", key_id, lambda session: load_key(session, ApiKey.id == key_id))
                return self._of_key(state)
            if identity.expires_at is not None and identity.expires_at <= unix_now():
                raise Problem("token_expired")
            return self._of_login(identity.method, identity.user_id, identity.login_id, identity.expires_at)
        except Problem as problem:
            return problem

    def feature_access(self, feature: str) -> FeatureAccess:
        """The access setting of a feature now."""
        return access_of(self.cache.get("access", None, load_access) or {}, feature)

    def access_settings(self) -> tuple[FeatureAccess, ...]:
        """The access settings of all features now, in the order of ``FEATURES``; the same object until one changes."""
        stored = self.cache.get("access", None, load_access) or NOTHING_STORED
        cached, settings = self._access
        if stored is not cached:
            settings = AccessSettings([access_of(stored, feature) for feature in FEATURES])
            self._access = stored, settings
        return settings

    def rights(self, user_id: int) -> Rights | None:
        """What a user may do now, or None where there is no such user."""
        return self.cache.get(
            "user", user_id, lambda session: load_rights(session, user_id), lambda rights: rights.valid_until
        )

    def remembered_profile(self, user_id: int, load: Callable[[Session], T]) -> T:
        """What is shown of a user, remembered until the account changes or a role ends."""
        rights = self.rights(user_id)
        valid_until = rights.valid_until if rights is not None else None
        profile = self.cache.get(PROFILE, user_id, load, lambda _: valid_until)
        assert profile is not None
        return profile

    def close(self) -> None:
        """Stop the threads behind it and write down what keys were last used when."""
        self.cache.close()
        self._usage.close()

    def _check_keys_enabled(self) -> None:
        if not self._keys_enabled:
            raise Problem("token_invalid", sentence("accounts.keys_off", "API keys are switched off."))

    def _of_login(self, method: Method, user_id: int, login_id: str | None, expires_at: float | None) -> Identity:
        rights = self._active(user_id)
        if login_id is not None:
            state = self.cache.get("login", login_id, lambda session: load_login(session, login_id))
            if state is None or state.user_id != user_id:
                # What is remembered of the user may be older: they may have been switched off, which ends logins too.
                self.cache.forget("user", user_id)
                self._active(user_id)
                raise Problem("token_revoked")
        return self._identity(
            (method, login_id, user_id, expires_at),
            rights,
            lambda: Identity(
                user_id,
                rights.username,
                method,
                rights.permissions,
                rights.roles,
                login_id=login_id,
                expires_at=expires_at,
                owner_id=rights.owner_id,
            ),
        )

    def _of_key(self, state: KeyState | None) -> Identity:
        if state is None:
            raise Problem("token_invalid", sentence("accounts.key_unknown", "There is no such API key."))
        if state.expires_at is not None and state.expires_at <= unix_now():
            raise Problem("token_expired", sentence("accounts.key_expired", "The API key has expired."))
        rights = self._active(state.user_id)
        self._usage.used(state.key_id)
        return self._identity(
            ("api_key", state.key_id, state.scopes, state.expires_at),
            rights,
            lambda: Identity(
                state.user_id,
                rights.username,
                "api_key",
                within(rights.permissions - WITHHELD_FROM_KEYS, state.scopes),
                rights.roles,
                scopes=state.scopes,
                key_id=state.key_id,
                expires_at=state.expires_at,
                owner_id=rights.owner_id,
            ),
        )

    def _active(self, user_id: int) -> Rights:
        rights = self.rights(user_id)
        if rights is None:
            raise Problem("token_revoked", sentence("accounts.account_gone", "The account does not exist any more."))
        if not rights.is_active:
            raise Problem("account_disabled")
        return rights

    def _identity(self, name: tuple[object, ...], rights: Rights, make: Callable[[], Identity]) -> Identity:
        """The identity made before, unless the rights are other ones."""
        cached = self._identities.get(name)
        if cached is not None and cached[0] is rights:
            return cached[1]
        identity = make()
        if len(self._identities) >= MAX_REMEMBERED:
            self._identities.clear()
        self._identities[name] = (rights, identity)
        return identity


class Usage(NamedTuple):
    """A key was used at a time."""

    key_id: int
    at: datetime


class UsageRecorder:
    """Collects uses and writes them in the background. Safe to use from any thread."""

    def __init__(self, sessions: SessionFactory) -> None:
        self._noted: dict[int, float] = {}
        self._queue: WriteQueue[Usage] = WriteQueue(QUEUE_LIMIT, replace_delay_s=WRITE_AFTER_S)
        self._writer = BackgroundWriter("usage", sessions, self._queue, write_usages)
        self._writer.start()

    def used(self, key_id: int) -> None:
        """Note that a key was used now."""
        now = unix_now()
        if now - self._noted.get(key_id, 0.0) >= WRITE_EVERY_S:
            self._noted[key_id] = now
            self._queue.replace(key_id, Usage(key_id, utcnow()))

    def close(self) -> None:
        """Write what is left and stop."""
        self._writer.close(CLOSE_S)


def write_usages(session: Session, usages: list[Usage]) -> None:
    """Write uses; always in one order, so that two processes that write the same keys do not lock each other out."""
    for usage in sorted(usages):
        session.execute(sa.update(ApiKey).where(ApiKey.id == usage.key_id).values(last_used_at=usage.at))
