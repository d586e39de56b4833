"""What features provide to the archive."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from skywatch.archive.kinds import ArchivedKind
    from skywatch.core.batch import PastDay
    from skywatch.core.feature import FeatureSet


@dataclass(frozen=True)
class ArchivedKinds(Hook):
    """The kinds of data of the feature that are archived."""

    kinds: Callable[[], Sequence[ArchivedKind]]


def archived_kinds(features: FeatureSet) -> list[ArchivedKind]:
    """The kinds of data that the features of the installation archive."""
    return [kind for hook in features.provided(ArchivedKinds) for kind in hook.kinds()]


def kinds_of(features: FeatureSet, names: tuple[str, ...]) -> list[ArchivedKind]:
    """The kinds of these names that the features of the installation declare, in the order of the names."""
    declared = {kind.name: kind for kind in archived_kinds(features)}
    return [declared[name] for name in names if name in declared]


@dataclass(frozen=True)
class PastDays(Hook):
    """Archived rows as a day of the past, for batch jobs; at most one feature has it.

    ``day(rows, day, station, military)`` makes one of ``skywatch.archive.batch.archived_rows.ArchivedRows``.
    """

    day: Callable[[Any, date, tuple[float, float] | None, Mapping[str, bool]], PastDay]
