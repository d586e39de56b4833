"""Messages of flight management computers (label H1): positions, plans, performance, answers to uplinks.

Source: ARINC 702A, attachment 7 (imbedded message identifiers POS, FPN, PER, PRF, RES, REQ, REJ). Each ends with a
checksum of four hexadecimal digits, which is cut off.
"""

from __future__ import annotations

import re

from skywatch.acars.decoding.values import (
    Decoded,
    Form,
    Items,
    Message,
    clock,
    level,
    minutes,
    position_of,
    temperature,
    whole,
)

CHECKSUM = re.compile(r"[0-9A-F]{4}$")
POSITION = re.compile(r"POS([NS])([0-9]{5})([EW])([0-9]{6})")
PLAN_FIELDS = {
    "DA": ("origin", "From"),
    "AA": ("destination", "To"),
    "R": ("runway", "Runway"),
    "D": ("departure", "Departure procedure"),
    "A": ("arrival", "Arrival procedure"),
    "AP": ("approach", "Approach"),
    "CR": ("company_route", "Company route"),
}
PLAN_FIELD = re.compile(r":(DA|AA|AP|CR|R|D|A):([^:]{1,200})")
WIND = re.compile(r"([0-9]{3})([0-9]{2,3})")
ANSWERS = {"AK": "acknowledged", "AC": "accepted", "RJ": "rejected"}
SUBJECTS = {
    "PWI": "predicted winds",
    "REQ": "request",
    "POS": "position request",
    "FPN": "flight plan",
    "PER": "performance data",
}


def position(message: Message) -> Decoded | None:
    """POS: position, waypoint passed, next and following ones, level, temperature, wind, fuel."""
    match = POSITION.match(message.text)
    if not match:
        return None
    fields = CHECKSUM.sub("", message.text).split(",")
    fields += [""] * (10 - len(fields))
    lat, lon = minutes(match[1], match[2][:2], match[2][2:]), minutes(match[3], match[4][:3], match[4][3:])
    where = position_of(lat, lon, level(fields[3]))
    if where is None:
        return None
    items = Items().position(where).add("waypoint", "Over", fields[1]).add("time", "Time", clock(fields[2]))
    items.add("next_waypoint", "Next", fields[4]).add("next_eta", "Expected there", clock(fields[5]))
    items.add("following_waypoint", "Then", fields[6])
    items.add("temperature_c", "Temperature (°C)", temperature(fields[7]))
    wind = WIND.fullmatch(fields[8])
    if wind:
        items.wind(wind[1], wind[2])
    items.add("fuel", "Fuel remaining", whole(fields[9]))
    return Decoded("position", "Position report", items.done(), where)


def plan(message: Message) -> Decoded | None:
    """FPN: a flight plan of the flight management computer."""
    if not message.text.startswith(("FPN/", "#M1BFPN/", "#M2BFPN/", "#M3BFPN/")):
        return None
    items = Items()
    flight = re.search(r"/FN([A-Z0-9]{2,8})", message.text)
    items.add("flight", "Flight", flight[1] if flight else None)
    text = CHECKSUM.sub("", message.text)
    for code, value in PLAN_FIELD.findall(text):
        # A field ends where the route begins; an approach is followed by it without a colon.
        head, _, rest = value.partition("..")
        items.add(*PLAN_FIELDS[code], head)
        if rest and code in ("AP", "CR", "A", "D"):
            items.add("route", "Route", rest.replace("..", " "))
    return Decoded("flight_plan", "Flight plan", items.done()) if items.done() else None


def performance(message: Message) -> Decoded | None:
    """PER and PRF: performance data; level and temperature can be read without the operator's table."""
    if message.text.startswith("PER/PR"):
        fields = message.text.removeprefix("PER/PR").split(",")
        items = Items()
        if len(fields) > 2:
            items.add("altitude_ft", "Cruise level (ft)", level(fields[2]))
        items.add(
            "temperature_c", "Temperature (°C)", next((temperature(f) for f in fields if f.startswith("M")), None)
        )
        return Decoded("performance", "Performance data", items.done())
    if message.text.startswith("PRF/"):
        airports = [field for field in message.text.split(",") if re.fullmatch(r"[A-Z]{4}", field)]
        items = Items()
        if len(airports) >= 2:
            items.route(airports[0], airports[1])
        return Decoded("performance", "Performance request", items.done())
    return None


def answer(message: Message) -> Decoded | None:
    """RES and REJ: the computer's answer to an uplink."""
    match = re.match(r"(RES|REJ)([A-Z]{3})(?:/([A-Z]{2}))?", message.text)
    if not match:
        return None
    subject = SUBJECTS.get(match[2], match[2])
    verdict = "rejected" if match[1] == "REJ" else ANSWERS.get(match[3] or "", "answered")
    items = Items().add("subject", "Uplink", subject).add("answer", "Answer", verdict)
    return Decoded("fmc_answer", f"Uplink {verdict}: {subject}", items.done())


def request(message: Message) -> Decoded | None:
    """REQ: the computer asks the ground for data."""
    match = re.match(r"REQ([A-Z]{3})", message.text)
    if not match:
        return None
    subject = SUBJECTS.get(match[1], match[1])
    return Decoded("fmc_request", f"Request: {subject}", Items().add("subject", "Asked for", subject).done())


FORMS: dict[str, tuple[Form, ...]] = {
    "H1": (position, plan, performance, answer, request),
    "4A": (position,),
    "1M": (position,),
}
