"""The thresholds of the detectors: name, default, unit, bounds and source.

Administrators change them at run time (``PATCH /api/v1/safety/settings``); detectors read them from one frozen value.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from skywatch.sentences import sentence

OWN = "Skywatch: measured on recordings (manual: Safety)"
ICAO_PHRASE = "ICAO Annex 10 volume IV"


@dataclasses.dataclass(frozen=True)
class Meaning:
    """The description of a threshold in the API."""

    default: float
    unit: str
    minimum: float
    maximum: float
    source: str
    meaning: str


def threshold(default: float, unit: str, minimum: float, maximum: float, meaning: str, source: str = OWN) -> Any:
    """Declare one threshold."""
    return dataclasses.field(
        default=default, metadata={"meaning": Meaning(default, unit, minimum, maximum, source, meaning)}
    )


@dataclasses.dataclass(frozen=True)
class Thresholds:
    """The thresholds in force."""

    emergency_hold_s: float = threshold(3, "s", 0, 120, "an emergency is raised after it was sent for this time")
    unlawful_hold_s: float = threshold(
        10, "s", 0, 120, "7500 is raised after this time, airborne only: it may be passed while another code is dialled"
    )
    emergency_share: float = threshold(
        0.7, "", 0.5, 1, "an emergency that is not sent without a break must be this share of what is received"
    )
    emergency_forget_s: float = threshold(
        5, "s", 1, 60, "an emergency that was not raised is forgotten after this time"
    )
    emergency_break_s: float = threshold(
        60, "s", 0, 600, "an emergency code that was broken off must be sent for longer for this time"
    )
    emergency_break_factor: float = threshold(
        2, "", 1, 10, "by what factor an emergency code must be sent for longer after each break"
    )
    emergency_most_s: float = threshold(30, "s", 0, 600, "no emergency code must be sent for longer because of breaks")
    emergency_end_s: float = threshold(60, "s", 5, 600, "an emergency ends this long after it was last sent")
    advisory_window_s: float = threshold(
        10, "s", 1, 60, "two frames with an advisory within this time raise it; one alone may be a bit error"
    )
    advisory_end_s: float = threshold(
        18, "s", 5, 120, "an advisory ends this long after its last frame", f"{ICAO_PHRASE}, 4.3.8.4.2.2.1.1"
    )
    proximity_horizon_s: float = threshold(
        60,
        "s",
        10,
        180,
        "look-ahead for closest points of approach",
        "RTCA DO-185B: sensitivity level 7",
    )
    proximity_low_nm: float = threshold(0.5, "nm", 0.1, 5, "horizontal size of the box at low altitude")
    proximity_low_vertical_ft: float = threshold(400, "ft", 100, 2000, "vertical size of the box at low altitude")
    proximity_low_ft: float = threshold(10_000, "ft", 1000, 30_000, "altitude up to which the box has its smaller size")
    proximity_high_nm: float = threshold(
        3, "nm", 0.5, 10, "horizontal size of the box at high altitude", "ICAO Doc 4444, 8.7.3: 3 nm with radar"
    )
    proximity_high_vertical_ft: float = threshold(
        800, "ft", 200, 2000, "vertical size of the box at high altitude", "ICAO Doc 4444, 5.3.2, less 200 ft"
    )
    proximity_high_ft: float = threshold(19_500, "ft", 5000, 45_000, "altitude from which the box has its larger size")
    proximity_closing_kt: float = threshold(10, "kt", 0, 200, "pairs that close more slowly are ignored")
    proximity_critical_nm: float = threshold(0.25, "nm", 0.05, 2, "a pair this near is critical")
    proximity_critical_ft: float = threshold(300, "ft", 50, 1000, "a pair this near in altitude is critical")
    proximity_hold_s: float = threshold(2, "s", 0, 30, "a pair is raised after it met the rule for this time")
    proximity_sure_s: float = threshold(30, "s", 5, 180, "forecasts further ahead must hold for longer")
    proximity_far_factor: float = threshold(
        3, "", 0, 20, "by what multiple of the time beyond a forecast further ahead must hold for longer"
    )
    proximity_end_s: float = threshold(10, "s", 2, 120, "an encounter ends this long after the rule last held")
    proximity_position_age_s: float = threshold(10, "s", 2, 60, "positions older than this are not judged")
    proximity_nic: float = threshold(
        6, "", 0, 11, "a lower integrity category lowers the event to info", "DO-260B, table 2-70"
    )
    proximity_relayed_nac_p: float = threshold(
        7, "", 0, 11, "a TIS-B position of lower accuracy lowers the event to info", "DO-260B, table 2-71: 0.1 nm"
    )
    proximity_levels_ft: float = threshold(
        900,
        "ft",
        400,
        2000,
        "separation at which one that climbs and one that descends are expected to level off",
        "ICAO Doc 4444, 5.3.2: 1,000 ft, less 100 ft for encoders",
    )
    proximity_turn_s: float = threshold(30, "s", 5, 60, "look-ahead for aircraft in a turn")
    proximity_turn_one_s: float = threshold(
        10, "s", 0, 60, "so near a conflict in a turn is raised if one of four ends of the turn leads to it"
    )
    proximity_turn_two_s: float = threshold(
        20, "s", 0, 60, "so near a conflict in a turn is raised if two of four ends lead to it, beyond this three"
    )
    proximity_turning_deg_s: float = threshold(
        0.7, "degrees/s", 0.3, 3, "an aircraft whose track changes faster is in a turn"
    )
    proximity_parallel_s: float = threshold(
        20, "s", 0, 60, "turns onto parallel finals are held back until this long before the closest point"
    )
    proximity_intercept_deg: float = threshold(
        30, "degrees", 5, 90, "turns onto parallel finals are held back up to this angle to the finals", "ICAO Doc 9643"
    )
    proximity_aside_nm: float = threshold(
        0.08,
        "nm",
        0.02,
        1,
        "finals nearer to each other than this are not parallel finals",
        "ICAO Annex 14 volume I, 3.1.11: 210 m, less the scatter of positions",
    )
    formation_steady_s: float = threshold(
        10, "s", 0, 60, "two that fly together are a formation after they were not closing in for this time"
    )
    formation_closed_nm: float = threshold(
        0.3, "nm", 0.1, 1, "two that came nearer by this without a pause are no formation in descent, and no copy"
    )
    extreme_rate_fpm: float = threshold(6000, "ft/min", 3000, 20_000, "a vertical rate beyond this is extreme")
    extreme_rate_hold_s: float = threshold(8, "s", 2, 60, "shortest duration of an extreme rate")
    reversal_rate_fpm: float = threshold(1500, "ft/min", 500, 6000, "rates of a reversal, one way and the other")
    reversal_window_s: float = threshold(15, "s", 5, 60, "longest duration of a reversal")
    reversal_traffic_nm: float = threshold(5, "nm", 1, 20, "a reversal without traffic this near is info")
    reversal_traffic_ft: float = threshold(2000, "ft", 500, 5000, "a reversal without traffic this near is info")
    vertical_end_s: float = threshold(15, "s", 5, 120, "a vertical event ends this long after it last held")
    low_margin_ft: float = threshold(
        500, "ft", 100, 3000, "distance below the learnt floor at which an aircraft is low"
    )
    low_speed_kt: float = threshold(180, "kt", 60, 400, "slower aircraft are not judged to be low")
    low_hold_s: float = threshold(10, "s", 2, 120, "shortest time that an aircraft must be low")
    low_runway_nm: float = threshold(10, "nm", 2, 30, "no aircraft nearer to a runway than this is low")
    area_good_s: float = threshold(20, "s", 5, 300, "an aircraft counts after its integrity was good for this time")
    area_bad_s: float = threshold(5, "s", 0, 30, "an aircraft is bad after its integrity was bad for this time")
    area_within_s: float = threshold(
        300, "s", 30, 3600, "a region begins if enough aircraft turned bad within this time of each other"
    )
    area_relayed_s: float = threshold(
        120, "s", 0, 3600, "an aircraft relayed by a ground station does not count for this time"
    )
    area_nic: float = threshold(7, "", 1, 11, "an integrity category below this is bad", "DO-260B, table 2-70")
    area_nac_p: float = threshold(8, "", 1, 11, "an accuracy category below this is bad", "DO-260B, table 2-71")
    area_share: float = threshold(
        0.1, "", 0.02, 1, "share of bad aircraft, one subtracted, that makes a region", "gpsjam.org: (bad - 1) / all"
    )
    area_aircraft: float = threshold(3, "aircraft", 2, 50, "least number of bad aircraft that make a region")
    area_cell_deg: float = threshold(0.5, "degrees", 0.1, 2, "size of the cells that regions are made of")
    area_end_s: float = threshold(60, "s", 10, 600, "a region ends this long after it was last bad")
    leap_nm: float = threshold(5, "nm", 1, 100, "a position this far from any reachable one is a leap")
    leap_end_s: float = threshold(60, "s", 10, 600, "a leap ends this long after the last one")
    contradiction_nm: float = threshold(
        5,
        "nm",
        3,
        100,
        "least distance at which positions by two receivers, or by multilateration, contradict each other",
    )
    contradiction_hold_s: float = threshold(10, "s", 2, 120, "shortest duration of a contradiction")
    contradiction_end_s: float = threshold(60, "s", 10, 600, "a contradiction ends this long after its last position")
    gather_aircraft: float = threshold(3, "aircraft", 2, 50, "least number of aircraft in one point that make an event")
    gather_nm: float = threshold(0.1, "nm", 0.01, 1, "largest distance between aircraft in one point")
    altitude_leap_ft: float = threshold(
        1000, "ft", 300, 10_000, "least leap of geometric against barometric altitude in level flight"
    )
    altitude_within_s: float = threshold(
        5, "s", 1, 30, "altitudes are compared only if both were received within this time, in level flight"
    )
    aggregate_events: float = threshold(
        20,
        "events",
        1,
        1000,
        "beyond so many active events of a type in a region, further ones are counted in one event",
    )
    aggregate_region_deg: float = threshold(1, "degrees", 0.1, 30, "size of the regions in which events are counted")
    aggregate_total: float = threshold(
        1000,
        "events",
        10,
        10_000,
        "beyond so many active events in all, further ones are counted in one event of their type",
    )


FIELDS: dict[str, dataclasses.Field[Any]] = {field.name: field for field in dataclasses.fields(Thresholds)}


def meaning_of(name: str) -> Meaning:
    """Unit, bounds and source of a threshold."""
    meaning: Meaning = FIELDS[name].metadata["meaning"]
    return meaning


def fault_of(name: str, value: float) -> str | None:
    """Why a stored value of a threshold is not in force, or None; versions before this one may have stored any."""
    meaning = meaning_of(name)
    if isinstance(value, int | float) and meaning.minimum <= value <= meaning.maximum:
        return None
    return sentence(
        "safety.threshold_out_of_bounds",
        "the stored {value} is not between {minimum} and {maximum}",
        value=f"{value}",
        minimum=f"{meaning.minimum:.15g}",
        maximum=f"{meaning.maximum:.15g}",
    )


def with_changes(changes: dict[str, float]) -> Thresholds:
    """The defaults with these changes; names that do not exist are ignored (they may be of another version), and so
    are values outside of their bounds."""
    valid = {name: float(value) for name, value in changes.items() if name in FIELDS and fault_of(name, value) is None}
    return Thresholds(**valid)
