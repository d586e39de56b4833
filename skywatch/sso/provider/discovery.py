"""A provider's metadata (OpenID Connect Discovery 1.0) and keys, cached and refreshed.

Keys are asked for again when a token names one that is not known, but not oftener than every ``REFETCH_S``: anybody
can send a token with an invented key.
"""

from __future__ import annotations

import logging
import threading
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from joserfc.errors import JoseError
from joserfc.jwk import JWKRegistry, Key

from skywatch.core.problems import Problem
from skywatch.sentences import sentence
from skywatch.sso import problems
from skywatch.sso.provider.fetch import Fetcher
from skywatch.sso.providers import Provider

log = logging.getLogger(__name__)
# A public key proves who signed; with HS256 whoever can check could sign as well, and `none` proves nothing.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
KEY_TYPES = ("RSA", "EC", "OKP")
REMEMBERED_S = 3600.0
REFETCH_S = 30.0
MAX_KEYS = 50


@dataclass(frozen=True)
class Metadata:
    """The parts of a discovery document that are used."""

    issuer: str
    authorization_endpoint: str
    token_endpoint: str
    jwks_uri: str
    userinfo_endpoint: str | None
    end_session_endpoint: str | None
    algorithms: tuple[str, ...]
    client_authentication: tuple[str, ...]
    names_itself: bool


class Discovery:
    """Metadata and keys of one provider. Safe to use from any thread."""

    def __init__(self, provider: Provider, fetcher: Fetcher) -> None:
        self._provider = provider
        self._fetcher = fetcher
        self._lock = threading.Lock()
        self._metadata: tuple[Metadata, float] | None = None
        self._keys: tuple[dict[str | None, list[Key]], float] | None = None
        self._refetched_at = float("-inf")

    def metadata(self) -> Metadata:
        """The provider's metadata; raises Problem (502)."""
        cached = self._metadata
        if cached is None or time.monotonic() - cached[1] > REMEMBERED_S:
            metadata = self._fetcher.get(f"{self._provider.url}/.well-known/openid-configuration")
            cached = self._metadata = (_metadata(self._provider, metadata), time.monotonic())
        return cached[0]

    def metadata_if_any(self) -> Metadata | None:
        """The cached metadata, however old, else that of the provider now; None if it does not answer."""
        try:
            return self._metadata[0] if self._metadata is not None else self.metadata()
        except Problem:
            return None

    def keys(self, key_id: str | None) -> list[Key]:
        """The keys that a token may be signed with; none where the provider has no such key."""
        cached = self._keys
        if cached is None or time.monotonic() - cached[1] > REMEMBERED_S:
            cached = self._fetch_keys()
        if not _chosen(cached[0], key_id) and self._may_refetch():
            cached = self._fetch_keys()
        return _chosen(cached[0], key_id)

    def count_keys(self) -> int:
        """How many keys that can be used the provider publishes; raises Problem (502)."""
        return sum(map(len, self._fetch_keys()[0].values()))

    def _may_refetch(self) -> bool:
        with self._lock:
            now = time.monotonic()
            if now - self._refetched_at < REFETCH_S:
                return False
            self._refetched_at = now
            return True

    def _fetch_keys(self) -> tuple[dict[str | None, list[Key]], float]:
        entries = self._fetcher.get(self.metadata().jwks_uri).get("keys")
        if not isinstance(entries, list):
            raise Problem(
                problems.PROVIDER_ANSWER, sentence("sso.keys_unreadable", "The provider's keys cannot be read.")
            )
        keys: dict[str | None, list[Key]] = {}
        for entry in entries[:MAX_KEYS]:
            key = _key(entry)
            if key is not None:
                keys.setdefault(key.kid, []).append(key)
        cached = self._keys = (keys, time.monotonic())
        return cached


def _chosen(keys: dict[str | None, list[Key]], key_id: str | None) -> list[Key]:
    """A token that names no key may be signed with any, as long as there are few."""
    if key_id is not None:
        return keys.get(key_id, [])
    every = [key for group in keys.values() for key in group]
    return every if len(every) <= 4 else []


def _key(entry: Any) -> Key | None:
    if not isinstance(entry, dict) or entry.get("kty") not in KEY_TYPES or entry.get("use", "sig") != "sig":
        return None
    kid = entry.get("kid")
    if kid is not None and not isinstance(kid, str):
        return None
    # A certificate chain with the key is not used, and private parts must not be here.
    public = {name: entry[name] for name in ("kty", "kid", "alg", "n", "e", "crv", "x", "y") if name in entry}
    try:
        return JWKRegistry.import_key(public)
    except (JoseError, ValueError, TypeError, KeyError):
        log.info("a key of the identity provider cannot be used")
        return None


def _metadata(provider: Provider, document: dict[str, Any]) -> Metadata:
    issuer = _issuer(provider, document.get("issuer"))
    secure = urlsplit(provider.url).scheme == "https"

    def endpoint(name: str, *, required: bool = True) -> str | None:
        value = document.get(name)
        if value is None and not required:
            return None
        schemes = ("https",) if secure else ("http", "https")
        if not isinstance(value, str) or not _is_address(value, schemes):
            raise Problem(
                problems.PROVIDER_ANSWER,
                sentence(
                    "sso.address_unusable", "The provider's {name} is not an address that can be used.", name=name
                ),
            )
        return value

    offered = _texts(document.get("id_token_signing_alg_values_supported")) or ("RS256",)
    return Metadata(
        issuer=issuer,
        authorization_endpoint=endpoint("authorization_endpoint") or "",
        token_endpoint=endpoint("token_endpoint") or "",
        jwks_uri=endpoint("jwks_uri") or "",
        userinfo_endpoint=endpoint("userinfo_endpoint", required=False),
        end_session_endpoint=endpoint("end_session_endpoint", required=False),
        algorithms=tuple(name for name in ALGORITHMS if name in offered),
        client_authentication=_texts(document.get("token_endpoint_auth_methods_supported")) or ("client_secret_basic",),
        names_itself=document.get("authorization_response_iss_parameter_supported") is True,
    )


def _is_address(value: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(value)
        # Asking for the port checks it.
        return parts.scheme in schemes and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _issuer(provider: Provider, claimed: Any) -> str:
    """The provider's issuer, if it is the configured one; raises Problem (401)."""
    if isinstance(claimed, str) and claimed.rstrip("/") == provider.url:
        return claimed
    log.error(
        "provider %s is configured as %s, but says that its issuer is %.200r", provider.name, provider.url, claimed
    )
    if isinstance(claimed, str) and "{" in claimed:
        # A template such as Entra ID's https://login.microsoftonline.com/{tenantid}/v2.0 is the issuer of no token.
        raise Problem(
            problems.ISSUER_WRONG,
            sentence("sso.many_tenants", "The provider's address stands for many tenants; it must be that of one."),
        )
    raise Problem(
        problems.ISSUER_WRONG,
        sentence("sso.other_provider", "The provider at the configured address says that it is another one."),
    )


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
