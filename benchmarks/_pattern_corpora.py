"""The flights on which pattern detection is measured: recorded ones with corrected labels, and drawn ones.

Two drawn corpora exist: one to develop with, and one from another seed whose ranges are a fifth wider, which is for
judging only. Nothing is to be tuned to the second.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from skywatch.patterns.corpora.tracks import BadLine, Track, read_corrections, read_tracks
from tests.unit.patterns.drawn.corpus import draw

DEVELOPED_SEED, HELD_OUT_SEED = 1, 2
HELD_OUT_STRETCH = 1.2
# Recorded flights of each label at most; all where it is None.
RECORDED_OF_EACH: int | None = None


SHARED = Path(os.environ.get("SKYWATCH_TEST_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))


def recordings(data: Path = SHARED) -> list[Track]:
    """The labelled flights with their corrections, none where they are not here."""
    folder = data / "patterns"
    tracks = [
        line
        for name in ("tracks.jsonl.gz", "tracks_more.jsonl.gz")
        if (folder / name).is_file()
        for line in read_tracks(folder / name)
        if not isinstance(line, BadLine)
    ]
    if (folder / "corrections.json").is_file():
        read_corrections(folder / "corrections.json").apply(tracks)
    return tracks if RECORDED_OF_EACH is None else list(_first_of_each(tracks, RECORDED_OF_EACH))


def _first_of_each(tracks: Iterable[Track], count: int) -> Iterator[Track]:
    seen: Counter[str | None] = Counter()
    for track in tracks:
        seen[track.label_hint] += 1
        if seen[track.label_hint] <= count:
            yield track


def drawn(of_each: int, *, held_out: bool, seed: int = HELD_OUT_SEED) -> list[Track]:
    """Flights of every kind, `of_each` of each; those held out are drawn from `seed`."""
    if held_out:
        return list(draw(seed, of_each, stretch=HELD_OUT_STRETCH))
    return list(draw(DEVELOPED_SEED, of_each))
