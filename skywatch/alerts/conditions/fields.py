"""The fields of tests (members of a live aircraft, values derived from them, and what features declare), and the ops
of each kind.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from skywatch.core import rule_fields
from skywatch.core.rule_fields import RuleEvents, RuleField, RuleState
from skywatch.picture.state.sky import COLUMNS


class Kind(StrEnum):
    """How the values of a field are compared."""

    NUMBER = "number"
    ALTITUDE = "altitude"  # a number (ft), or the word "ground"
    TIME = "time"
    TEXT = "text"
    FLAG = "flag"
    EMERGENCY = "emergency"  # readsb's word, or true and false
    WORDS = "words"  # a list of words
    CLASS = "class"
    GEOFENCE = "geofence"
    WATCHLIST = "watchlist"
    MESSAGE = "message"  # a text that comes with an event of an aircraft
    STATE = "state"  # of the installation, alone in its rule


EQUALITY = ("eq", "ne")
ORDER = ("eq", "ne", "lt", "le", "gt", "ge")
TEXTS = ("eq", "ne", "in", "contains", "starts_with", "ends_with", "matches")
OPS: dict[Kind, tuple[str, ...]] = {
    Kind.NUMBER: (*ORDER, "in"),
    Kind.ALTITUDE: (*ORDER, "in"),
    Kind.TIME: ("lt", "le", "gt", "ge"),
    Kind.TEXT: TEXTS,
    Kind.FLAG: EQUALITY,
    Kind.EMERGENCY: TEXTS,
    Kind.WORDS: ("contains", "in"),
    Kind.CLASS: (*EQUALITY, "in"),
    Kind.GEOFENCE: ("within", "enters", "leaves"),
    Kind.WATCHLIST: ("in",),
    Kind.MESSAGE: TEXTS,
    Kind.STATE: ("eq",),
}
# Whether there is no value; of the fields that name it.
IS_NULL = "is_null"
ALL_OPS = (*dict.fromkeys(op for ops in OPS.values() for op in ops), IS_NULL)
# Ops that are true for one moment only.
EVENT_OPS = frozenset({"enters", "leaves"})


@dataclass(frozen=True)
class Field:
    """One field.

    ``column`` is the column of ``Sky`` that holds it; a field without one is read from the aircraft's JSON object
    under ``member``, and only for the few aircraft that meet the rest of a rule. ``margin`` is the hysteresis: how far
    a value may fall behind a boundary before a matching aircraft counts as not matching, in the field's unit; without
    one it is 5 % of the boundary. ``details`` fields need ``aircraft.view_details``.

    Fields that features declare (``is_declared``) may need a ``permission``, and are texts of ``events``, columns, or a
    ``state`` of the installation; ``also`` is as in ``RuleField``.
    """

    name: str
    kind: Kind
    column: str = ""
    member: str = ""
    margin: float | None = None
    share: float = 0.05
    details: bool = False
    is_declared: bool = False
    permission: str = ""
    events: RuleEvents | None = None
    state: RuleState | None = None
    meaning: str = ""
    also: str = ""
    # Those it takes, where it does not take all of its kind; and what is wrong with a value.
    few_ops: tuple[str, ...] = ()
    value_fault: Callable[[str], str | None] | None = None

    @property
    def ops(self) -> tuple[str, ...]:
        """The ops that it takes."""
        return self.few_ops or OPS[self.kind]

    @property
    def is_event(self) -> bool:
        """Whether the field belongs to an event and not to an aircraft's state."""
        return self.events is not None


ALTITUDE_MARGIN_FT = 100.0
BOUNDARY_MARGIN_NM = 0.2
DEGREES_MARGIN = 5.0
POSITION_MARGIN_DEG = BOUNDARY_MARGIN_NM / 60.0
N, T, F = Kind.NUMBER, Kind.TEXT, Kind.FLAG


def _json(name: str, kind: Kind, meaning: str, **kw: object) -> Field:
    return Field(name, kind, member=name, meaning=meaning, **kw)  # type: ignore[arg-type]


