"""The settings that all packages share, and what every settings class offers."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, TypeVar

from skywatch.settings.declaration import RETENTION_MB, SettingsError, setting
from skywatch.settings.kinds import parse_bus, parse_bus_prefix

AuthMode = Literal["public", "private", "hybrid"]
Environment = Literal["production", "development"]
Role = Literal["api", "tracker", "realtime", "worker", "ingest"]

ROLES: tuple[Role, ...] = ("api", "tracker", "realtime", "worker", "ingest")

# What a sample file or a hurried administrator would write; no service may sign tokens with it.
DEFAULT_SECRETS = frozenset({"secret", "changeme", "change-me", "development-only", "skywatch", "password"})
MIN_SECRET_LENGTH = 32
Source = Literal["default", "ini", "environment", "database", "file"]
T = TypeVar("T")


def check_secret(name: str, secret: str) -> None:
    """Refuse a secret of ours that can be guessed, in every environment; an empty one is not set."""
    if secret.lower() in DEFAULT_SECRETS:
        raise SettingsError(name, "is a well-known default; choose at least 32 random characters")
    if secret and len(secret) < MIN_SECRET_LENGTH:
        raise SettingsError(name, f"is shorter than {MIN_SECRET_LENGTH} characters")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings that all packages share; those of a package inherit from them, and ``compose`` puts all together."""

    # The installation's ``skywatch.core.feature.FeatureSet``, which stands on a higher layer; ``compose`` sets it.
    features: ClassVar[Any]
    # Name of every setting that does not have its default -> where its value comes from.
    sources: Mapping[str, Source] = dataclasses.field(default_factory=dict, repr=False, compare=False)
    # The file that the settings were read from; empty where they come from elsewhere.
    ini: str = dataclasses.field(default="", repr=False, compare=False)

    # The service
    environment: Environment = setting(
        "production", "production refuses unsafe settings; development works without a secret", published=True
    )
    secret: str = setting(
        "",
        "general application secret; at least 32 characters; in development it is created on first use and kept next "
        "to the SQLite file, in FILE.secret",
        secret=True,
    )
    database_url: str = setting(
        "sqlite:///skywatch.sqlite", "SQLAlchemy URL: sqlite:///FILE or postgresql+psycopg://..."
    )
    database_timeout_s: float = setting(
        60.0, "longest time that PostgreSQL may work on one statement (s)", minimum=1, maximum=3600
    )
    start_wait_s: float = setting(
        300.0,
        "how long a start waits for a database or bus that cannot be reached; 0: it ends at once (s)",
        minimum=0,
        maximum=86400,
    )
    bus: str = setting(
        "memory",
        "memory (one process), redis://host/0, redis+sentinel://h1,h2,h3/NAME or nats://h1,h2,h3 (many processes and "
        "hosts)",
        parse=parse_bus,
    )
    bus_prefix: str = setting(
        "",
        "what names on the bus begin with, so that installations share a server; skywatch if empty",
        parse=parse_bus_prefix,
    )
    roles: tuple[Role, ...] = setting(
        ROLES, "the roles that `skywatch serve` runs: api, tracker, realtime, worker, ingest"
    )
    tracker_standby: bool | None = setting(
        None,
        "whether a tracker that finds another one leading waits and takes over when that ends; unset: with PostgreSQL",
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting("info", "least serious log line shown")
    log_format: Literal["text", "json"] = setting("text", "text: for people; json: one JSON object a line")

    # Access
    auth_mode: AuthMode = setting(
        "hybrid",
        "public: no authentication; private: always; hybrid: the feature access settings decide",
        published=True,
    )

    # Retention of all kinds of data
    retention_database_mb: float = setting(
        0.0,
        "largest size of the whole database; the oldest tracks are deleted first (MB; 0: unlimited)",
        **RETENTION_MB,
    )
    retention_interval_s: float = setting(600.0, "how often retention looks for work (s)", minimum=1, maximum=86400)

    def of(self, kind: type[T]) -> T:
        """These settings as the settings of a package, which are a part of them."""
        if not isinstance(self, kind):
            raise TypeError(f"{kind.__name__} is not among the settings of this installation")
        return self

    def check(self) -> None:
        """Refuse combinations that are unsafe or make no sense; each package may have a ``check`` of its own."""
        if not self.secret and self.environment == "production":
            raise SettingsError("secret", "must be set in production (at least 32 random characters)")
        check_secret("secret", self.secret)
        if self.bus != "memory" and not self.secret:
            raise SettingsError("secret", "must be set where the roles run in several processes (bus is not memory)")
