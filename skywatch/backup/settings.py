"""The settings of backups by schedule."""

from __future__ import annotations

import dataclasses
import re

from skywatch.settings import Settings, SettingsError, setting

# Backups are made when somebody asks for one alone.
NEVER = "never"
UNIT_S = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
MIN_S, MAX_S = 60, 366 * 86_400


def duration_s(text: str) -> int:
    """The seconds of a duration such as ``24h``; raises ValueError."""
    match = re.fullmatch(r"([1-9][0-9]{0,8})([smhd])", text)
    if match is None:
        raise ValueError("expected a duration such as 24h or 7d (s, m, h, d)")
    return int(match.group(1)) * UNIT_S[match.group(2)]


def parse_interval(text: str) -> str:
    """A duration between a minute and a year, or ``never``."""
    if text != NEVER and not MIN_S <= duration_s(text) <= MAX_S:
        raise ValueError("expected a duration between 1m and 366d, or never")
    return text


@dataclasses.dataclass(frozen=True, kw_only=True)
class BackupSettings(Settings):
    """The settings of backups by schedule."""

    backup_target: str = setting(
        "",
        "folder in which the role worker makes backups, each in a folder of its own; empty: backups, beside an SQLite "
        "database",
    )
    backup_every: str = setting(
        "24h", "how often a backup is made (s, m, h, d), or never: only on demand", parse=parse_interval, stored=True
    )
    backup_keep: int = setting(7, "how many whole backups stay", minimum=1, maximum=10_000, stored=True)
    backup_passphrase_file: str = setting(
        "",
        "file whose first line encrypts the settings and the secret in backups; empty: one beside an SQLite database, "
        "which the console makes",
    )

    def check(self) -> None:
        """A schedule has a passphrase: nobody decides at night whether the secret is left out."""
        has_place = self.database_url.startswith("sqlite")
        if self.backup_target and not self.backup_passphrase_file and not has_place:
            raise SettingsError("backup_passphrase_file", "must be set where backup_target is")
