"""The declaration of the feature notify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import AfterRestore, Service
from skywatch.notify.settings import NotifySettings

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from skywatch.core.backups import Restoration
    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind


def _create_worker(runtime: Runtime) -> RunningService:
    from skywatch.notify.deliveries.worker import create

    return create(runtime)


def _create_publisher(runtime: Runtime) -> RunningService | None:
    from skywatch.notify.mqtt.service import create

    return create(runtime)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.notify.retention import KINDS

    return KINDS


def _hold_pending(session: Session, restoration: Restoration) -> None:
    from skywatch.notify.deliveries.restored import hold_pending

    hold_pending(session, restoration)


FEATURE = Feature(
    name="notify",
    retention=_retention_kinds,
    settings=NotifySettings,
    metrics="skywatch.notify.metrics",
    commands={"deliveries": "skywatch.notify.command:deliveries"},
    provides=(
        Service(role="worker", create=_create_worker),
        Service(role="worker", create=_create_publisher),
        AfterRestore(_hold_pending),
    ),
)
