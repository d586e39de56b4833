"""Ages the picture while the tracker is silent: ages grow, and aircraft leave at their timeout."""

from __future__ import annotations

import numpy as np

from skywatch.picture.state.aircraft_json import AGES_BEGIN
from skywatch.picture.state.sky import Sky

# The tracker ticks once a second; one that has not for this long (s) is silent.
SILENT_AFTER_S = 4.0


def aged(last: Sky, before: Sky, age_s: float, timeout_s: float, epoch: str, seq: int) -> Sky:
    """The last sky of the tracker as it is ``age_s`` seconds later, as tick ``seq`` of ``epoch``.

    ``before`` is the sky that was shown until now: ``last`` itself, or what this function made of it earlier.
    """
    now = last.now + age_s
    rows = np.flatnonzero(now - last.column("seen_at") <= timeout_s)
    hexes = [last.hexes[row] for row in rows.tolist()]
    remaining = set(hexes)
    columns = {name: column[rows] for name, column in last.columns.items()}
    columns["previous_row"] = np.array([before.index.get(address, -1) for address in hexes], dtype="i4")
    for name in ("changed", "airframe_changed"):
        columns[name] = np.zeros(len(rows), dtype=bool)
    seen, seen_pos = now - columns["seen_at"], now - columns["position_at"]
    ages = zip(rows.tolist(), seen.tolist(), seen_pos.tolist(), strict=True)
    return Sky(
        epoch,
        seq,
        now,
        last.messages,
        hexes,
        columns,
        [_with_ages(last.encoded[row], max(at, 0.0), max(position, 0.0)) for row, at, position in ages],
        [last.details[row] for row in rows.tolist()],
        tuple(address for address in before.hexes if address not in remaining),
        last.receivers,
        last.station,
        last.names,
        last.exact_station,
        age_s,
        None if last.doubt is None else last.doubt[rows],
    )


def _with_ages(encoded: bytes, seen_s: float, seen_pos_s: float) -> bytes:
    begin = encoded.rfind(AGES_BEGIN)
    if begin < 0:
        return encoded
    members = encoded[begin + 1 :].split(b",")
    for index, member in enumerate(members):
        end = b"}" if member.endswith(b"}") else b""
        if member.startswith(b'"seen":'):
            members[index] = b'"seen":%.1f%b' % (seen_s, end)
        elif member.startswith(b'"seen_pos":'):
            members[index] = b'"seen_pos":%.3f%b' % (seen_pos_s, end)
    return encoded[:begin] + b"," + b",".join(members)
