"""The whole sky at a moment, and a span of it again as a stream of moments, as JSON.

Names and units are those of live data; ``schemas.PastAircraft`` lists the members of each aircraft.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
from sqlalchemy.orm import Session

from skywatch.airframes.military import MilitaryAircraft, hidden_from, military_aircraft
from skywatch.core.arrays import distinct
from skywatch.history import numerals
from skywatch.history.flights.service import Label, Labels
from skywatch.history.moments.interpolation import Column, Positions, sweep
from skywatch.history.records import Rows, Template, Text, text
from skywatch.history.storage.points import (
    ALTITUDE_FT,
    AT_S,
    GROUND,
    MILITARY,
    NO_ALTITUDE,
    SEGMENT_S,
    SIMULATED,
    SLICE_S,
    Points,
    address_text,
    in_order,
    join,
    no_points,
    starts_of,
)
from skywatch.history.storage.reader import Span, read, read_slices
from skywatch.history.storage.shards import slice_of
from skywatch.security.visibility import Visibility

# Positions this far around a moment determine where an aircraft was.
AROUND_S = SEGMENT_S
# Altitudes are shown in steps of this many feet, as Mode S has them.
ALTITUDE_STEP_FT = 25
_TENTH_MS = 100

_encode = msgspec.json.Encoder().encode


def picture(session: Session, at: float, labels: Labels) -> bytes:
    """Every aircraft at unix seconds ``at``: ``{now, aircraft, count}``."""
    hidden = hidden_from(labels.visibility, session)
    near = _around([read(session, Span(at - AROUND_S, at + AROUND_S, hidden=hidden))], at, at)
    flight_labels = labels.fetch(session, distinct(near["flight"]).tolist())
    return next(moment_lines(near, np.array([at]), flight_labels, military_aircraft(session)))


def replay(session: Session, begin: float, end: float, step_s: float, labels: Labels) -> Iterator[bytes]:
    """Every moment from ``begin`` to ``end``, ``step_s`` apart, as ``picture``; holds three slices at most."""
    military = military_aircraft(session)
    span = Span(begin - AROUND_S, end + AROUND_S, hidden=hidden_from(labels.visibility, session))
    for points, moments in windows(read_slices(session, span, session.rollback), begin, end, step_s):
        flight_labels = labels.fetch(session, distinct(points["flight"]).tolist())
        yield from moment_lines(points, moments, flight_labels, military)


def windows(
    slices: Iterator[tuple[int, Points]], begin: float, end: float, step_s: float
) -> Iterator[tuple[Points, Column]]:
    """The moments from ``begin`` to ``end``, some at a time, each time with the points that determine them, in order.

    ``slices`` are in order of time.
    """
    steps = begin + step_s * np.arange(int((end - begin) / step_s + 1e-9) + 1)
    ahead = next(slices, None)
    near: dict[int, Points] = {}
    for first in range(slice_of(begin), slice_of(end) + SLICE_S, SLICE_S):
        while ahead is not None and ahead[0] <= first + SLICE_S:
            near[ahead[0]] = ahead[1]
            ahead = next(slices, None)
        near.pop(first - 2 * SLICE_S, None)
        moments = steps[np.searchsorted(steps, first) : np.searchsorted(steps, first + SLICE_S)]
        if len(moments):
            yield _around(list(near.values()), moments[0], moments[-1]), moments


def past_pictures(session: Session, begin: float, end: float, step_s: float, visibility: Visibility) -> Iterator[bytes]:
    """``replay`` for other features (``PastPictures``); ends the session's transaction between slices."""
    return replay(session, begin, end, step_s, Labels(visibility))


def _around(parts: list[Points], begin: float, end: float) -> Points:
    """The points, in order, that determine the moments from ``begin`` to ``end``; each part is in order."""
    selection = []
    for points in parts:
        at = points["at"]
        selection.append(points[(at >= (begin - AROUND_S) / AT_S) & (at <= (end + AROUND_S) / AT_S)])
    if len(selection) == 1:
        return selection[0]
    return in_order(join(selection)) if selection else no_points()


def moment_lines(
    points: Points, moments: Column, flight_labels: dict[int, Label], military: MilitaryAircraft
) -> Iterator[bytes]:
    """``{now, aircraft, count}`` of each moment; they are taken to the millisecond."""
    times = np.rint(moments * 1000).astype(np.int64)
    template = _template(points, flight_labels, military)
    flags = points["flags"]
    for batch in sweep(points, times):
        of_rows = flags[batch.positions.row]
        kinds = 2 * batch.flight + (of_rows & GROUND > 0)
        rows = template.fill(kinds, _fields(batch.positions, of_rows))
        yield from _moments(rows, times[batch.first :], batch.counts)


def _moments(rows: Rows, times: Column, counts: Column) -> Iterator[bytes]:
    """One moment after the other; its aircraft are the next ``counts`` of the rows."""
    end = 0
    for now, count in zip(times.tolist(), counts.tolist(), strict=False):
        begin, end = end, end + count
        aircraft = text(rows[begin:end])[:-1]
        yield b'{"now":%b,"aircraft":[%b],"count":%d}' % (_encode(now / 1000), aircraft, count)


def _template(points: Points, labels: dict[int, Label], military: MilitaryAircraft) -> Template:
    """The constant parts of each track's records, of which there are two kinds: in the air and on the ground."""
    first, last = [], []
    starts = points[starts_of(points)]
    simulated = (starts["flags"] & SIMULATED > 0).tolist()
    for aircraft, flight, is_simulated in zip(
        starts["aircraft"].tolist(), starts["flight"].tolist(), simulated, strict=True
    ):
        label, address = labels.get(flight) or Label(flight, None, None, None), address_text(aircraft)
        head = b'{"hex":%b,"flight":%b,"t":%b,"lat":' % tuple(
            map(_encode, (address, label.callsign, label.aircraft_type))
        )
        is_military = _encode(military.includes(address, was_marked=aircraft & MILITARY > 0))
        registration = label.registration
        r = b"" if registration is None else b',"r":%b' % _encode(registration)
        r += b',"simulated":true' if is_simulated else b""
        for on_ground in (b"false", b"true"):
            first.append(head)
            last.append(b',"on_ground":%b,"military":%b,"flight_id":%d%b},' % (on_ground, is_military, flight, r))
    return Template(
        [
            first,
            *numerals.DEGREES_WIDTHS,
            b',"lon":',
            *numerals.DEGREES_WIDTHS,
            b',"alt_baro":',
            numerals.WHOLE_WIDTH,
            b',"gs":',
            numerals.SMALL_WIDTH,
            b',"track":',
            numerals.SMALL_WIDTH,
            b',"seen_pos":',
            numerals.TENTHS_WIDTH,
            last,
        ]
    )


def _fields(positions: Positions, flags: Column) -> tuple[Text, ...]:
    """The texts of the template's fields."""
    altitude = numerals.whole(
        np.rint(positions.alt * (ALTITUDE_FT / ALTITUDE_STEP_FT)).astype(np.int64) * ALTITUDE_STEP_FT
    )
    altitude[flags & NO_ALTITUDE > 0] = b"null"
    altitude[flags & GROUND > 0] = b'"ground"'
    return (
        *numerals.degrees(np.rint(positions.lat)),
        *numerals.degrees(np.rint(positions.lon)),
        altitude,
        numerals.small(positions.gs),
        numerals.small(positions.track),
        numerals.tenths(np.rint(positions.age_ms / _TENTH_MS).astype(np.int64)),
    )
