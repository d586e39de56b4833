"""The feature declaration of flight patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.core.batch import BatchJobs
from skywatch.core.feature import Feature

if TYPE_CHECKING:
    from skywatch.core.batch import BatchJob


def _batch_jobs() -> tuple[BatchJob, ...]:
    from skywatch.patterns.batch import JOBS

    return JOBS


FEATURE = Feature(
    name="patterns",
    commands={"patterns": "skywatch.patterns.command:patterns"},
    provides=(BatchJobs(_batch_jobs),),
)
