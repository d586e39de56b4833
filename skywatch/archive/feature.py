"""The feature declaration of the archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.archive.settings import ArchiveSettings
from skywatch.core.feature import Feature
from skywatch.core.hooks import DoctorCheck, PartLabels, Service, StoredFolders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skywatch.core.backups import StoredFolder
    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.terminal.checks import Finding, Inspection
    from skywatch.settings import Settings


def _create_service(runtime: Runtime) -> RunningService | None:
    from skywatch.archive.writer.service import create

    return create(runtime)


def _check(inspection: Inspection) -> Iterator[Finding]:
    from skywatch.archive.checks import check

    return check(inspection)


def _folders(settings: Settings) -> list[StoredFolder]:
    from skywatch.archive.storage.folder import folders

    return folders(settings)


FEATURE = Feature(
    name="archive",
    settings=ArchiveSettings,
    metrics="skywatch.archive.metrics",
    commands={"archive": "skywatch.archive.command:archive"},
    provides=(
        Service(role="worker", create=_create_service),
        PartLabels({"archive": "Archive"}),
        DoctorCheck(_check),
        StoredFolders(_folders),
    ),
)
