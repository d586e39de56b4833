"""``Lead``: the reports of a tick as the first receiver that hears each aircraft has them.

Receivers that hear the same aircraft mostly say the same of it: the last message is the same for all. Each further
document is compared with the leading reports by columns; where both say the same, only its times, its count and its
signal are its own. One that heard the aircraft a moment later has another place for it, and all else alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter, ne

import numpy as np

from skywatch.core.arrays import Array
from skywatch.picture.merging.steady_arrays import SteadyArrays
from skywatch.picture.state.fields import AIRFRAME_FIELDS
from skywatch.receivers.reports.report_columns import NUMBERS, STEADY, ReportColumns

# What each receiver says in its own way, so that it makes no difference between two reports.
OWN = ("messages", "rssi")
# What differs between receivers that heard an aircraft at different moments.
PLACE = ("lat", "lon")
_COMPARED = tuple(name for name in NUMBERS if name not in (*OWN, *PLACE))
# What is said of a flight, without what the aircraft is.
_of_flight = itemgetter(*(at for at, name in enumerate(STEADY) if name not in AIRFRAME_FIELDS))


class Lead:
    """One report an aircraft, by row: ``columns``. ``reports`` are each receiver's, with the rows of its aircraft.

    ``first`` is the place of each among the reports of all, one receiver's behind the other's.
    """

    def __init__(self, reports: Sequence[tuple[ReportColumns, Array]], aircraft: int) -> None:
        first = np.full(aircraft, -1)
        end = sum(len(columns) for columns, _ in reports)
        for columns, rows in reversed(reports):
            end -= len(columns)
            first[rows] = np.arange(end, end + len(columns))
        self.first = first
        if (first == np.arange(aircraft)).all() and len(reports[0][0]) == aircraft:
            self.columns = reports[0][0]
        else:
            self.columns = ReportColumns.joined([columns for columns, _ in reports]).take(first.tolist())

    def differences(self, columns: ReportColumns, rows: Array, steady_arrays: SteadyArrays) -> Array:
        """The indices of reports that say something else than the leading ones of their rows, not of another place.

        ``steady_arrays`` are those of the reports.
        """
        lead = self.columns
        if columns is lead:
            return np.empty(0, "i8")
        differ = steady_arrays.differ_from(list(map(lead.steady.__getitem__, rows.tolist())))
        other = differ | _differ(columns, lead, rows, _COMPARED)
        other |= _advise_differently(columns, lead, rows)
        moved = _differ(columns, lead, rows, PLACE)
        # One that has no place may be given that of another.
        other |= moved & ~(_has_place(columns) & _has_place(lead)[rows])
        return np.flatnonzero(other)


def say_the_same(ones: ReportColumns, others: ReportColumns) -> Array:
    """?[n]: whether reports say the same of a flight, but for place, times, count and signal."""
    rows = np.arange(len(ones))
    are_other = map(ne, map(_of_flight, ones.steady), map(_of_flight, others.steady))
    differ = np.fromiter(are_other, "?", len(ones)) | _differ(ones, others, rows, _COMPARED)
    result: Array = ~(differ | _advise_differently(ones, others, rows))
    return result


def _differ(ones: ReportColumns, others: ReportColumns, rows: Array, names: Sequence[str]) -> Array:
    """?[n]: in which any of these numbers is not that of ``rows`` of others."""
    differ = np.zeros(len(ones), "?")
    for name in names:
        one, other = ones.numbers.get(name), others.numbers.get(name)
        if one is None or other is None:
            column = one if other is None else other[rows]
            if column is not None:
                differ |= ~np.isnan(column)
            continue
        other = other[rows]
        differ |= (one != other) & ~(np.isnan(one) & np.isnan(other))
    return differ


def _advise_differently(ones: ReportColumns, others: ReportColumns, rows: Array) -> Array:
    differ = np.zeros(len(ones), "?")
    if ones.advisories or others.advisories:
        for at, row in enumerate(rows.tolist()):
            differ[at] = ones.advisories.get(at) != others.advisories.get(row)
    return differ


def _has_place(columns: ReportColumns) -> Array:
    if not all(name in columns.numbers for name in PLACE):
        return np.zeros(len(columns), "?")
    result: Array = ~np.isnan(columns.numbers["lat"] + columns.numbers["lon"])
    return result
