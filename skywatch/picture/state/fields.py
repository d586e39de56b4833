"""The trust in each field of a report, and its lifetime: sources, groups, lifetimes.

The rule is readsb's (its ``track.h``: data is fresh, then stale, then expired): while a value is fresh only a source
trusted as much may replace it; once it is stale any source may; once it has expired it is no longer shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from skywatch.receivers.reports.report import SOURCE_INDEX

MLAT_TRUST = SOURCE_INDEX["mlat"]
TISB_TRUST = SOURCE_INDEX["tisb_icao"]
# What an aircraft broadcasts itself.
OWN_TRUST = frozenset(index for name, index in SOURCE_INDEX.items() if name.startswith("adsb"))
TISB_SOURCES = tuple(index for name, index in SOURCE_INDEX.items() if name.startswith("tisb"))
# What independent feeders agree on is preferred to what others say, trusted alike, for so long (s): what changes every
# second, and the rest.
AGREED_S, SLOW_AGREED_S = 3.0, 15.0
# Where further feeders hear the aircraft, the next agreement has come within this time (s), however much they miss. It
# is longer than STALE_S, after which a reply on which they agree takes the place of an older broadcast.
CONTESTED_S = 20.0
# A position older than this is not shown as the current one.
POSITION_LIFETIME_S = 60.0


@dataclass(frozen=True)
class Group:
    """Fields that are said together, and how long their values are shown after they were last heard (s).

    ``is_fast``: they change every second. ``is_alarm``: they alarm people, so that where several feeders hear the
    aircraft, one that is not trusted must be confirmed.
    """

    name: str
    fields: tuple[str, ...]
    lifetime_s: float
    is_fast: bool = True
    is_alarm: bool = False

    def agreed_s(self, is_contested: bool) -> float:
        """How long no untrusted feeder replaces what independent ones agree on (s); see ``presence``."""
        if is_contested:
            return CONTESTED_S if self.is_fast else self.lifetime_s
        return AGREED_S if self.is_fast else SLOW_AGREED_S


GROUPS: tuple[Group, ...] = (
    Group("position", ("lat", "lon", "nic", "rc"), POSITION_LIFETIME_S),
    Group("altitude", ("alt_baro",), 60.0),
    Group("geometric altitude", ("alt_geom",), 60.0),
    Group("velocity", ("gs", "track"), 60.0),
    Group("vertical rate", ("baro_rate", "geom_rate"), 60.0),
    Group("air data", ("ias", "tas", "mach", "roll", "track_rate", "mag_heading", "true_heading"), 60.0),
    Group("weather", ("wd", "ws", "oat", "tat"), 60.0),
    Group("intent", ("nav_qnh", "nav_altitude_mcp", "nav_altitude_fms", "nav_heading", "nav_modes"), 60.0, False),
    # A resolution advisory is repeated while it holds and for 18 s after (ICAO Annex 10 vol. IV, 4.3.8.4.2.2.1.1).
    Group("resolution advisory", ("acas_ra",), 20.0, is_fast=False, is_alarm=True),
    Group("callsign", ("flight",), 180.0, is_fast=False),
    Group("squawk", ("squawk",), 180.0, is_fast=False),
    Group("emergency", ("emergency",), 60.0, is_fast=False, is_alarm=True),
    Group("alert", ("alert",), 60.0, is_fast=False),
    Group("identification", ("spi",), 60.0, is_fast=False),
    Group("category", ("category",), 600.0, is_fast=False),
    Group(
        "integrity",
        ("version", "nic_baro", "nac_p", "nac_v", "sil", "sil_type", "gva", "sda"),
        180.0,
        is_fast=False,
    ),
)
LIFETIME_S: dict[str, float] = {name: group.lifetime_s for group in GROUPS for name in group.fields}
MIN_LIFETIME_S = min(LIFETIME_S.values())
# What an aircraft is does not age.
AIRFRAME_FIELDS = ("r", "t", "desc", "ownOp", "year", "dbFlags")
