"""Reports with a heading and fields between slashes (labels 80 and 83): position, out and off, in range, expected time.

``3N01 POSRPT 5891/04 KIAH/MMGL .XA-VOI`` and lines such as ``/POS N29395W095133/ALT +15608/MCH 558/ETA 0410``. Places
are degrees and minutes with one decimal, with or without its point: read so, they lie on the flights' routes.
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
    level,
    minutes,
    position_of,
    temperature,
    whole,
)

HEADING = re.compile(
    r"[0-9][0-9A-Z]{3} +([A-Z][A-Z0-9]{1,7}) +([0-9]{1,5}) ?/ ?[0-9]{1,2} +([A-Z]{4})/ ?([A-Z]{4}) +\.*([A-Z0-9-]{3,9})"
)
FIELD = re.compile(r"/ ?([A-Z]{2,4}) +([^/\n]{1,40})")
PLACE = re.compile(r"([NS]) ?([0-9]{2})([0-9]{2}\.?[0-9])[ ,/]*([EW]) ?([0-9]{3})([0-9]{2}\.?[0-9])")
SHORT = re.compile(r"[0-9][0-9A-Z]{3} +POS +(?=[NS])")
SHORT_TIME = re.compile(r",([0-9]{6}),")
TITLES = {
    "POSRPT": "Position report",
    "OFFRP": "Off report",
    "INRANG": "In range",
    "OPNORM": "Operations normal",
    "ETAT2": "Expected arrival",
    "FUELRP": "Fuel report",
}
# Fields with a time of day: name, label.
TIMES = {
    ("OUT", "OT"): ("out", "Out"),
    ("OFF", "OF"): ("off", "Off"),
    ("ETA",): ("eta", "Expected"),
    ("UTC", "TIM"): ("time", "Time"),
}


def report(message: Message) -> Decoded | None:
    """A heading with flight, airports and registration, and the fields that follow it."""
    heading = HEADING.search(message.text)
    if not heading:
        return None
    fields = {name: value.strip() for name, value in FIELD.findall(message.text[heading.end() :])}
    where = _position(fields.get("POS", ""), _altitude_ft(fields))
    items = Items().route(heading[3], heading[4]).add("registration", "Registration", heading[5]).position(where)
    for names, (name, label) in TIMES.items():
        text = next((fields[name] for name in names if name in fields), None)
        items.add(name, label, clock(text[:5] if text and ":" in text else text))
    items.add("next_waypoint", "Next", fields.get("NWYP"))
    mach = whole(fields.get("MCH"))
    items.add("mach", "Mach", mach / 1000 if mach is not None and 0 < mach < 1000 else None)
    items.add("tas_kt", "True airspeed (kt)", whole(fields.get("TAS")))
    items.add("temperature_c", "Temperature (°C)", temperature(fields.get("SAT")))
    items.add("fuel", "Fuel on board", whole(fields.get("FOB", "").lstrip("N")))
    title = TITLES.get(heading[1], heading[1].capitalize())
    return Decoded("position" if where else "airline_report", title, items.done(), where)


def short(message: Message) -> Decoded | None:
    """``3C01 POS N39328W077307  ,,143700, ...``: position and time."""
    head = SHORT.match(message.text)
    where = _position(message.text[head.end() :], None) if head else None
    if where is None:
        return None
    time = SHORT_TIME.search(message.text)
    items = Items().position(where).add("time", "Time", clock(time[1]) if time else None)
    return Decoded("position", "Position report", items.done(), where)


def _position(text: str, altitude_ft: int | None) -> Position | None:
    match = PLACE.match(text)
    if not match:
        return None
    return position_of(minutes(match[1], match[2], match[3]), minutes(match[4], match[5], match[6]), altitude_ft)


def _altitude_ft(fields: dict[str, str]) -> int | None:
    return whole(fields["ALT"]) if "ALT" in fields else level(fields.get("FL"))


FORMS: dict[str, tuple[Form, ...]] = {"80": (report, short), "83": (report, short)}
