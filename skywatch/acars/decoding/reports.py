"""Automatic reports of aircraft systems (label H1, sublabel DF and the like): weather, positions, engines.

Weather reports follow the World Meteorological Organization's AMDAR practice and ARINC 620 (version 2 and later, form
``76401``/``E502``); the others are the airlines' own, read off messages whose aircraft were tracked.
"""

from __future__ import annotations

import re

from skywatch.acars.decoding.values import (
    Decoded,
    Form,
    Items,
    Message,
    Position,
    clock,
    day_clock,
    level,
    minutes,
    number,
    position_of,
    signed,
    temperature,
    whole,
)

HEAD = re.compile(
    r"(?:\+\+)?([0-9][0-9A-Z]{3,5}),([A-Z0-9-]{2,7}),([A-Z0-9-]{3,9}),([0-9]{6}),([A-Z0-9]{3,8}),([A-Z]{4}),([A-Z]{4}),"
)
OBSERVATION = re.compile(
    r"^([NS])([0-9]{2})([0-9]{2}\.[0-9]),([EW])([0-9]{3})([0-9]{2}\.[0-9]),([0-9]{6}),([0-9]{5}),([-0-9.]{3,5}),([0-9]{3}),([0-9]{3}),([A-Z]{2})",
    re.MULTILINE,
)
STATE = re.compile(
    r"^([0-9]{2}\.[0-9]{2}\.[0-9]{2}),([A-Z]{2}),[0-9]{4},([0-9]{5}),([0-9.]{4,5}),(\.[0-9]{3}),([-0-9.]{3,5}),([-0-9.]{3,5}),"
    r"([NS])([0-9]{2})([0-9]{2}\.[0-9]),([EW])([0-9]{3})([0-9]{2}\.[0-9])",
    re.MULTILINE,
)
AMDAR = re.compile(r"([NS])([0-9]{5})([EW])([0-9]{6})([0-9]{4})([0-9]{4})([MP])([0-9]{3})([0-9]{3})([0-9]{3})G")
AMDAR_HEAD = re.compile(r"76401\n[0-9A-Z]{5}([A-Z]{4})([A-Z]{4})\n")
E502_HEAD = re.compile(r"E502([A-Z]{3}) ([A-Z]{3}) ")
ABS = re.compile(
    r"ABS[0-9A-Z]{5}_([A-Z0-9-]{3,7}) +([A-Z]{4})([A-Z]{4})[ 0-9]{3}\n ?([ -])?([0-9]{5})"
    r"([ -])([0-9]{6})([0-9]{4})([0-9]{6})([-+][0-9]{2}[0-9-])([0-9]{3})([0-9]{3})"
)
TRIPLE = re.compile(
    r"TRP ([0-9]{6}) +(-?[0-9]{1,2}\.[0-9]{4}) +(-?[0-9]{1,3}\.[0-9]{4}) +([0-9]{2,3}) +[0-9.]+ +([0-9]{2,3}) "
)
STAR_POS = re.compile(r"\*POS\n[0-9]{4}([0-9]{4})([NS])([0-9]{4})([EW])([0-9]{5})([0-9]{3})")
STAR_WOB = re.compile(
    r"\*WOB([A-Z]{3})([A-Z]{3})[0-9]{4}[A-Z] [0-9]{4}([0-9]{4})[0-9]{2}M[0-9]{3}"
    r"([MP][0-9]{3})([0-9]{5})[0-9]{3}([NS])([0-9]{5})([EW])([0-9]{6})([0-9]{3})([0-9]{3}):"
)
FEDEX = re.compile(r"PO6([A-Z0-9]{3,6}?)([0-9]{4}) +[0-9]*([A-Z]{4})([A-Z]{4})[0-9]{4}([0-9]{6})")
FEDEX_PLACE = re.compile(r"([NS]) ?([0-9]{2})([ 0-9]{3})([EW])([ 0-9]{3})([ 0-9]{3})[0-9]")
REP = re.compile(
    r"REP([0-9]{3}),.{0,12}/[0-9]{3}(N[A-Z0-9]{2,5}?)([0-9]{4})([0-9]{6})([0-9]{6})([0-9]{3})"
    r"([NS])([0-9]{5})([EW])([0-9]{6})([0-9]{3})([-+][0-9]{2})([-+][0-9]{2})([0-9]{3}) ?([0-9]{2,3})"
)
AIRBUS = re.compile(
    r"A([0-9]{2})/A([0-9]{3})[0-9]{2},[0-9],[0-9]/(?:CC|C1)([A-Z0-9-]{3,7}),(?:([A-Z]{3}[0-9]{2}),)?([0-9]{6}),([A-Z]{4}),([A-Z]{4})"
)
AIRBUS_STATE = re.compile(r"/CE[NS]([0-9]{3}),([0-9]{5}),([0-9]{3}),([0-9]{3}),")
DFB = re.compile(r"(#DFB)?([0-9]{2})")
PHASES = {"TO": "take-off", "CL": "climb", "CR": "cruise", "ER": "en route", "DC": "descent", "AP": "approach"}


