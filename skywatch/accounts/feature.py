"""What accounts are made of."""

from __future__ import annotations

from skywatch.accounts.settings import AccountSettings
from skywatch.core.feature import Feature

FEATURE = Feature(
    name="accounts",
    settings=AccountSettings,
    include="skywatch.accounts",
    retention="skywatch.accounts.retention:KINDS",
    commands={"user": "skywatch.accounts.command:user"},
)