_TABLE: tuple[Field, ...] = (
    Field("hex", T, "hex", meaning="ICAO address"),
    Field("flight", T, "flight", meaning="Callsign"),
    Field("r", T, "registration", details=True, meaning="Registration"),
    Field("t", T, "type", meaning="ICAO type designator"),
    _json("desc", T, "Type in words"),
    Field("ownOp", T, "owner", "ownOp", details=True, meaning="Owner or operator"),
    Field("operator", T, "operator", "operator", details=True, meaning="Operator"),
    _json("year", T, "Year built", details=True),
    _json("dbFlags", N, "1 military, 2 interesting, 4 PIA, 8 LADD"),
    Field("alt_baro", Kind.ALTITUDE, "alt_baro_ft", margin=ALTITUDE_MARGIN_FT, meaning="Barometric altitude (ft)"),
    Field("alt_geom", N, "alt_geom_ft", margin=ALTITUDE_MARGIN_FT, meaning="Geometric altitude (ft)"),
    Field("gs", N, "gs_kt", meaning="Ground speed (kt)"),
    Field("track", N, "track_deg", margin=DEGREES_MARGIN, meaning="True track (degrees)"),
    Field("baro_rate", N, "baro_rate_fpm", meaning="Barometric vertical rate (ft/min)"),
    Field("geom_rate", N, "geom_rate_fpm", meaning="Geometric vertical rate (ft/min)"),
    _json("ias", N, "Indicated air speed (kt)"),
    _json("tas", N, "True air speed (kt)"),
    _json("mach", N, "Mach number"),
    _json("wd", N, "Wind direction (degrees)", margin=DEGREES_MARGIN),
    _json("ws", N, "Wind speed (kt)"),
    _json("oat", N, "Outside air temperature (degrees C)"),
    _json("tat", N, "Total air temperature (degrees C)"),
    _json("track_rate", N, "Change of track (degrees/s)"),
    _json("roll", N, "Roll (degrees, negative left)"),
    _json("mag_heading", N, "Magnetic heading (degrees)", margin=DEGREES_MARGIN),
    _json("true_heading", N, "True heading (degrees)", margin=DEGREES_MARGIN),
    Field("squawk", T, "squawk", meaning="Mode A code, four octal digits"),
    Field("emergency", Kind.EMERGENCY, "emergency", "emergency", meaning="Emergency state, or true and false"),
    Field("category", T, "category", meaning="Emitter category, A0 to D7"),
    _json("nav_qnh", N, "Altimeter setting (hPa)", margin=0.5),
    _json("nav_altitude_mcp", N, "Altitude selected on the panel (ft)", margin=ALTITUDE_MARGIN_FT),
    _json("nav_altitude_fms", N, "Altitude selected in the flight management system (ft)", margin=ALTITUDE_MARGIN_FT),
    _json("nav_heading", N, "Selected heading (degrees)", margin=DEGREES_MARGIN),
    _json("nav_modes", Kind.WORDS, "Engaged automation modes"),
    Field("lat", N, "lat", margin=POSITION_MARGIN_DEG, share=0.0, meaning="Latitude (degrees)"),
    Field("lon", N, "lon", margin=POSITION_MARGIN_DEG, share=0.0, meaning="Longitude (degrees)"),
    Field("nic", N, "nic", margin=0.0, meaning="Navigation integrity category"),
    _json("rc", N, "Radius of containment (m)"),
    _json("version", N, "ADS-B version", margin=0.0),
    _json("nic_baro", N, "Barometric integrity", margin=0.0),
    Field("nac_p", N, "nac_p", margin=0.0, meaning="Position accuracy category"),
    _json("nac_v", N, "Velocity accuracy category", margin=0.0),
    Field("sil", N, "sil", margin=0.0, meaning="Source integrity level"),
    _json("sil_type", T, "Meaning of sil"),
    _json("gva", N, "Geometric vertical accuracy", margin=0.0),
    _json("sda", N, "System design assurance", margin=0.0),
    _json("alert", N, "Flight status alert", margin=0.0),
    _json("spi", N, "Special position identification", margin=0.0),
    _json("mlat", Kind.WORDS, "Fields from multilateration"),
    _json("tisb", Kind.WORDS, "Fields from TIS-B"),
    _json("disputed", Kind.WORDS, "What receivers contradict each other about, such as altitude or squawk"),
    Field("acas_ra", F, "acas_ra", meaning="A collision avoidance advisory is active"),
    Field("seen", N, "seen", margin=0.0, meaning="Age of the last message (s)"),
    Field("seen_pos", N, "seen_pos", margin=0.0, meaning="Age of the position (s)"),
    Field("messages", N, "messages", meaning="Messages received"),
    Field("rssi", N, "rssi_db", meaning="Signal strength (dBFS)"),
    Field("military", F, "military", meaning="Military, by database or address range"),
    Field("on_ground", F, "on_ground", meaning="On the ground"),
    Field("single_source", F, "single_source", meaning="Only one feeder that is not trusted has ever heard it"),
    Field("distance_nm", N, "distance_nm", margin=BOUNDARY_MARGIN_NM, meaning="Distance from the station (nm)"),
    Field("bearing", N, "bearing_deg", margin=DEGREES_MARGIN, meaning="True bearing from the station (degrees)"),
    Field("first_seen", Kind.TIME, "first_seen", margin=0.0, meaning="When this flight came into the picture"),
    Field("type", T, "source", meaning="Where the data comes from, such as adsb_icao or mlat"),
    Field("source", T, "source", meaning="The same as type"),
    Field("receiver", T, "receiver", meaning="Receiver that has the position"),
    Field("elevation_deg", N, "elevation_deg", margin=2.0, meaning="Angle above the station's horizon (degrees)"),
    Field("age_s", N, "seen", margin=0.0, meaning="The same as seen"),
    Field("climb_ft_min", N, "climb_ft_min", meaning="Vertical rate, barometric or else geometric (ft/min)"),
    Field("owner", T, "owner", "ownOp", details=True, meaning="The same as ownOp"),
    Field("class", Kind.CLASS, meaning="What kind of aircraft it is"),
    Field("geofence", Kind.GEOFENCE, meaning="A geofence, by id"),
    Field("watchlist", Kind.WATCHLIST, meaning="A watch list, by id"),
)
# Kind of a declared field -> the columns of the picture that it may be.
DTYPES = {"number": "fi", "text": "S", "flag": "?"}
# The fields of the picture.
FIELDS: dict[str, Field] = {field.name: field for field in _TABLE}
# Names that records and people use for members of a live aircraft.
ALIASES = {"callsign": "flight", "registration": "r", "icao_hex": "hex", "aircraft_type": "t"}


