"""Combinations of settings that are unsafe or make no sense."""

from __future__ import annotations

from urllib.parse import urlsplit

from skywatch.settings.declaration import SettingsError
from skywatch.settings.providers import ProviderError, read_providers
from skywatch.settings.table import Settings

# What a sample file or a hurried administrator would write; no service may sign tokens with it.
DEFAULT_SECRETS = frozenset({"secret", "changeme", "change-me", "development-only", "skywatch", "password"})
MINIMUM_SECRET_LENGTH = 32


def check(settings: Settings) -> None:
    """Refuse combinations that are unsafe or make no sense."""
    if settings.environment == "production":
        if not settings.secret:
            raise SettingsError("secret", "must be set in production (at least 32 random characters)")
        if settings.secret.lower() in DEFAULT_SECRETS:
            raise SettingsError("secret", "is a well-known default; choose at least 32 random characters")
        if len(settings.secret) < MINIMUM_SECRET_LENGTH:
            raise SettingsError("secret", f"is shorter than {MINIMUM_SECRET_LENGTH} characters")
    _check_access(settings)
    if (settings.station_lat is None) != (settings.station_lon is None):
        missing = "station_lat" if settings.station_lat is None else "station_lon"
        raise SettingsError(missing, "station_lat and station_lon belong together; one is missing")
    if settings.base_url and urlsplit(settings.base_url).scheme not in ("http", "https"):
        raise SettingsError("base_url", "expected an http:// or https:// address")
    if settings.realtime_url and urlsplit(settings.realtime_url).scheme not in ("ws", "wss"):
        raise SettingsError("realtime_url", "expected a ws:// or wss:// address")
    if settings.realtime_path.rstrip("/") == "/socket.io":
        raise SettingsError("realtime_path", "is the path of Socket.IO; choose another")


def _check_access(settings: Settings) -> None:
    """What would open more than the administrator can have meant."""
    for secret in settings.jwt_secret_key:
        if settings.environment == "production" and len(secret) < MINIMUM_SECRET_LENGTH:
            raise SettingsError("jwt_secret_key", f"holds a secret of less than {MINIMUM_SECRET_LENGTH} characters")
    if settings.bus != "memory" and not settings.secret:
        raise SettingsError("secret", "must be set where the roles run in several processes (bus is not memory)")
    if settings.cors_allow_all_origins and settings.cors_allow_credentials:
        raise SettingsError(
            "cors_allow_all_origins", "cannot stand together with cors_allow_credentials; list cors_allowed_origins"
        )
    if settings.jwt_auth_cookie and settings.cors_allow_all_origins:
        raise SettingsError(
            "cors_allow_all_origins", "cannot stand together with jwt_auth_cookie; list cors_allowed_origins"
        )
    try:
        read_providers(settings)
    except ProviderError as error:
        raise SettingsError(error.setting, str(error)) from None