def _dm(match: re.Match[str], first: int, altitude_ft: int | None) -> Position | None:
    """Six groups from ``first`` on: hemisphere, degrees, minutes, twice."""
    lat = minutes(match[first], match[first + 1], match[first + 2])
    lon = minutes(match[first + 3], match[first + 4], match[first + 5])
    return position_of(lat, lon, altitude_ft)


def _heading(items: Items, text: str) -> str:
    """Adds the heading of an aircraft condition report; returns the report's number or an empty text."""
    head = HEAD.match(text)
    if not head:
        return ""
    items.add("flight", "Flight", head[5]).route(head[6], head[7]).add("aircraft_type", "Type", head[3])
    return head[1]


def weather(message: Message) -> Decoded | None:
    """Observations one a line: position, day and time, altitude, temperature, wind, phase of flight."""
    matches = list(OBSERVATION.finditer(message.text))
    if not matches:
        return None
    items = Items()
    _heading(items, message.text)
    for number_of, match in enumerate(matches, 1):
        where = _dm(match, 1, whole(match[8]))
        air = f"{temperature(match[9])} °C, {match[10]}° / {int(match[11])} kt"
        text = f"{day_clock(match[7])}, {int(match[8])} ft, {air}"
        if where is not None:
            text = f"{where.lat:.3f}, {where.lon:.3f}, {text}"
        items.add(f"observation_{number_of}", f"Observation {number_of}", text)
    return Decoded("weather", "Weather observations", items.done(), _dm(matches[-1], 1, whole(matches[-1][8])))


def condition(message: Message) -> Decoded | None:
    """A report of the aircraft condition monitoring system: its number, the flight, the state when it was made."""
    items = Items()
    report = _heading(items, message.text)
    if not report:
        return None
    items.add("report", "Report", report)
    where = None
    state = STATE.search(message.text)
    if state:
        where = _dm(state, 8, whole(state[3]))
        items.add("time", "Time", clock(state[1])).add("phase", "Phase", PHASES.get(state[2], state[2])).position(where)
        items.add("ias_kt", "Airspeed (kt)", number(state[4])).add("mach", "Mach", number(state[5]))
        items.add("temperature_c", "Temperature (°C)", temperature(state[7]))
    return Decoded("aircraft_condition", "Aircraft condition report", items.done(), where)


def _thousandths(hemisphere: str, digits: str) -> float:
    return signed(hemisphere, int(digits) / 1000)


def _degrees_and_minutes(hemisphere: str, digits: str) -> float | None:
    return minutes(hemisphere, digits[:-3], digits[-3:])


def amdar(message: Message) -> Decoded | None:
    """Meteorological reports: position, time, tens of feet, temperature, wind.

    The position is in thousandths of degrees, in the older form in degrees and tenths of minutes.
    """
    text = message.text
    head, old = AMDAR_HEAD.match(text), E502_HEAD.match(text)
    if not (head or old):
        return None
    # A line may break in the middle of a group.
    matches = list(AMDAR.finditer(text.replace("\n", "")))
    if not matches:
        return None
    heading = head or old
    assert heading is not None
    items, last = Items().route(heading[1], heading[2]), None
    for number_of, match in enumerate(matches, 1):
        read = _degrees_and_minutes if old else _thousandths
        last = position_of(read(match[1], match[2]), read(match[3], match[4]), int(match[6]) * 10)
        # The older form has tenths of degrees.
        celsius = int(match[8]) / (10 if old else 1) * (-1 if match[7] == "M" else 1)
        air = f"{celsius:g} °C, {match[9]}° / {int(match[10])} kt"
        text = f"{clock(match[5])}, {int(match[6]) * 10} ft, {air}"
        if last is not None:
            text = f"{last.lat:.3f}, {last.lon:.3f}, {text}"
        items.add(f"observation_{number_of}", f"Observation {number_of}", text)
    return Decoded("weather", "Weather observations", items.done(), last)


def abs_report(message: Message) -> Decoded | None:
    """``ABS001DA_N8719Q  KMDWKPHX287`` and a line with position, time, altitude, temperature and wind."""
    match = ABS.match(message.text)
    if not match:
        return None
    lat = int(match[5]) / 1000 * (-1 if match[4] == "-" else 1)
    lon = int(match[7]) / 1000 * (-1 if match[6] == "-" else 1)
    where = position_of(lat, lon, whole(match[9]))
    if where is None:
        return None
    celsius = temperature(match[10].rstrip("-")) if match[10].endswith("-") else int(match[10]) / 10
    items = Items().route(match[2], match[3]).position(where).add("time", "Time", clock(match[8]))
    items.add("temperature_c", "Temperature (°C)", celsius).wind(match[11], match[12])
    return Decoded("weather", "Weather observation", items.done(), where)