def field_named(name: str) -> Field | None:
    """The field of this name or alias, None where there is none."""
    field = FIELDS.get(ALIASES.get(name, name))
    if field is None and (declared := rule_fields.DECLARED.get(name)) is not None:
        field = _field(declared)
    return field


def all_fields() -> Mapping[str, Field]:
    """Every field by name; raises ValueError for a declared one that has the name of another or no fitting column."""
    fields = dict(FIELDS)
    for name, declared in rule_fields.DECLARED.items():
        if name in FIELDS or name in ALIASES:
            raise ValueError(f"rule field {name} of a feature has the name of a field of the picture")
        if declared.column and COLUMNS.get(declared.column, "-")[0] not in DTYPES[declared.kind]:
            raise ValueError(f"rule field {name}: the picture has no column {declared.column} of kind {declared.kind}")
        fields[name] = _field(declared)
    return fields


def permissions() -> frozenset[str]:
    """The permissions that fields of features need."""
    return frozenset(declared.permission for declared in rule_fields.DECLARED.values() if declared.permission)


def momentary() -> str:
    """What is true for one moment only, in words: ``enters, leaves and ACARS messages``."""
    declared = (field.events.plural for field in rule_fields.DECLARED.values() if field.events is not None)
    *first, last = dict.fromkeys((*sorted(EVENT_OPS), *declared))
    return f"{', '.join(first)} and {last}"


@functools.cache
def _field(declared: RuleField) -> Field:
    kind = Kind(declared.kind)
    if declared.events is not None:
        kind = Kind.MESSAGE
    elif declared.state is not None:
        kind = Kind.STATE
    return Field(
        declared.name,
        kind,
        declared.column,
        declared.member,
        is_declared=True,
        permission=declared.permission,
        events=declared.events,
        state=declared.state,
        meaning=declared.meaning,
        also=declared.also,
        few_ops=declared.ops,
        value_fault=declared.value_fault,
    )
