"""The feature declaration of backups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.backup.settings import BackupSettings
from skywatch.core.feature import Feature
from skywatch.core.hooks import AfterRestore, DoctorCheck, PartLabels, Service
from skywatch.notify.hooks import NotificationKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from skywatch.core.backups import Restoration
    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.terminal.checks import Finding, Inspection


def _create_schedule(runtime: Runtime) -> RunningService | None:
    from skywatch.backup.schedule.service import create

    return create(runtime)


def _check(inspection: Inspection) -> Iterator[Finding]:
    from skywatch.backup.checks import check

    return check(inspection)


def _end_request(session: Session, restoration: Restoration) -> None:
    from skywatch.backup.schedule.state import end_restored

    end_restored(session)


FEATURE = Feature(
    name="backup",
    settings=BackupSettings,
    commands={"backup": "skywatch.backup.command:backup", "restore": "skywatch.backup.command:restore"},
    provides=(
        Service(role="worker", create=_create_schedule),
        # What administrators are notified of; backups are the first of it.
        NotificationKind(name="system", permission="system.manage"),
        PartLabels({"backup": "Backups"}),
        DoctorCheck(_check),
        AfterRestore(_end_request),
    ),
)
