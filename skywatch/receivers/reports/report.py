"""The report of one receiver about one aircraft, the same for every kind of input.

Field names and units are readsb's (aircraft.json), so that its documents decode directly to reports; receivers of raw
frames, SBS lines and other formats convert to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

# The values of readsb. Message sources are in descending order of trust.
SOURCES: tuple[str, ...] = (
    "adsb_icao",
    "adsb_icao_nt",
    "adsr_icao",
    "tisb_icao",
    "adsc",
    "mlat",
    "other",
    "mode_s",
    "adsb_other",
    "adsr_other",
    "tisb_other",
    "tisb_trackfile",
    "unknown",
)
# The trust in a source is its place here, 0 the most trusted.
SOURCE_INDEX: dict[str, int] = {name: index for index, name in enumerate(SOURCES)}
# A report that names no source (an SBS line, say) stands where readsb puts ``other``: behind MLAT, before Mode S.
UNNAMED_TRUST = SOURCE_INDEX["other"]
# After this many seconds a value yields to a less trusted source.
STALE_S = 15.0
# The index of an emergency is its code in the emergency/priority status (DO-260B 2.2.3.2.7.8.1.1).
# The last is no code: it is what a flag alone says.
UNKNOWN_EMERGENCY = "unknown"
EMERGENCIES = ("none", "general", "lifeguard", "minfuel", "nordo", "unlawful", "downed", "reserved", UNKNOWN_EMERGENCY)
# Which emergency a squawk declares (ICAO Doc 8168 volume III, section 3).
EMERGENCY_OF_SQUAWK = {"7500": "unlawful", "7600": "nordo", "7700": "general"}
SIL_TYPES = ("unknown", "perhour", "persample")
NAV_MODES = ("autopilot", "vnav", "althold", "approach", "lnav", "tcas")


def trust(source: str | UnsetType) -> int:
    """Place of a message source in the order of trust, 0 the most trusted."""
    return SOURCE_INDEX.get(source, UNNAMED_TRUST) if isinstance(source, str) else UNNAMED_TRUST


def precedence(level: float, at: float, now: float) -> tuple[bool, float, float]:
    """What sorts first is taken: fresh before stale, among the fresh the most trusted, then the latest.

    It is the rule wherever two reports of an aircraft are compared, as columns too (``level`` is the trust in them).
    """
    stale = now - at > STALE_S
    return stale, 0 if stale else level, -at


class Report(msgspec.Struct, gc=False):
    """One aircraft as received by one receiver; missing fields are UNSET.

    ``at`` and ``position_at`` are unix seconds of the last message and of the last position; both are filled in by
    the receiver (from ``now``, ``seen`` and ``seen_pos`` where the input has ages). A report is either a *snapshot*
    (the receiver's whole state of the aircraft) or an *increment* (the content of one message).
    ``hex`` is lower case (with readsb's leading ``~`` where the address is not ICAO's), ``flight`` has no padding and
    is never empty, ``lat`` and ``lon`` come together, values are within the ranges of ``limits``.
    The fields stand in the order in which readsb writes them: the decoder looks for each one after the one before.
    ``messages`` of a snapshot is the receiver's own running count, of an increment the messages it stands for.
    """

    hex: str
    at: float = 0.0
    position_at: float = 0.0
    snapshot: bool = False
    type: str | UnsetType = UNSET
    flight: str | UnsetType = UNSET
    r: str | UnsetType = UNSET
    t: str | UnsetType = UNSET
    desc: str | UnsetType = UNSET
    ownOp: str | UnsetType = UNSET  # noqa: N815
    year: str | UnsetType = UNSET
    dbFlags: int | UnsetType = UNSET  # noqa: N815
    alt_baro: int | str | UnsetType = UNSET  # feet, or "ground"
    alt_geom: int | UnsetType = UNSET
    gs: float | UnsetType = UNSET
    ias: float | UnsetType = UNSET
    tas: float | UnsetType = UNSET
    mach: float | UnsetType = UNSET
    wd: float | UnsetType = UNSET
    ws: float | UnsetType = UNSET
    oat: float | UnsetType = UNSET
    tat: float | UnsetType = UNSET
    track: float | UnsetType = UNSET
    track_rate: float | UnsetType = UNSET
    roll: float | UnsetType = UNSET
    mag_heading: float | UnsetType = UNSET
    true_heading: float | UnsetType = UNSET
    baro_rate: int | UnsetType = UNSET
    geom_rate: int | UnsetType = UNSET
    squawk: str | UnsetType = UNSET
    emergency: str | UnsetType = UNSET
    category: str | UnsetType = UNSET
    nav_qnh: float | UnsetType = UNSET
    nav_altitude_mcp: int | UnsetType = UNSET
    nav_altitude_fms: int | UnsetType = UNSET
    nav_heading: float | UnsetType = UNSET
    nav_modes: list[str] | UnsetType = UNSET
    lat: float | UnsetType = UNSET
    lon: float | UnsetType = UNSET
    nic: int | UnsetType = UNSET
    rc: int | UnsetType = UNSET
    seen_pos: float | UnsetType = UNSET
    version: int | UnsetType = UNSET
    nic_baro: int | UnsetType = UNSET
    nac_p: int | UnsetType = UNSET
    nac_v: int | UnsetType = UNSET
    sil: int | UnsetType = UNSET
    sil_type: str | UnsetType = UNSET
    gva: int | UnsetType = UNSET
    sda: int | UnsetType = UNSET
    alert: int | UnsetType = UNSET
    spi: int | UnsetType = UNSET
    mlat: Sequence[str] | UnsetType = UNSET
    tisb: Sequence[str] | UnsetType = UNSET
    messages: int | UnsetType = UNSET
    seen: float | UnsetType = UNSET
    rssi: float | UnsetType = UNSET
    acas_ra: dict[str, object] | UnsetType = UNSET


def source_of_position(report: Report) -> str | UnsetType:
    """The message source of the position, which may be another than that of the rest."""
    if report.mlat is not UNSET and "lat" in report.mlat:
        return "mlat"
    if report.tisb is not UNSET and "lat" in report.tisb:
        return report.type if report.type in ("tisb_other", "tisb_trackfile") else "tisb_icao"
    return report.type


class ReducedReport(Report, gc=False):
    """The newest values of a second; ``voices`` independent feeders agree on them.

    ``is_divided``: they did before, and now feeders agree on different things. ``acas_ra_frames`` frames carried the
    resolution advisory.
    """

    voices: int = 1
    is_divided: bool = False
    acas_ra_frames: int = 1
