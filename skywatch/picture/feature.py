"""The feature declaration of the live air picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.feature import Feature
from skywatch.core.hooks import DoctorCheck
from skywatch.picture.settings import PictureSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skywatch.core.terminal.checks import Finding, Inspection


def _check(inspection: Inspection) -> Iterator[Finding]:
    from skywatch.picture.checks import check

    return check(inspection)


FEATURE = Feature(
    name="picture",
    include="skywatch.picture",
    settings=PictureSettings,
    metrics="skywatch.picture.metrics",
    provides=(DoctorCheck(_check),),
)
