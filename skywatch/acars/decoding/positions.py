"""Position reports of airlines and operators under labels of their own (12, 15, 16, 21, 22, 44, 83).

The forms were read off messages whose aircraft were tracked at the same time; fields whose meaning that does not
prove are left out.
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
    seconds,
    signed,
    temperature,
    whole,
)

LABEL_12 = re.compile(
    r"([NS]) ?([0-9.]{5,7}),([EW]) ?([0-9.]{6,8}),([0-9]{4,6}),([0-9]{6}),[^,]{0,6},[.]{0,2}([A-Z0-9-]{3,8})"
)
LABEL_15 = re.compile(
    r"\([12]([NS])([0-9 ]{2}[0-9]{3})([EW])([0-9 ]{3}[0-9]{3})"
    r"([0-9 ]{3}|---)([0-9 ]{3}|---)([0-9 ]{3}|---)([+ -][0-9 ]{2}|---)?\(?"
)
LABEL_15_OFF = re.compile(
    r"\([12]([NS])([0-9 ]{2}[0-9]{3})([EW])([0-9 ]{3}[0-9]{3})OFF(?:[0-9]{6}|-{6})([0-9]{4}|-{4})"
)
LABEL_15_FST = re.compile(r"FST01([A-Z]{4})([A-Z]{4})([NS])([0-9]{6})([EW])([0-9]{7})([0-9]{3})")
LABEL_83 = re.compile(
    r"([A-Z]{4}),([A-Z]{4}),([0-9]{6}),([- ]{0,3}[0-9]{1,2}\.[0-9]{1,4}),([- ]{0,3}[0-9]{1,3}\.[0-9]{1,4}),"
    r" *(-?[0-9]{1,5}), *([0-9]{1,4}),"
)
LABEL_83_PR = re.compile(
    r"001PR([0-9]{2})([0-9]{6})([NS])([0-9]{2})([0-9]{2}\.[0-9])([EW])([0-9]{3})([0-9]{2}\.[0-9])([0-9]{5}|-{5})"
)
LABEL_16 = re.compile(r"([0-9]{6}),([0-9]{3,5}),([0-9]{4}),([0-9 ]{4}),([NS]) ?([0-9.]{5,7}),([EW]) ?([0-9.]{5,8})")
AUTPOS = re.compile(
    r"[0-9]{2}([0-9A-Z]{4})/AUTPOS/LLD ([NS])([0-9]{2})([0-9]{2})([0-9]{2}) ([EW])([0-9]{3})([0-9]{2})([0-9]{2})"
)
LABEL_21 = re.compile(
    r"POS([NS]) ?([0-9.]{5,7})([EW]) ?([0-9.]{5,8}),[^,]{0,5},([0-9]{6}),([0-9]{3,5}),([0-9]{5}),([0-9 ]{1,6}),"
    r" ?([+-]? ?[0-9]{1,2}),([0-9]{6}),([A-Z]{4})"
)
LABEL_22 = re.compile(
    r"([NS]) ?([0-9]{2})([0-9]{2})([0-9]{2})([EW])([0-9]{3})([0-9]{2})([0-9]{2}),[0-9-]{7},([0-9]{6}),([0-9]{3,5}),"
)
LABEL_22_AIR = re.compile(r",([MP]) ?([0-9]{1,2}),([0-9]{3})[0-9]{2} *([0-9]{1,3}),")
LABEL_44 = re.compile(
    r"POS0[0-9],([NS])0?([0-9]{2})([0-9]{3})([EW])([0-9]{3})([0-9]{3}),([0-9]{3}|---),([A-Z]{4}),([A-Z]{4}),([0-9]{4}),([0-9]{4}),"
)


def _decimal(north: str, lat: str, east: str, lon: str, altitude_ft: int | None) -> Position | None:
    latitude, longitude = number(lat), number(lon)
    if latitude is None or longitude is None:
        return None
    return position_of(signed(north, latitude), signed(east, longitude), altitude_ft)


def _report(items: Items, position: Position | None) -> Decoded | None:
    """A position report; without a position on the Earth it is none."""
    return None if position is None else Decoded("position", "Position report", items.done(), position)


def label_12(message: Message) -> Decoded | None:
    """``N 34.076,W107.484,38000,001217, 204,.C-GWBT,0242``: degrees, feet, time, registration."""
    match = LABEL_12.match(message.text)
    if not match:
        return None
    position = _decimal(match[1], match[2], match[3], match[4], whole(match[5]))
    items = (
        Items().position(position).add("time", "Time", clock(match[6])).add("registration", "Registration", match[7])
    )
    return _report(items, position)


def label_15(message: Message) -> Decoded | None:
    """``(2N34496W107267287 44429-55(Z``: degrees and tenths of minutes, wind, flight level, temperature."""
    match = LABEL_15.match(message.text)
    if not match:
        return None
    lat, lon = minutes(match[1], match[2][:2], match[2][2:]), minutes(match[3], match[4][:3], match[4][3:])
    position = position_of(lat, lon, level(match[7]))
    items = Items().position(position).wind(match[5], match[6])
    items.add("temperature_c", "Temperature (°C)", temperature(match[8]))
    return _report(items, position)


def label_15_off(message: Message) -> Decoded | None:
    """``(2N39018W 77284OFF11112418101313--------(Z``: where and when the aircraft took off."""
    match = LABEL_15_OFF.match(message.text)
    if not match:
        return None
    lat, lon = minutes(match[1], match[2][:2], match[2][2:]), minutes(match[3], match[4][:3], match[4][3:])
    position = position_of(lat, lon)
    items = Items().position(position).add("off", "Off", clock(match[5]))
    return None if position is None else Decoded("position", "Off report", items.done(), position)


def label_15_fst(message: Message) -> Decoded | None:
    """``FST01EGKKKMCON373488W0756927380 ...``: airports, ten-thousandths of degrees, flight level."""
    match = LABEL_15_FST.match(message.text)
    if not match:
        return None
    lat, lon = signed(match[3], int(match[4]) / 10_000), signed(match[5], int(match[6]) / 10_000)
    position = position_of(lat, lon, level(match[7]))
    return _report(Items().route(match[1], match[2]).position(position), position)


def label_83(message: Message) -> Decoded | None:
    """``KLAX,KEWR,220103, 40.53,- 74.47, 3836,212, 140.0, 19700``: airports, day and time, degrees, feet, knots."""
    match = LABEL_83.match(message.text)
    if not match:
        return None
    lat, lon = number(match[4].replace(" ", "")), number(match[5].replace(" ", ""))
    position = position_of(lat, lon, whole(match[6]))
    items = Items().route(match[1], match[2]).position(position).add("time", "Time", day_clock(match[3]))
    return _report(items.add("speed_kt", "Speed (kt)", whole(match[7])), position)


def label_83_pr(message: Message) -> Decoded | None:
    """``001PR22035539N4038.6W07427.80292500008``: day, time, degrees and minutes, feet."""
    match = LABEL_83_PR.match(message.text)
    if not match:
        return None
    position = position_of(
        minutes(match[3], match[4], match[5]), minutes(match[6], match[7], match[8]), whole(match[9])
    )
    return _report(Items().position(position).add("time", "Time", clock(match[2])), position)


def label_16(message: Message) -> Decoded | None:
    """``000118,34986,0154, 184,N 35.975,W109.384``: time, feet, degrees."""
    match = LABEL_16.match(message.text)
    if not match:
        return None
    position = _decimal(match[5], match[6], match[7], match[8], whole(match[2]))
    return _report(Items().position(position).add("time", "Time", clock(match[1])), position)


def autpos(message: Message) -> Decoded | None:
    """``010781/AUTPOS/LLD N350000 W1061925``: degrees, minutes and seconds, then named fields."""
    match = AUTPOS.match(message.text)
    if not match:
        return None
    fields = dict(re.findall(r"/([A-Z]{3}) ([^/\n]{1,20})", message.text))
    altitude_ft = whole(fields.get("ALT"))
    position = position_of(
        seconds(match[2], match[3], match[4], match[5]), seconds(match[6], match[7], match[8], match[9]), altitude_ft
    )
    items = Items().position(position).add("time", "Time", clock(fields.get("TIM")))
    items.add("temperature_c", "Temperature (°C)", temperature(fields.get("SAT")))
    items.add("fuel", "Fuel on board", whole(fields.get("FOB")))
    return _report(items, position)


def label_21(message: Message) -> Decoded | None:
    """``POSN 34.764W106.276, 168,001548,32001,25363,  26,-48,012212,KLAS``: hundredths of degrees and knots of wind."""
    match = LABEL_21.match(message.text)
    if not match:
        return None
    position = _decimal(match[1], match[2], match[3], match[4], whole(match[6]))
    items = Items().position(position).add("time", "Time", clock(match[5])).wind(match[7][:3], match[8])
    items.add("temperature_c", "Temperature (°C)", temperature(match[9]))
    items.add("destination", "To", match[11]).add("eta", "Expected", clock(match[10]))
    return _report(items, position)


def label_22(message: Message) -> Decoded | None:
    """``N 344550W1061633,-------,001548,32001, ,      , ,M 48,25363  26, 168,``: degrees, minutes, seconds."""
    match = LABEL_22.match(message.text)
    if not match:
        return None
    lat, lon = seconds(match[1], match[2], match[3], match[4]), seconds(match[5], match[6], match[7], match[8])
    position = position_of(lat, lon, whole(match[10]))
    items = Items().position(position).add("time", "Time", clock(match[9]))
    air = LABEL_22_AIR.search(message.text)
    if air:
        items.add("temperature_c", "Temperature (°C)", temperature(air[1] + air[2])).wind(air[3], air[4])
    return _report(items, position)


def label_44(message: Message) -> Decoded | None:
    """``POS02,N036339W106577,---,KSRQ,KSJC,0202,0006,,---.-``: tenths of minutes, level, route, date, time."""
    match = LABEL_44.match(message.text)
    if not match:
        return None
    position = position_of(
        minutes(match[1], match[2], match[3]), minutes(match[4], match[5], match[6]), level(match[7])
    )
    items = Items().position(position).route(match[8], match[9]).add("time", "Time", clock(match[11]))
    return _report(items, position)


FORMS: dict[str, tuple[Form, ...]] = {
    "12": (label_12,),
    "15": (label_15, label_15_off, label_15_fst),
    "16": (label_16, autpos),
    "21": (label_21,),
    "22": (label_22,),
    "44": (label_44,),
    "83": (label_83, label_83_pr),
}
