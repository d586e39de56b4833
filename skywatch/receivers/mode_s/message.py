"""``Message``: the content of one frame, with readsb's field names."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from skywatch.receivers.reports.report import Report


class Message(Report, gc=False):
    """One good frame: a report whose ``at`` is the frame's time, with what only single frames have.

    ``df`` is the downlink format, ``on_ground`` what the frame says of it (a surface position also has
    ``alt_baro`` "ground"). ``flight`` has no padding. What the frame does not carry is UNSET.
    """

    df: int = -1
    on_ground: bool | UnsetType = UNSET
