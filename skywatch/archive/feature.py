"""The feature declaration of the archive."""

from __future__ import annotations

from skywatch.archive.settings import ArchiveSettings
from skywatch.core.feature import Feature, Service

FEATURE = Feature(
    name="archive",
    settings=ArchiveSettings,
    services=(Service(role="worker", create="skywatch.archive.writing.service:create"),),
    parts={"archive": "Archive"},
    metrics="skywatch.archive.metrics",
    checks="skywatch.archive.checks:check",
    stored_folders="skywatch.archive.stored:folders",
    commands={"archive": "skywatch.archive.command:archive"},
)
