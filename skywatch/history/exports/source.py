"""Feeds exports from the archive: the tracks of a span slice by slice, or gathered into whole flights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy.orm import Session

from skywatch.airframes.military import military_aircraft
from skywatch.core.arrays import distinct
from skywatch.history.flights.service import Labels
from skywatch.history.storage.points import MILITARY, SLICE_S, Points, address_text, in_order, join
from skywatch.history.storage.reader import Span, read_slices
from skywatch.history.tracks import Track, split_flights

# A flight without a point for so many slices is yielded; if it continues, the rest is another part.
QUIET_SLICES = 3
# Limit of points in memory while flights are gathered (40 bytes each); beyond it the longest is yielded in parts.
MAX_GATHERED = 500_000


def by_slice(session: Session, span: Span, labels: Labels) -> Iterator[tuple[int, list[Track]]]:
    """The tracks of each slice, in order of time."""
    for at, points in read_slices(session, span, session.rollback):
        yield at, named(session, span.within(points), labels)


def named(session: Session, points: Points, labels: Labels) -> list[Track]:
    """Points in order as one track a flight."""
    labels_by_flight = labels.fetch(session, distinct(points["flight"]).tolist())
    military = military_aircraft(session)
    tracks = []
    for flight_points in split_flights(points):
        aircraft = int(flight_points["aircraft"][0])
        address, label = address_text(aircraft), labels_by_flight.get(int(flight_points["flight"][0]))
        is_military = military.includes(address, was_marked=aircraft & MILITARY > 0)
        tracks.append(Track(address, label, flight_points, is_military))
    return tracks


def pieces(slices: Iterable[tuple[int, list[Track]]]) -> Iterator[Track]:
    """Tracks as they come, cut at the ends of slices: for formats that write points."""
    for _, tracks in slices:
        yield from tracks


def whole_flights(slices: Iterable[tuple[int, list[Track]]], most: int = MAX_GATHERED) -> Iterator[Track]:
    """Tracks put together flight by flight, each yielded when it is over."""
    gathering: dict[tuple[str, int], list[Track]] = {}
    last_slice: dict[tuple[str, int], int] = {}
    parts: dict[tuple[str, int], int] = {}
    points_gathered = 0

    def finish(key: tuple[str, int]) -> Track:
        pieces_of = gathering.pop(key)
        last_slice.pop(key)
        parts[key] = parts.get(key, 0) + 1
        points = in_order(join([piece.points for piece in pieces_of]))
        return Track(key[0], pieces_of[-1].label, points, pieces_of[-1].military, parts[key])

    for at, tracks in slices:
        for track in tracks:
            key = (track.address, int(track.points["flight"][0]))
            gathering.setdefault(key, []).append(track)
            last_slice[key] = at
            points_gathered += len(track.points)
        for key in [key for key, seen in last_slice.items() if seen < at - QUIET_SLICES * SLICE_S]:
            track = finish(key)
            points_gathered -= len(track.points)
            yield track
        while points_gathered > most:
            track = finish(max(gathering, key=lambda key: sum(len(piece.points) for piece in gathering[key])))
            points_gathered -= len(track.points)
            yield track
    for key in list(gathering):
        yield finish(key)
