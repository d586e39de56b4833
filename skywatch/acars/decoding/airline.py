"""What crews and airlines write: movements (out, off, on, in), clearances asked for, free text.

Sources: ARINC 620 (labels QA to QT, out/off/on/in reports; label B9, ATIS request); the airlines' own forms were read
off messages. ``quotes`` marks kinds whose items repeat what a person wrote.
"""

from __future__ import annotations

import re

from skywatch.acars.decoding.values import Decoded, Form, Items, Message, clock, day_clock, whole

# ARINC 620, table of OOOI labels: what happened.
MOVEMENTS = {
    "QA": "out and fuel",
    "QB": "off",
    "QC": "on",
    "QD": "in and fuel",
    "QE": "out and fuel, destination",
    "QF": "off, destination",
    "QG": "out and return in",
    "QH": "out",
    "QK": "landing",
    "QL": "arrival",
    "QM": "arrival information",
    "QN": "diversion",
    "QP": "out",
    "QQ": "off",
    "QR": "on",
    "QS": "in",
    "QT": "out and return in",
}
MOVEMENT = re.compile(r"([A-Z]{4})([A-Z]{4})([0-9]{4})")
MOVEMENT_SHORT = re.compile(r"([A-Z]{3})([0-9]{4})([A-Z]{3})")
FUEL = re.compile(r"/FU[LE] *([0-9]{1,6})")
UNITED = re.compile(r"/([A-Z0-9]{2}) ([A-Z0-9 ]{3,18}?) */ ([A-Z]{4}) ([A-Z]{4}) ([0-9]{2}) ([0-9]{6})([^\n]{0,200})")
UNITED_NAMES = {"ET": "Expected times", "C4": "Message to dispatch", "B3": "Clearance request", "C3": "Gate request"}
OPERATION = re.compile(r"OS ([A-Z]{4}) /([A-Z]{2,3}) ?([A-Z0-9]{0,12})")
OPERATION_NAMES = {"IR": "In range", "ALT": "Altimeter", "TOC": "Top of climb", "TOD": "Top of descent"}
HEADING = re.compile(r"01 ?0([0-9A-Z]{3}) ([A-Z]{4}) ([A-Z]{4})[0-9]?\n?")
ARRIVAL = re.compile(r"3,,,[YN],[YN],[YN],([A-Z]{4}),([0-9]{6}),[^,]{0,8},([^,]{0,200}),")
LANDING = re.compile(r"I,([A-Z]{4}),([A-Z]{4}),([0-9]{2}[LCR]?)/?,([0-9]{2}[LCR]?)/?,")
ATIS = re.compile(r"/([A-Z0-9]{4,7})\.TI2/([0-9]{3})([A-Z]{4})([A-Z])")
CIPHER = re.compile(r"0([0-9])[^\n]{5}\n[\x20-\x7e\n]{5,}")


def movement(message: Message) -> Decoded | None:
    """Labels QA to QT: airports, times, fuel."""
    name = MOVEMENTS.get(message.label)
    if name is None:
        return None
    items = Items()
    long, short = MOVEMENT.match(message.text), MOVEMENT_SHORT.match(message.text)
    if long:
        items.route(long[1], long[2]).add("time", "Time", clock(long[3]))
    elif short:
        items.route(short[1], short[3]).add("time", "Time", clock(short[2]))
    else:
        return None
    fuel = FUEL.search(message.text)
    items.add("fuel", "Fuel", whole(fuel[1]) if fuel else None)
    return Decoded("movement", f"Movement: {name}", items.done())


def united(message: Message) -> Decoded | None:
    """5Z: ``/ET EXP TIME / KIAD KLAX 01 001742/EON 0140 AUTO`` and a text on the next line."""
    match = UNITED.match(message.text)
    if not match:
        return None
    items = Items().route(match[3], match[4]).add("time", "Time", clock(match[6]))
    on = re.search(r"/EON ?([0-9]{4})", match[7])
    items.add("eta", "Expected on", clock(on[1]) if on else None)
    _, _, text = message.text.partition("\n")
    items.add("text", "Text", text)
    return Decoded("airline_report", UNITED_NAMES.get(match[1], match[2].strip().capitalize()), items.done())


