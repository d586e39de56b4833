"""The settings of single sign-on."""

from __future__ import annotations

import dataclasses

from skywatch.http.settings import HttpSettings
from skywatch.settings import Settings, SettingsError, setting
from skywatch.sso.providers import ProviderError, read_providers, split_member
from skywatch.sso.redirects import parse_redirect, parse_redirects


@dataclasses.dataclass(frozen=True, kw_only=True)
class SsoSettings(Settings):
    """The settings of single sign-on."""

    oidc_enabled: bool = setting(False, "single sign-on with OpenID Connect")
    oidc_provider_url: str = setting("", "base URL of the identity provider (its issuer)")
    oidc_client_id: str = setting("", "client id of Skywatch at the identity provider")
    oidc_client_secret: str = setting("", "client secret at the identity provider", secret=True)
    oidc_provider_name: str = setting("SSO", "name of the identity provider as people see it")
    oidc_scopes: str = setting("openid profile email groups", "scopes asked of the identity provider")
    oidc_default_role: str = setting("viewer", "role of new users whom no claim mapping matches")
    oidc_allow_email_linking: bool = setting(
        False, "link to existing accounts by verified e-mail (only with a provider you trust)"
    )
    oidc_redirect_uris: tuple[str, ...] = setting(
        (), "further redirect addresses that clients may ask for, separated by spaces", parse=parse_redirects
    )
    oidc_logout_redirect_uri: str = setting(
        "",
        "where the identity provider shall send people on to after its logout; without, it shows a page of its own",
        parse=parse_redirect,
    )
    oidc_timeout_s: float = setting(
        5.0, "an answer of the identity provider must be there after this time (s)", minimum=0.5, maximum=60
    )
    oidc_max_response_bytes: int = setting(
        262_144, "largest answer of the identity provider that is read (bytes)", minimum=4096, maximum=16_777_216
    )
    oidc_providers: dict[str, str] = setting(
        {},
        "further identity providers: oidc.<name>.provider_url, .client_id, .client_secret, .provider_name, .scopes, "
        ".default_role, .allow_email_linking",
        name="oidc.*",
        secret=True,
        is_member=lambda member: split_member(member) is not None,
    )

    def check(self) -> None:
        """Every provider is described well enough to be asked, and safely; people come back to a fixed address."""
        try:
            read_providers(self)
        except ProviderError as error:
            raise SettingsError(error.setting, str(error)) from None
        if self.oidc_enabled and self.environment == "production" and not self.of(HttpSettings).base_url:
            raise SettingsError(
                "base_url", "must be set in production where oidc_enabled is true: identity providers send people to it"
            )
