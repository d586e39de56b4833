"""The feature declaration of backups."""

from __future__ import annotations

from skywatch.backup.settings import BackupSettings
from skywatch.core.feature import Feature, NotificationKind, Service

FEATURE = Feature(
    name="backup",
    settings=BackupSettings,
    services=(Service(role="worker", create="skywatch.backup.scheduling.service:create"),),
    # What administrators are notified of; backups are the first of it.
    notifications=(NotificationKind(name="system", permission="system.manage"),),
    parts={"backup": "Backups"},
    checks="skywatch.backup.checks:check",
    commands={"backup": "skywatch.backup.command:backup", "restore": "skywatch.backup.command:restore"},
)
