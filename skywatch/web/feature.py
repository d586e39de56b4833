"""The feature declaration of the web application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import AfterRestore, DoctorCheck, PartLabels, Service
from skywatch.web.settings import WebSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from skywatch.core.backups import Restoration
    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.terminal.checks import Finding, Inspection


def _create_region_maps(runtime: Runtime) -> RunningService | None:
    from skywatch.web.region.service import create

    return create(runtime)


def _end_region_map(session: Session, restoration: Restoration) -> None:
    from skywatch.web.region.job import end_restored

    end_restored(session)


def _check(inspection: Inspection) -> Iterator[Finding]:
    from skywatch.web.checks import check

    return check(inspection)


FEATURE = Feature(
    name="web",
    settings=WebSettings,
    include="skywatch.web",
    provides=(
        Service(role="worker", create=_create_region_maps),
        PartLabels({"region_map": "Map of the region"}),
        AfterRestore(_end_region_map),
        DoctorCheck(_check),
    ),
)
