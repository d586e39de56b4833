"""The settings of the REST API and of everything served over HTTP."""

from __future__ import annotations

import dataclasses
from urllib.parse import urlsplit

from skywatch.http.prefix import MAX_LENGTH, configured_prefix, is_prefix
from skywatch.settings import Settings, SettingsError, setting
from skywatch.settings.kinds import parse_listen, parse_networks, parse_origins, parse_path, parse_rate


@dataclasses.dataclass(frozen=True, kw_only=True)
class HttpSettings(Settings):
    """The settings of the REST API and of everything served over HTTP."""

    listen: str = setting("127.0.0.1:6543", "host:port of the REST API", parse=parse_listen)
    api_threads: int = setting(8, "worker threads of the REST API", minimum=1, maximum=256)
    api_max_connections: int = setting(
        2000,
        "concurrent connections to the REST API; further ones wait until one is closed",
        minimum=10,
        maximum=100_000,
    )
    api_connections_per_address: int = setting(
        500,
        "concurrent connections to the REST API from one client address (IPv6: one /64; trusted_proxy: unlimited); one"
        " IPv6 /48 has four times as many, at most half of api_max_connections",
        minimum=1,
        maximum=100_000,
    )
    api_max_header_bytes: int = setting(
        32_768, "largest head of a request: request line and header fields (bytes)", minimum=4096, maximum=1_048_576
    )
    api_max_header_fields: int = setting(
        100, "largest number of header fields of a request", minimum=10, maximum=10_000
    )
    api_unidentified_bytes: int = setting(
        33_554_432,
        "forms over 64 KiB whose API key has not arrived yet: what all of them may have sent (bytes, in memory)",
        minimum=65_536,
        maximum=1_073_741_824,
    )
    api_unidentified_bytes_per_address: int = setting(
        8_388_608,
        "the same from one client address (bytes; IPv6: one /64); one IPv6 /48 four times as much, at most half of all",
        minimum=65_536,
        maximum=1_073_741_824,
    )
    api_upload_bytes_per_user: int = setting(
        268_435_456,
        "bodies over 64 KiB that one user may be sending at once (bytes); a single one may be larger",
        minimum=65_536,
        maximum=1_099_511_627_776,
    )
    api_streams: int = setting(8, "exports and replays that are sent at once", minimum=1, maximum=256)
    api_streams_per_user: int = setting(2, "exports and replays that one user receives at once", minimum=1, maximum=256)
    api_streams_per_address: int = setting(
        1,
        "exports and replays that callers without credentials of one network receive at once (IPv4: /24; IPv6: /64)",
        minimum=1,
        maximum=256,
    )
    base_url: str = setting(
        "", "public address of the service behind a proxy, such as https://radar.example.org or https://example.org/sky"
    )
    trusted_proxy: tuple[str, ...] = setting(
        (),
        "addresses or networks of proxies whose X-Forwarded-For, -Proto and -Prefix and X-Ingress-Path are trusted",
        parse=parse_networks,
    )
    max_body_bytes: int = setting(
        1_048_576, "largest request body accepted (bytes)", minimum=1024, maximum=1_073_741_824
    )
    jwt_auth_cookie: bool = setting(False, "also set tokens as HttpOnly cookies")
    cors_allow_all_origins: bool = setting(False, "allow pages of every origin to call the API without credentials")
    cors_allow_credentials: bool = setting(False, "allow pages of the allowed origins to send cookies")
    cors_allowed_origins: tuple[str, ...] = setting(
        (), "origins whose pages may call the API, such as https://radar.example.org", parse=parse_origins
    )
    throttle_anon: str = setting(
        "100/minute",
        "requests from one address without credentials",
        name="default_throttle_rates.anon",
        parse=parse_rate,
    )
    throttle_user: str = setting(
        "1000/minute", "requests of one user", name="default_throttle_rates.user", parse=parse_rate
    )
    throttle_live: str = setting(
        "1200/minute",
        "reads of aircraft.json and its relatives (/data/ and others), of one address or user",
        name="default_throttle_rates.live",
        parse=parse_rate,
    )
    throttle_login: str = setting(
        "5/minute", "login attempts from one address", name="default_throttle_rates.login", parse=parse_rate
    )
    throttle_refresh: str = setting(
        "5/minute", "token refreshes from one address", name="default_throttle_rates.refresh", parse=parse_rate
    )

    # The address of the real-time channel, which the REST API returns to clients.
    realtime_listen: str = setting("127.0.0.1:6544", "host:port of the real-time channel", parse=parse_listen)
    realtime_path: str = setting("/ws", "path of the native protocol (Socket.IO is at /socket.io/)", parse=parse_path)
    realtime_url: str = setting(
        "", "public ws:// or wss:// address of the channel without its path, if it does not follow from base_url"
    )

    def check(self) -> None:
        """Refuse combinations that would allow every origin with credentials, and invalid addresses."""
        if self.cors_allow_all_origins and self.cors_allow_credentials:
            raise SettingsError(
                "cors_allow_all_origins", "cannot be combined with cors_allow_credentials; list cors_allowed_origins"
            )
        if self.jwt_auth_cookie and self.cors_allow_all_origins:
            raise SettingsError(
                "cors_allow_all_origins", "cannot be combined with jwt_auth_cookie; list cors_allowed_origins"
            )
        if self.base_url and urlsplit(self.base_url).scheme not in ("http", "https"):
            raise SettingsError("base_url", "expected an http:// or https:// address")
        self._check_prefix()
        if self.realtime_url and urlsplit(self.realtime_url).scheme not in ("ws", "wss"):
            raise SettingsError("realtime_url", "expected a ws:// or wss:// address")
        if self.realtime_path.rstrip("/") == "/socket.io":
            raise SettingsError("realtime_path", "is the path of Socket.IO; choose another")

    def _check_prefix(self) -> None:
        """Refuse a public address from which no path prefix follows."""
        parts, prefix = urlsplit(self.base_url), configured_prefix(self.base_url)
        if parts.query or parts.fragment:
            raise SettingsError("base_url", "must end with its path: no query string and no fragment")
        if prefix and not is_prefix(prefix):
            raise SettingsError(
                "base_url",
                f"its path may have at most {MAX_LENGTH} characters, in segments of letters, digits, '.', '_', '~' "
                "and '-'",
            )
