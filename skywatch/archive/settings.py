"""The settings of the archive."""

from __future__ import annotations

import dataclasses
import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from skywatch.archive.hooks import archived_kinds
from skywatch.settings import AS_ARCHIVE_KEEP_DAYS, Settings, SettingsError, setting

_KEEP: dict[str, Any] = {"minimum": 0, "maximum": 365_000}


def parse_archive_url(text: str) -> str:
    """``file:///folder`` or ``s3://bucket`` or ``s3://bucket/prefix``; empty is no archive."""
    if not text:
        return text
    parts = urlsplit(text)
    if parts.query or parts.fragment:
        raise ValueError("expected a URL without ? and #")
    if parts.scheme == "file":
        if parts.netloc not in ("", "localhost") or not unquote(parts.path).startswith("/"):
            raise ValueError("expected file:/// and an absolute path")
        if PurePosixPath(unquote(parts.path)) == PurePosixPath("/") or "\0" in unquote(parts.path):
            raise ValueError("expected a folder below /")
    elif parts.scheme == "s3":
        if not re.fullmatch(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]", parts.netloc):
            raise ValueError("expected s3://bucket/prefix (credentials are settings of their own)")
        if any(part in ("", ".", "..") for part in parts.path.strip("/").split("/")) and parts.path.strip("/"):
            raise ValueError("expected a prefix without empty parts, . and ..")
    else:
        raise ValueError("expected file:///folder or s3://bucket/prefix")
    return text


def parse_kinds(text: str) -> tuple[str, ...]:
    """Names of kinds of data, separated by spaces or commas; which there are is known once all features are."""
    names = tuple(dict.fromkeys(name for name in re.split(r"[\s,]+", text) if name))
    if not names:
        raise ValueError("expected kinds of data such as flights positions")
    return names


def parse_endpoint(text: str) -> str:
    """``https://host`` or ``http://host:9000``; empty is Amazon's."""
    if text and not re.fullmatch(r"https?://(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?/?", text):
        raise ValueError("expected an address such as https://s3.example.org or http://127.0.0.1:9000")
    return text.rstrip("/")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ArchiveSettings(Settings):
    """The settings of the archive."""

    archive_url: str = setting(
        "",
        "where whole days are archived as Parquet: file:///folder or s3://bucket/prefix; empty: nowhere",
        parse=parse_archive_url,
    )
    archive_kinds: tuple[str, ...] = setting(
        ("flights", "positions", "safety"),
        "what is archived: kinds of data, separated by spaces",
        parse=parse_kinds,
    )
    archive_after_hours: float = setting(
        30.0, "a day is archived this long after its end in UTC (hours)", minimum=0, maximum=8760
    )
    archive_keep_days: float = setting(0.0, "how long archived days stay (days; 0: for ever)", **_KEEP)
    archive_query_s: float = setting(
        30.0, "longest time that one query may read the archive (s)", minimum=0.1, maximum=3600
    )
    archive_query_mb: int = setting(512, "memory of one query over the archive (MB)", minimum=128, maximum=1_000_000)
    archive_queries: int = setting(
        2, "queries over the archive at once in the whole installation; one of each user", minimum=1, maximum=64
    )
    archive_s3_endpoint: str = setting(
        "", "address of the S3 server, such as http://127.0.0.1:9000; empty: Amazon's", parse=parse_endpoint
    )
    archive_s3_region: str = setting("us-east-1", "region of the bucket")
    archive_s3_access_key: str = setting(
        "", "access key of the bucket; empty: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment"
    )
    archive_s3_secret_key: str = setting("", "secret key of the bucket", secret=True)

    def keep_days(self, kind: str) -> float:
        """How long archived days of a kind stay; 0: for ever."""
        days: float = getattr(self, f"archive_keep_{kind}_days", AS_ARCHIVE_KEEP_DAYS)
        return self.archive_keep_days if days == AS_ARCHIVE_KEEP_DAYS else days

    def check(self) -> None:
        """Keys belong together, and every kind is one that a feature declares."""
        if bool(self.archive_s3_access_key) != bool(self.archive_s3_secret_key):
            missing = "archive_s3_secret_key" if self.archive_s3_access_key else "archive_s3_access_key"
            raise SettingsError(missing, "archive_s3_access_key and archive_s3_secret_key belong together")
        if self.archive_url:
            known = sorted(kind.name for kind in archived_kinds(self.features))
            for name in self.archive_kinds:
                if name not in known:
                    raise SettingsError(
                        "archive_kinds", f"there is no kind {name!a}; expected some of {' '.join(known)}"
                    )