def operation(message: Message) -> Decoded | None:
    """5Z: ``OS KABQ /IR KABQ0019``: an operational event at a station."""
    match = OPERATION.match(message.text)
    if not match:
        return None
    name = OPERATION_NAMES.get(match[2], match[2])
    items = Items().add("station", "Station", match[1])
    at = re.fullmatch(r"[A-Z]{4}([0-9]{4})", match[3])
    items.add("time", "Time", clock(at[1]) if at else None)
    return Decoded("airline_report", f"{name}: {match[1]}", items.done())


def dispatch(message: Message) -> Decoded | None:
    """Labels 24, 39, 4H and their like: ``0100<label> KATL KLAS7``, then lines of text."""
    match = HEADING.match(message.text)
    if not match:
        return None
    items = Items().route(match[2], match[3])
    text = " ".join(message.text[match.end() :].split())
    items.add("text", "Text", text)
    return Decoded("airline_report", "Airline message", items.done())


def arrival(message: Message) -> Decoded | None:
    """Label 14: the flight sends its destination its time of arrival, with a greeting."""
    match = ARRIVAL.match(message.text)
    if not match:
        return None
    items = Items().add("destination", "To", match[1]).add("eta", "Expected", clock(match[2]))
    return Decoded("airline_report", "Arrival message", items.add("text", "Text", match[3]).done())


def landing(message: Message) -> Decoded | None:
    """Label 33: landing data asked for two airports and their runways."""
    match = LANDING.match(message.text)
    if not match:
        return None
    items = Items().route(match[1], match[2])
    items.add("departure_runway", "Departure runway", match[3]).add("arrival_runway", "Arrival runway", match[4])
    return Decoded("performance", "Take-off and landing data request", items.done())


def atis(message: Message) -> Decoded | None:
    """B9: the aircraft asks for the recorded information of an airport."""
    match = ATIS.match(message.text)
    if not match:
        return None
    what = {"A": "arrival", "D": "departure", "E": "en route", "C": "contract", "T": "terminate"}.get(
        match[4], match[4]
    )
    items = Items().add("airport", "Airport", match[3]).add("purpose", "For", what)
    return Decoded("atis_request", f"ATIS request: {match[3]}", items.done())


def enciphered(message: Message) -> Decoded | None:
    """Label 37: a text that an airline enciphers; only its key's number is plain."""
    match = CIPHER.match(message.text)
    if not match or re.search(r"[A-Z]{3,} [A-Z]{3,} [A-Z]{2,}", message.text):
        return None
    return Decoded("enciphered", "Enciphered airline message", Items().add("key", "Key", int(match[1])).done())


def expected(message: Message) -> Decoded | None:
    """``ETA`` and day and time, as several airlines write it."""
    match = re.search(r"\bETA ?([0-9]{6}|[0-9]{4})\b", message.text)
    if not match:
        return None
    at = day_clock(match[1]) if len(match[1]) == 6 else clock(match[1])
    return Decoded("airline_report", "Expected arrival", Items().add("eta", "Expected", at).done()) if at else None


_dispatch: dict[str, tuple[Form, ...]] = dict.fromkeys(("24", "39", "4H", "41", "42", "29"), (dispatch,))
_movements: dict[str, tuple[Form, ...]] = dict.fromkeys(MOVEMENTS, (movement,))
FORMS: dict[str, tuple[Form, ...]] = {
    **_movements,
    **_dispatch,
    "5Z": (united, operation),
    "14": (arrival,),
    "33": (landing,),
    "37": (enciphered,),
    "B9": (atis,),
    "80": (expected,),
    "83": (expected,),
}
