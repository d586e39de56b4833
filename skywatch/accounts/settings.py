"""The settings of accounts: credentials, tokens, and how long their records are stored."""

from __future__ import annotations

import dataclasses

from skywatch.settings import MINIMUM_SECRET_LENGTH, RETENTION_DAYS, RETENTION_MB, Settings, SettingsError, setting
from skywatch.settings.kinds import parse_rate


@dataclasses.dataclass(frozen=True, kw_only=True)
class AccountSettings(Settings):
    """The settings of accounts: credentials, tokens, and how long their records are stored."""

    local_auth_enabled: bool = setting(True, "login with username and password")
    api_key_enabled: bool = setting(True, "API keys are accepted")
    jwt_secret_key: tuple[str, ...] = setting(
        (),
        "secrets of the tokens, separated by spaces: the first signs, all verify; empty means the general secret",
        secret=True,
    )
    jwt_access_token_lifetime_minutes: int = setting(
        60, "how long an access token is valid (min)", minimum=1, maximum=1440
    )
    jwt_refresh_token_lifetime_days: int = setting(2, "how long a refresh token is valid (d)", minimum=1, maximum=365)
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
        for secret in self.jwt_secret_key:
            if self.environment == "production" and len(secret) < MINIMUM_SECRET_LENGTH:
                raise SettingsError(
                    "jwt_secret_key", f"contains a secret of less than {MINIMUM_SECRET_LENGTH} characters"
                )
