"""Feeds exports from the archive: the tracks of a span slice by slice, or gathered into whole flights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from sqlalchemy.orm import Session

from skywatch.history.points import SLICE_S, Points, address_text, in_order, joined
from skywatch.history.reading.archive import Span, read_slices
from skywatch.history.reading.flights import Labels
from skywatch.history.reading.tracks import Track, split_flights

# A flight that had no point for so many slices is given out; should it go on, the rest is another part.
QUIET_SLICES = 3
# Points held at most while flights are gathered (40 bytes each); beyond it the longest is given out in parts.
MOST_GATHERED = 500_000


def by_slice(session: Session, span: Span, labels: Labels) -> Iterator[tuple[int, list[Track]]]:
    """The tracks of each slice that the caller may see, in order of time."""
    for at, points in read_slices(session, span, session.rollback):
        yield at, named(session, span.within(points), labels)


def named(session: Session, points: Points, labels: Labels) -> list[Track]:
    """Points in order as one track a flight, without those the caller may not see."""
    known = labels.fetch(session, np.unique(points["flight"]).tolist())
    hidden = set(labels.hidden(known))
    tracks = []
    for mine in split_flights(points):
        flight = int(mine["flight"][0])
        if flight not in hidden:
            tracks.append(Track(address_text(int(mine["aircraft"][0])), known.get(flight), mine))
    return tracks


def pieces(slices: Iterable[tuple[int, list[Track]]]) -> Iterator[Track]:
    """Tracks as they come, cut at the ends of slices: for formats that write points."""
    for _, tracks in slices:
        yield from tracks


def whole_flights(slices: Iterable[tuple[int, list[Track]]], most: int = MOST_GATHERED) -> Iterator[Track]:
    """Tracks put together flight by flight, each given out when it is over."""
    gathering: dict[tuple[str, int], list[Track]] = {}
    last_slice: dict[tuple[str, int], int] = {}
    parts: dict[tuple[str, int], int] = {}
    held = 0

    def give(key: tuple[str, int]) -> Track:
        pieces_of = gathering.pop(key)
        last_slice.pop(key)
        parts[key] = parts.get(key, 0) + 1
        points = in_order(joined([piece.points for piece in pieces_of]))
        return Track(key[0], pieces_of[-1].label, points, parts[key])

    for at, tracks in slices:
        for track in tracks:
            key = (track.address, int(track.points["flight"][0]))
            gathering.setdefault(key, []).append(track)
            last_slice[key] = at
            held += len(track.points)
        for key in [key for key, seen in last_slice.items() if seen < at - QUIET_SLICES * SLICE_S]:
            track = give(key)
            held -= len(track.points)
            yield track
        while held > most:
            track = give(max(gathering, key=lambda key: sum(len(piece.points) for piece in gathering[key])))
            held -= len(track.points)
            yield track
    for key in list(gathering):
        yield give(key)