def turbulence(message: Message) -> Decoded | None:
    """TRP: position, level and ground speed where a turbulence report was made."""
    match = TRIPLE.match(message.text)
    if not match:
        return None
    where = position_of(number(match[2]), number(match[3]), level(match[4]))
    items = (
        Items().position(where).add("time", "Time", clock(match[1])).add("gs_kt", "Ground speed (kt)", whole(match[5]))
    )
    return Decoded("turbulence", "Turbulence report", items.done(), where) if where else None


def star_position(message: Message) -> Decoded | None:
    """``*POS``: date, time, degrees and minutes, flight level."""
    match = STAR_POS.match(message.text)
    if not match:
        return None
    lat, lon = minutes(match[2], match[3][:2], match[3][2:]), minutes(match[4], match[5][:3], match[5][3:])
    where = position_of(lat, lon, level(match[6]))
    items = Items().position(where).add("time", "Time", clock(match[1]))
    return Decoded("position", "Position report", items.done(), where) if where else None


def star_weather(message: Message) -> Decoded | None:
    """``*WOB``: a weather observation: route, time, temperature, altitude, position, wind."""
    match = STAR_WOB.match(message.text)
    if not match:
        return None
    lat, lon = minutes(match[6], match[7][:2], match[7][2:]), minutes(match[8], match[9][:3], match[9][3:])
    where = position_of(lat, lon, whole(match[5]))
    items = Items().route(match[1], match[2]).position(where).add("time", "Time", clock(match[3]))
    celsius = int(match[4][1:]) / 10 * (-1 if match[4][0] == "M" else 1)
    items.add("temperature_c", "Temperature (°C)", celsius).wind(match[10], match[11])
    return Decoded("weather", "Weather observation", items.done(), where) if where else None


def fedex(message: Message) -> Decoded | None:
    """``PO6N144FE3854 ...``: registration, flight, route, time, then position in degrees and tenths of minutes."""
    match, spot = FEDEX.match(message.text), FEDEX_PLACE.search(message.text)
    if not match or not spot:
        return None
    lat, lon = minutes(spot[1], spot[2], spot[3]), minutes(spot[4], spot[5], spot[6])
    where = position_of(lat, lon)
    items = Items().add("registration", "Registration", match[1]).route(match[3], match[4]).position(where)
    items.add("time", "Time", clock(match[5]))
    return Decoded("aircraft_condition", "Aircraft condition report", items.done(), where) if where else None


def rep(message: Message) -> Decoded | None:
    """``A321,...REP239``: registration, flight, date, time, Mach number, position, level, temperatures, wind."""
    match = REP.search(message.text)
    if not match:
        return None
    lat, lon = signed(match[7], int(match[8]) / 1000), signed(match[9], int(match[10]) / 1000)
    where = position_of(lat, lon, level(match[11]))
    items = Items().add("report", "Report", match[1]).add("registration", "Registration", match[2])
    items.add("time", "Time", clock(match[5])).position(where).add("mach", "Mach", int(match[6]) / 1000)
    items.add("temperature_c", "Temperature (°C)", temperature(match[13])).wind(match[14], match[15])
    return Decoded("aircraft_condition", "Aircraft condition report", items.done(), where)


def airbus(message: Message) -> Decoded | None:
    """``A02/A31902,...``: a condition report of an Airbus: report, type, registration, flight."""
    match = AIRBUS.match(message.text)
    if not match:
        return None
    items = Items().add("report", "Report", match[1]).add("aircraft_type", "Type", f"A{match[2]}")
    items.route(match[6], match[7]).add("time", "Time", clock(match[5]))
    state = AIRBUS_STATE.search(message.text)
    if state:
        items.add("altitude_ft", "Altitude (ft)", whole(state[2])).add("ias_kt", "Airspeed (kt)", whole(state[3]))
        items.add("mach", "Mach", int(state[4]) / 1000)
    return Decoded("aircraft_condition", "Aircraft condition report", items.done())


def dfb(message: Message) -> Decoded | None:
    """``#DFB04...``: a report of a digital flight data unit; its number is all that is common to airlines."""
    match = DFB.match(message.text)
    if not match or not (match[1] or message.sublabel == "DF"):
        return None
    return Decoded("aircraft_condition", "Aircraft condition report", Items().add("report", "Report", match[2]).done())


FORMS: dict[str, tuple[Form, ...]] = {
    "H1": (
        weather,
        amdar,
        abs_report,
        turbulence,
        star_position,
        star_weather,
        fedex,
        rep,
        airbus,
        dfb,
        condition,
    ),
}
