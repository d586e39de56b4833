"""Makes the changes from one sky to the next.

Objects are not taken apart for it. Most begin with what they began with a tick ago, for minutes on end: where the two
begin to differ is remembered by row, and what stands behind is sent as it is. That is more to compress than single
members, and a fraction of the work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skywatch.picture.changes.message import LINE, WHOLE, Changes, pack
from skywatch.picture.state.row_map import RowMap
from skywatch.picture.state.sky import DOUBT, Column, Sky, set_apart

# Every row is compared from its beginning again once in so many ticks: what changed once may not change again.
RENEW_EVERY = 16
_COMMA, _TWO_COMMAS, _END = b",", b",,", b"}"


@dataclass(slots=True)
class _Cuts:
    """Where objects begin to differ, by row: always at a comma, 0 where that is not known.

    ``opening`` stands for the pieces before it in a line; ``behind`` counts the commas from there on.
    """

    at: list[int]
    opening: list[bytes]
    behind: list[int]

    @classmethod
    def unknown(cls, count: int) -> _Cuts:
        return cls([0] * count, [b""] * count, [0] * count)

    def moved(self, rows: RowMap) -> _Cuts:
        return _Cuts(rows.listed(self.at), rows.listed(self.opening), rows.listed(self.behind))

    def renew(self, beginning: int) -> None:
        self.at[beginning::RENEW_EVERY] = [0] * len(range(beginning, len(self.at), RENEW_EVERY))

    def learn(self, row: int, now: bytes, before: bytes) -> bytes:
        """The line of a row, whose cut is found anew."""
        at = now.rfind(_COMMA, 0, _common(now, before))
        if at <= 0:
            self.at[row] = 0
            return WHOLE + now
        behind = now.count(_COMMA, at)
        self.at[row], self.opening[row], self.behind[row] = at, _COMMA * now.count(_COMMA, 0, at), behind
        if behind != before.count(_COMMA, at) or now.find(_TWO_COMMAS, at) >= 0 or not now.endswith(_END):
            return WHOLE + now
        return self.opening[row] + now[at:]


class ChangesEncoder:
    """Encodes consecutive skies of one picture."""

    def __init__(self) -> None:
        self._sky: Sky | None = None
        self._cuts = _Cuts.unknown(0)

    def encode(self, sky: Sky, before: Sky) -> bytes:
        """What leads from one sky to the next; see ``can_follow``."""
        previous = sky.columns["previous_row"]
        rows, new = RowMap.or_first(previous), np.flatnonzero(previous < 0).tolist()
        columns, later = set_apart(
            {
                name: _xor(column, rows.column(before.columns[name]))
                for name, column in sky.columns.items()
                if name != "previous_row"
            }
        )
        later[DOUBT] = _xor(sky.doubt_by_row(), rows.column(before.doubt_by_row()))
        detail_rows = sorted({*rows.changed(sky.details, before.details), *new})
        changes = Changes(
            sky.epoch,
            sky.seq,
            sky.now,
            sky.messages,
            len(sky),
            [sky.hexes[row] for row in new],
            sky.left,
            sky.receivers,
            sky.station,
            None if sky.names == before.names else sky.names,
            (previous - np.arange(len(sky), dtype="i4")).astype("<i4").tobytes(),
            columns,
            LINE.join(self._lines(sky, before, rows, new)),
            np.array(detail_rows, "<u4").tobytes(),
            LINE.join([sky.details[row] for row in detail_rows]),
            sky.exact_station,
            later,
        )
        return pack(changes)

    def _lines(self, sky: Sky, before: Sky, rows: RowMap, new: list[int]) -> list[bytes]:
        cuts = self._cuts.moved(rows) if self._sky is before else _Cuts.unknown(len(sky))
        cuts.renew(sky.seq % RENEW_EVERY)
        was = rows.listed(before.encoded)
        # A value that has grown at its end (``35`` to ``350``) begins alike as well: at the cut must be a comma again.
        lines = [
            b""
            if now == then
            else opening + now[at:]
            if at
            and now.startswith(then[: at + 1])
            and now.count(_COMMA, at) == behind
            and now.find(_TWO_COMMAS, at) < 0
            else None
            for now, then, at, opening, behind in zip(sky.encoded, was, cuts.at, cuts.opening, cuts.behind, strict=True)
        ]
        for row in new:
            lines[row], cuts.at[row] = WHOLE + sky.encoded[row], 0
        learnt = [
            line if line is not None else cuts.learn(row, sky.encoded[row], was[row]) for row, line in enumerate(lines)
        ]
        self._sky, self._cuts = sky, cuts
        return learnt


def encode_changes(sky: Sky, before: Sky) -> bytes:
    """What leads from one sky to the next, of two alone; see ``can_follow``."""
    return ChangesEncoder().encode(sky, before)


def _xor(column: Column, before: Column) -> bytes:
    """Bytes that are zero where nothing has changed; those of equal weight stand together, which packs better."""
    width = column.dtype.itemsize
    now, was = (np.frombuffer(values.tobytes(), np.uint8).reshape(-1, width) for values in (column, before))
    return (now ^ was).T.tobytes()


def _common(one: bytes, other: bytes) -> int:
    """How many bytes two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
