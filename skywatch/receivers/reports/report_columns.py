"""``ReportColumns``: the reports of one document by field, for receivers whose documents are rows already (binCraft).

A picture of one receiver reads the columns as they are. Whoever asks for a report gets one that is made then.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress, repeat
from typing import Any, overload

from msgspec import UNSET

from skywatch.core.arrays import Array
from skywatch.receivers.reports.report import Report

# What an aircraft says for minutes on end, in the order of a report.
STEADY = (
    "type", "flight", "r", "t", "desc", "ownOp", "year", "dbFlags", "squawk", "emergency", "category", "nav_qnh",
    "nav_altitude_mcp", "nav_altitude_fms", "nav_heading", "nav_modes", "nic", "rc", "version", "nic_baro", "nac_p",
    "nac_v", "sil", "sil_type", "gva", "sda", "alert", "spi", "mlat", "tisb",
)  # fmt: skip
_STEADY_AT = {name: at for at, name in enumerate(STEADY)}
_FIELDS = Report.__struct_fields__


class ReportColumns(Sequence[Report]):
    """Snapshots of different aircraft by field.

    ``at`` and ``position_at`` f8[n] are as in a report, ``moving`` has a list by field of what changes every second,
    ``said`` the values of ``STEADY`` of each; what is in neither is UNSET. Nobody may write to any of them.
    """

    def __init__(
        self, hexes: list[str], at: Array, position_at: Array, moving: dict[str, list[Any]], said: list[tuple[Any, ...]]
    ) -> None:
        self.hexes, self.at, self.position_at = hexes, at, position_at
        self.moving, self.said = moving, said
        self._reports: list[Report] | None = None

    @property
    def is_made(self) -> bool:
        """Whether reports were made of all, which may have been changed since."""
        return self._reports is not None

    def __len__(self) -> int:
        return len(self.hexes)

    @overload
    def __getitem__(self, index: int) -> Report: ...
    @overload
    def __getitem__(self, index: slice) -> list[Report]: ...
    def __getitem__(self, index: int | slice) -> Report | list[Report]:
        if self._reports is None:
            self._reports = self.make(range(len(self)))
        return self._reports[index]

    def make(self, rows: Sequence[int]) -> list[Report]:
        """New reports of some rows."""
        is_all = len(rows) == len(self)

        def of(values: list[Any]) -> list[Any]:
            return values if is_all else list(map(values.__getitem__, rows))

        columns: dict[str, Any] = {name: of(values) for name, values in self.moving.items()}
        columns |= dict(zip(STEADY, zip(*of(self.said), strict=True), strict=True)) if len(rows) else {}
        at, position_at = (column.tolist() for column in (self.at, self.position_at))
        columns |= {"hex": of(self.hexes), "at": of(at), "position_at": of(position_at), "snapshot": repeat(True)}
        return list(map(Report, *(columns.get(name, repeat(UNSET)) for name in _FIELDS))) if len(rows) else []

    def only(self, keep: Array) -> ReportColumns:
        """Those of the mask ``keep``."""
        mask = keep.tolist()
        moving = {name: list(compress(values, mask)) for name, values in self.moving.items()}
        hexes, said = list(compress(self.hexes, mask)), list(compress(self.said, mask))
        return ReportColumns(hexes, self.at[keep], self.position_at[keep], moving, said)

    def column(self, name: str) -> list[Any]:
        """The values of a field; a list of its own."""
        if name in ("at", "position_at"):
            listed: list[Any] = getattr(self, name).tolist()
            return listed
        if name in self.moving:
            return list(self.moving[name])
        at = _STEADY_AT.get(name)
        return [UNSET] * len(self) if at is None else [said[at] for said in self.said]
