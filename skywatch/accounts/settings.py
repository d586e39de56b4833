"""The settings of accounts: credentials, tokens, and how long their records are stored."""

from __future__ import annotations

import dataclasses
import re

from skywatch.settings import RETENTION_DAYS, RETENTION_MB, Settings, setting
from skywatch.settings.base import check_secret
from skywatch.settings.kinds import parse_rate


def split_secrets(text: str) -> tuple[str, ...]:
    """Secrets between commas, without the spaces around them."""
    return tuple(secret for part in text.split(",") if (secret := part.strip()))


@dataclasses.dataclass(frozen=True, kw_only=True)
class AccountSettings(Settings):
    """The settings of accounts: credentials, tokens, and how long their records are stored."""

    local_auth_enabled: bool = setting(True, "login with username and password")
    api_key_enabled: bool = setting(True, "API keys are accepted")
    jwt_secret_key: str = setting(
        "",
        "secret that signs the tokens, at least 32 characters: the whole value, spaces and commas included; empty "
        "means the general secret",
        secret=True,
    )
    jwt_secret_key_previous: tuple[str, ...] = setting(
        (),
        "earlier secrets of the tokens, separated by commas: they sign nothing, what they have signed stays valid",
        secret=True,
        parse=split_secrets,
    )
    jwt_access_token_lifetime_minutes: int = setting(
        60, "how long an access token is valid (min)", minimum=1, maximum=1440
    )
    jwt_refresh_token_lifetime_days: int = setting(2, "how long a refresh token is valid (d)", minimum=1, maximum=365)
    password_min_length: int = setting(8, "shortest password (characters)", minimum=8, maximum=128)
    guesses_place: str = setting(
        "10/15 minute",
        "wrong passwords for one account from one neighbourhood (IPv4 /24, IPv6 /64) before it is closed to it",
        name="password_guesses.place",
        parse=parse_rate,
    )
    guesses_anywhere: str = setting(
        "100/hour",
        "wrong passwords for one account from anywhere before it is closed to places its owner is new at",
        name="password_guesses.anywhere",
        parse=parse_rate,
    )
    accounts_offline_s: float = setting(
        300.0,
        "while the database is away, callers and access settings that are known already stay valid for so long (s)",
        minimum=0,
        maximum=86_400,
    )
    retention_audit_days: float = setting(365.0, "retention of the audit log (days; 0: unlimited)", **RETENTION_DAYS)
    retention_audit_mb: float = setting(0.0, "largest size of the audit log (MB; 0: unlimited)", **RETENTION_MB)
    retention_logins_days: float = setting(
        90.0, "retention of expired logins with their addresses (days; 0: unlimited)", **RETENTION_DAYS
    )

    def check(self) -> None:
        """Refuse secrets that can be guessed: they sign tokens."""
        check_secret("jwt_secret_key", self.jwt_secret_key)
        for secret in self.jwt_secret_key_previous:
            check_secret("jwt_secret_key_previous", secret)


def looks_like_several_secrets(settings: AccountSettings) -> str | None:
    """What to tell who may have several secrets in one setting, as earlier releases read it; None if there is one."""
    if not re.search(r"[\s,]", settings.jwt_secret_key):
        return None
    return "it has a space or a comma and is one secret as a whole; earlier ones go into jwt_secret_key_previous"
