"""Which aircraft an output sends: with or without military ones, and by the source of their data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from skywatch.picture.state.sky import Sky
from skywatch.receivers.framing.frames import Column
from skywatch.receivers.reports.report import SOURCES

Mask = npt.NDArray[np.bool_]

# The word of the setting -> readsb's words for the source.
SOURCE_WORDS: dict[str, tuple[str, ...]] = {
    "adsb": ("adsb_icao", "adsb_icao_nt", "adsb_other"),
    "adsr": ("adsr_icao", "adsr_other"),
    "tisb": ("tisb_icao", "tisb_other", "tisb_trackfile"),
    "adsc": ("adsc",),
    "mlat": ("mlat",),
    "mode_s": ("mode_s",),
    "other": ("other", "unknown"),
}


@dataclass(frozen=True)
class Selection:
    """``sources`` are words of SOURCE_WORDS; empty for all."""

    military: bool = True
    sources: frozenset[str] = frozenset()

    @property
    def _indexes(self) -> list[int]:
        names = {name for word in self.sources for name in SOURCE_WORDS[word]}
        return [index for index, name in enumerate(SOURCES) if name in names]

    def of_sky(self, sky: Sky) -> Mask:
        """The aircraft of a sky that are sent."""
        mask: Mask = np.ones(len(sky), bool) if self.military else ~sky.columns["military"]
        if self.sources:
            mask = mask & np.isin(sky.columns["source"], self._indexes)
        return mask

    def of_frames(self, civil: frozenset[str], addresses: Column, non_icao: Column, sources: Column) -> Mask:
        """The frames that are sent; ``civil`` are the aircraft of the last tick that are not military.

        Without ``military`` an aircraft's frames are held back until a tick has shown that it is a civil one.
        """
        mask = np.ones(len(addresses), bool)
        if self.sources:
            mask = np.isin(sources, self._indexes)
        if not self.military:
            names = zip(addresses.tolist(), non_icao.tolist(), strict=True)
            mask &= np.fromiter(
                [f"{'~' if other else ''}{address:06x}" in civil for address, other in names], bool, len(addresses)
            )
        return mask
