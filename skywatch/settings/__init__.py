"""Every setting once: its name, type, default and meaning.

Values come from the ini file and then from the environment, which wins: the name in upper case, with the suffix
``_FILE`` the path of a file with the value. A value that does not parse, a name nobody knows or a combination that is
unsafe raises ``SettingsError``, whose text is one line that names the setting. Nothing else in Skywatch reads the
environment or the ini file.
"""

from __future__ import annotations

from skywatch.settings.base import MIN_SECRET_LENGTH, ROLES, AuthMode, Environment, Role, Settings, Source
from skywatch.settings.declaration import (
    ARCHIVE_KEEP,
    AS_ARCHIVE_KEEP_DAYS,
    RETENTION_DAYS,
    RETENTION_MB,
    IniOnlyError,
    SettingsError,
    ini_line,
    setting,
)
from skywatch.settings.kinds import environment_secret, split_listen
from skywatch.settings.loader import Origin, check_settings, load_with_origins, origins_of, parse_setting
from skywatch.settings.names import Names, compose, names_of, public_name, published

__all__ = [
    "ARCHIVE_KEEP",
    "AS_ARCHIVE_KEEP_DAYS",
    "MIN_SECRET_LENGTH",
    "RETENTION_DAYS",
    "RETENTION_MB",
    "ROLES",
    "AuthMode",
    "Environment",
    "IniOnlyError",
    "Names",
    "Origin",
    "Role",
    "Settings",
    "SettingsError",
    "Source",
    "check_settings",
    "compose",
    "environment_secret",
    "ini_line",
    "load_with_origins",
    "names_of",
    "origins_of",
    "parse_setting",
    "public_name",
    "published",
    "setting",
    "split_listen",
]
