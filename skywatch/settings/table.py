"""Every setting once: its name, type, default and meaning."""

from __future__ import annotations

import dataclasses
from typing import Literal

from skywatch.settings.declaration import setting
from skywatch.settings.kinds import (
    parse_bus,
    parse_listen,
    parse_networks,
    parse_origins,
    parse_path,
    parse_rate,
    parse_redirect,
    parse_redirects,
)

AuthMode = Literal["public", "private", "hybrid"]
Environment = Literal["production", "development"]
Role = Literal["api", "tracker", "realtime"]

ROLES: tuple[Role, ...] = ("api", "tracker", "realtime")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of one installation, parsed and checked."""

    # The service
    environment: Environment = setting(
        "production", "production refuses unsafe settings; development accepts a throw-away secret"
    )
    secret: str = setting("", "general application secret; at least 32 characters", secret=True)
    database_url: str = setting(
        "sqlite:///skywatch.sqlite", "SQLAlchemy URL: sqlite:///FILE or postgresql+psycopg://..."
    )
    bus: str = setting(
        "memory",
        "memory (one process) or redis://host/0 (as many as wanted; ?prefix=NAME lets installations share a server)",
        parse=parse_bus,
    )
    roles: tuple[Role, ...] = setting(ROLES, "the roles that `skywatch serve` runs: api, tracker, realtime")
    listen: str = setting("127.0.0.1:6543", "host:port of the REST API", parse=parse_listen)
    api_threads: int = setting(8, "worker threads of the REST API", minimum=1, maximum=256)
    api_max_connections: int = setting(
        2000, "connections to the REST API at a time; more wait until one is closed", minimum=10, maximum=100_000
    )
    api_connections_per_address: int = setting(
        500,
        "connections to the REST API from one client address (IPv6: one /64; trusted_proxy: any number)",
        minimum=1,
        maximum=100_000,
    )
    base_url: str = setting("", "public address of the service, when a proxy stands before it")
    trusted_proxy: tuple[str, ...] = setting(
        (),
        "addresses or networks of proxies whose X-Forwarded-For and -Proto are believed",
        parse=parse_networks,
    )
    max_body_bytes: int = setting(1_048_576, "largest request body accepted (bytes)", minimum=1024)
    log_level: Literal["debug", "info", "warning", "error"] = setting("info", "least serious log line shown")
    log_format: Literal["text", "json"] = setting("text", "text: for people; json: one JSON object a line")

    # Access
    auth_mode: AuthMode = setting(
        "hybrid", "public: no authentication; private: always; hybrid: the feature access settings decide"
    )
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
    jwt_auth_cookie: bool = setting(False, "tokens also travel in http-only cookies")
    cors_allow_all_origins: bool = setting(False, "pages of every origin may call the API (not with credentials)")
    cors_allow_credentials: bool = setting(False, "pages of the allowed origins may send cookies")
    cors_allowed_origins: tuple[str, ...] = setting(
        (), "origins whose pages may call the API, such as https://radar.example.org", parse=parse_origins
    )
    throttle_anon: str = setting(
        "100/minute",
        "requests of one address without credentials",
        name="default_throttle_rates.anon",
        parse=parse_rate,
    )
    throttle_user: str = setting(
        "1000/minute", "requests of one user", name="default_throttle_rates.user", parse=parse_rate
    )
    throttle_login: str = setting(
        "5/minute", "login attempts of one address", name="default_throttle_rates.login", parse=parse_rate
    )
    throttle_refresh: str = setting(
        "5/minute", "token refreshes of one address", name="default_throttle_rates.refresh", parse=parse_rate
    )
    console_enabled: bool = setting(True, "the administrative console at /console")
    console_idle_minutes: int = setting(
        30, "a session of the console ends after this long without a page (min)", minimum=1, maximum=1440
    )
    console_session_hours: int = setting(
        12, "a session of the console ends this long after signing in (h)", minimum=1, maximum=168
    )
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

    # Single sign-on
    oidc_enabled: bool = setting(False, "single sign-on with OpenID Connect")
    oidc_provider_url: str = setting("", "base URL of the identity provider (its issuer)")
    oidc_client_id: str = setting("", "client id that the identity provider knows Skywatch by")
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
    )

    # Station and receivers
    station_lat: float | None = setting(
        None, "latitude of the antenna (degrees); also the origin of distances", minimum=-90, maximum=90
    )
    station_lon: float | None = setting(None, "longitude of the antenna (degrees)", minimum=-180, maximum=180)
    receivers: dict[str, str] = setting(
        {}, "a receiver: kind and address, for example `beast localhost:30005`", name="receiver.*"
    )

    # The picture
    picture_timeout_s: float = setting(
        60.0, "an aircraft leaves the picture this long after its last message (s)", minimum=5, maximum=3600
    )
    picture_save_s: float = setting(
        10.0, "how often the picture is saved for a restart (s; 0: never)", minimum=0, maximum=3600
    )

    # History and retention
    history_enabled: bool = setting(True, "record flights and tracks")
    history_error_m: float = setting(
        20.0, "a stored track passes this near to every received position (m)", minimum=5, maximum=2000
    )
    history_altitude_error_ft: float = setting(
        25.0, "a stored track passes this near to every received altitude (ft)", minimum=10, maximum=2000
    )
    history_flush_s: float = setting(
        5.0, "history is committed at least this often; what a crash may lose (s)", minimum=1, maximum=60
    )
    history_flight_gap_s: float = setting(
        900.0, "an aircraft unseen for this long begins a new flight when it returns (s)", minimum=60, maximum=86400
    )
    retention_positions_days: float = setting(90.0, "tracks are kept this long (days; 0: for ever)", minimum=0)
    retention_positions_mb: float = setting(0.0, "tracks may take this much room (MB; 0: no limit)", minimum=0)
    retention_flights_days: float = setting(730.0, "flights are kept this long (days; 0: for ever)", minimum=0)
    retention_flights_mb: float = setting(0.0, "flights may take this much room (MB; 0: no limit)", minimum=0)
    retention_audit_days: float = setting(365.0, "the audit log is kept this long (days; 0: for ever)", minimum=0)
    retention_audit_mb: float = setting(0.0, "the audit log may take this much room (MB; 0: no limit)", minimum=0)
    retention_logins_days: float = setting(
        90.0,
        "logins that ran out, and with them where somebody logged in from, are kept this long (days; 0: for ever)",
        minimum=0,
    )
    retention_database_mb: float = setting(
        0.0, "the whole database may take this much room; the oldest tracks go first (MB; 0: no limit)", minimum=0
    )
    retention_interval_s: float = setting(600.0, "how often retention looks for work (s)", minimum=1, maximum=86400)

    # The real-time channel
    realtime_listen: str = setting("127.0.0.1:6544", "host:port of the real-time channel", parse=parse_listen)
    realtime_path: str = setting("/ws", "path of the native protocol (Socket.IO is at /socket.io/)", parse=parse_path)
    realtime_url: str = setting(
        "", "public ws:// or wss:// address of the channel without its path, where clients cannot tell it from base_url"
    )
    realtime_compression: bool = setting(
        False, "offer permessage-deflate; each frame is compressed once for all who share it"
    )
    realtime_heartbeat_s: float = setting(
        25.0, "a silent client is asked for a sign of life this often (s)", minimum=1, maximum=300
    )
    realtime_max_connections: int = setting(10_000, "connections to one process", minimum=1, maximum=100_000)
    realtime_connections_per_address: int = setting(
        200, "connections from one client address (IPv6: one /64)", minimum=1, maximum=100_000
    )
    realtime_connections_per_user: int = setting(50, "connections of one user", minimum=1, maximum=100_000)
    realtime_messages_per_s: float = setting(
        20.0, "messages a client may send a second (twice that at once)", minimum=1, maximum=10_000
    )
    realtime_max_message_bytes: int = setting(
        65_536, "largest message a client may send (bytes)", minimum=1024, maximum=16_777_216
    )
    realtime_queue_events: int = setting(
        256, "writes that may wait for a slow client before it is closed (4008)", minimum=8, maximum=100_000
    )
    realtime_queue_bytes: int = setting(
        4_194_304, "bytes that may wait for a slow client before it is closed (4008)", minimum=65_536
    )
    realtime_return_s: float = setting(
        10.0, "at a stop clients are told to come back spread over this time (s)", minimum=0, maximum=600
    )

    # Cannonball: law-enforcement aircraft near users
    cannonball_import_max_bytes: int = setting(
        67_108_864, "largest list of known aircraft that the REST API imports (bytes)", minimum=1024
    )
    cannonball_default_radius_nm: float = setting(
        25.0, "radius of a location that names none (nm)", minimum=1, maximum=100
    )
    cannonball_location_ttl_s: float = setting(
        600.0, "a user's location lives this long without refresh (s)", minimum=30, maximum=86400
    )
    cannonball_unseen_s: float = setting(
        300.0, "a session ends this long after the aircraft's last position (s)", minimum=30, maximum=3600
    )
    cannonball_leave_factor: float = setting(
        1.2, "a session ends beyond this multiple of the radius", minimum=1, maximum=3
    )
    cannonball_flight_gap_s: float = setting(
        1800.0, "a known aircraft out of the picture for longer flies anew when it returns (s)", minimum=60
    )
    cannonball_closing_smoothing_s: float = setting(
        10.0, "time constant with which closing speeds are smoothed (s)", minimum=1, maximum=120
    )
    cannonball_warning_nm: float = setting(8.0, "nearer than this is a warning (nm)", minimum=0.1, maximum=100)
    cannonball_critical_nm: float = setting(2.0, "nearer than this is critical (nm)", minimum=0.1, maximum=50)
    cannonball_warning_arrival_s: float = setting(
        360.0, "closing in that would arrive sooner than this is a warning (s)", minimum=10, maximum=3600
    )
    cannonball_critical_arrival_s: float = setting(
        90.0, "closing in that would arrive sooner than this is critical (s)", minimum=5, maximum=3600
    )
    cannonball_hysteresis_factor: float = setting(
        1.25, "a level is left only beyond this multiple of its threshold", minimum=1, maximum=3
    )
    cannonball_calm_s: float = setting(
        45.0, "a level falls only after things were calmer for this long (s)", minimum=0, maximum=600
    )
    cannonball_closing_fast_kt: float = setting(
        120.0, "closing speed that raises closing_fast (kt)", minimum=10, maximum=1000
    )
    cannonball_overhead_nm: float = setting(
        1.0, "an airborne aircraft nearer than this is overhead (nm)", minimum=0.1, maximum=10
    )
    cannonball_pattern_confidence: float = setting(
        0.5, "surveillance patterns below this score make nobody of interest (0 to 1)", minimum=0, maximum=1
    )
    cannonball_pattern_memory_s: float = setting(
        120.0, "an ended surveillance pattern counts for this long (s)", minimum=0, maximum=3600
    )
    cannonball_cooldown_le_detected_s: float = setting(1800.0, "pause between two le_detected alerts (s)", minimum=0)
    cannonball_cooldown_new_threat_s: float = setting(1800.0, "pause between two new_threat alerts (s)", minimum=0)
    cannonball_cooldown_pattern_detected_s: float = setting(
        900.0, "pause between two pattern_detected alerts of one pattern type (s)", minimum=0
    )
    cannonball_cooldown_closing_fast_s: float = setting(600.0, "pause between two closing_fast alerts (s)", minimum=0)
    cannonball_cooldown_overhead_s: float = setting(900.0, "pause between two overhead alerts (s)", minimum=0)
    cannonball_cooldown_threat_escalated_s: float = setting(
        300.0, "pause between two threat_escalated alerts to the same level (s)", minimum=0
    )
    cannonball_cooldown_threat_cleared_s: float = setting(
        300.0, "pause between two threat_cleared alerts (s)", minimum=0
    )
    cannonball_flush_s: float = setting(
        2.0, "how often the numbers of running sessions are committed and published (s)", minimum=0.5, maximum=30
    )
    retention_cannonball_days: float = setting(
        90.0, "sessions, their alerts and flight patterns are kept this long (days; 0: for ever)", minimum=0
    )
    retention_cannonball_mb: float = setting(
        0.0, "sessions, alerts and flight patterns may each take this much room (MB; 0: no limit)", minimum=0
    )
