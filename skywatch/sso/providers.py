"""The identity providers that the settings name, as values; whatever is unsafe about one is refused here.

The single settings (``oidc_provider_url`` and so on) are the first provider, called ``default``; further ones are
``oidc.<name>.<field>`` and take what they leave out from the single settings, except what belongs to one provider
alone. Nothing here talks to a provider.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlsplit

from skywatch.settings.kinds import parse_boolean
from skywatch.sso.redirects import is_loopback

FIRST = "default"
FIELDS = (
    "provider_url",
    "client_id",
    "client_secret",
    "provider_name",
    "scopes",
    "default_role",
    "allow_email_linking",
)
NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
# The provider's operator would make all its users administrators.
TOO_MUCH_FOR_EVERYBODY = frozenset({"admin", "superadmin"})
# Addresses of Entra ID that stand for many tenants. Each token names the tenant it is of as its issuer, and whoever
# makes a tenant of their own, which costs nothing, would be as good as the people of yours.
ENTRA = ("login.microsoftonline.com", "login.microsoftonline.us", "login.partner.microsoftonline.cn")
MANY_TENANTS = re.compile(r"/(common|organizations|consumers)(/.*)?")


class ProviderSettings(Protocol):
    """What is read of the settings here; the single settings ``oidc_<field>`` are theirs too."""

    @property
    def environment(self) -> str: ...

    @property
    def oidc_enabled(self) -> bool: ...

    @property
    def oidc_providers(self) -> Mapping[str, str]: ...


class ProviderError(Exception):
    """A provider's setting is wrong; ``setting`` is its name and ``str()`` the reason."""

    def __init__(self, setting: str, reason: str) -> None:
        super().__init__(reason)
        self.setting = setting


@dataclass(frozen=True)
class Provider:
    """One identity provider as the settings describe it; ``url`` is its issuer without a trailing slash."""

    name: str
    url: str
    client_id: str
    client_secret: str = field(repr=False)
    display_name: str
    scopes: str
    default_role: str
    allow_email_linking: bool


def split_member(member: str) -> tuple[str, str] | None:
    """Provider and field of a member such as ``work.client_id`` (or ``work_client_id``, from the environment)."""
    for member_name in FIELDS:
        name = member.removesuffix(member_name)
        if name != member and len(name) > 1 and name[-1] in "._":
            return name[:-1], member_name
    return None


def read_providers(settings: ProviderSettings) -> tuple[Provider, ...]:
    """All providers, the first one of the single settings; raises ProviderError. None where it is switched off."""
    if not settings.oidc_enabled:
        return ()
    single = {member_name: getattr(settings, f"oidc_{member_name}") for member_name in FIELDS}
    groups: dict[str, dict[str, str]] = {}
    for member, text in settings.oidc_providers.items():
        parts = split_member(member)
        if parts is None:
            raise ProviderError(f"oidc.{member}", f"expected oidc.<name>.<field>, a field being one of {_listed()}")
        groups.setdefault(parts[0], {})[parts[1]] = text
    providers = []
    if single["provider_url"] or single["client_id"] or not groups:
        providers.append(_provider(FIRST, "oidc_", single, settings))
    for name, fields in groups.items():
        if not NAME.fullmatch(name) or name == FIRST:
            raise ProviderError(f"oidc.{name}", "a provider's name is short, of small letters, and not `default`")
        own = {"provider_name": name, "provider_url": "", "client_id": "", "client_secret": ""}
        # Trust in one provider's addresses does not extend to another's.
        providers.append(
            _provider(name, f"oidc.{name}.", {**single, "allow_email_linking": "false", **own, **fields}, settings)
        )
    for number, provider in enumerate(providers):
        if provider.url in [other.url for other in providers[:number]]:
            raise ProviderError(f"oidc.{provider.name}.provider_url", "is the address of another provider already")
    return tuple(providers)


def _provider(name: str, prefix: str, fields: Mapping[str, str | bool], settings: ProviderSettings) -> Provider:
    for required in ("provider_url", "client_id"):
        if not fields[required]:
            raise ProviderError(prefix + required, "must be set where oidc_enabled is true")
    url = str(fields["provider_url"])
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise ProviderError(f"{prefix}provider_url", "expected an http:// or https:// address")
    if parts.query or parts.fragment or parts.username is not None:
        raise ProviderError(f"{prefix}provider_url", "must have neither a query, a fragment nor a user name")
    if settings.environment == "production" and parts.scheme != "https" and not is_loopback(url):
        raise ProviderError(f"{prefix}provider_url", "must be an https:// address in production")
    if parts.hostname in ENTRA and MANY_TENANTS.fullmatch(parts.path):
        raise ProviderError(
            f"{prefix}provider_url", f"must name one tenant: https://{parts.hostname}/TENANT-ID/v2.0 in place of {url}"
        )
    if "openid" not in str(fields["scopes"]).split():
        raise ProviderError(f"{prefix}scopes", "must hold openid")
    if fields["default_role"] in TOO_MUCH_FOR_EVERYBODY:
        raise ProviderError(
            f"{prefix}default_role", "would make every user of the provider an administrator; use a claim mapping"
        )
    return Provider(
        name=name,
        url=url.removesuffix("/.well-known/openid-configuration").rstrip("/"),
        client_id=str(fields["client_id"]),
        client_secret=str(fields["client_secret"]),
        display_name=str(fields["provider_name"]),
        scopes=" ".join(str(fields["scopes"]).split()),
        default_role=str(fields["default_role"]),
        allow_email_linking=_truth(f"{prefix}allow_email_linking", fields["allow_email_linking"]),
    )


def _truth(setting: str, value: str | bool) -> bool:
    if isinstance(value, bool):
        return value
    try:
        return parse_boolean(value)
    except ValueError as error:
        raise ProviderError(setting, str(error)) from None


def _listed() -> str:
    return ", ".join(FIELDS)
