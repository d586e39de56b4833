"""Messages of the link itself: squitters of ground stations, link tests, acknowledgements, media advisories.

Sources: ARINC 618 (labels SQ, Q0, Q5, _d), ARINC 620 (media advisory, label SA).
"""

from __future__ import annotations

import re

from skywatch.acars.decoding.values import Decoded, Form, Items, Message, clock, minutes, position_of

SQUITTER = re.compile(r"0([0-2])X([SA])(?:([A-Z]{3})([A-Z]{4})([0-9])(?:([0-9]{4})([NS])([0-9]{5})([EW]))?)?")
VHF = re.compile(r"V([0-9]{6})/([A-Z]*)")
ADVISORY = re.compile(r"0([EL])([A-Z0-9])([0-9]{6})([A-Z0-9]*)/?")
LINKS = {
    "V": "VHF ACARS",
    "2": "VDL Mode 2",
    "S": "satellite (Inmarsat)",
    "H": "HF data link",
    "G": "Globalstar",
    "C": "ICO",
    "I": "Iridium",
}
OPERATORS = {"A": "ARINC", "S": "SITA"}


def squitter(message: Message) -> Decoded | None:
    """SQ: who the ground station is and where."""
    match = SQUITTER.match(message.text)
    if not match:
        return None
    items = Items().add("network", "Network", OPERATORS[match[2]])
    items.add("city", "Station", match[3]).add("airport", "Airport", match[4])
    if match[6]:
        lat = minutes(match[7], match[6][:2], match[6][2:])
        lon = minutes(match[9], match[8][:3], match[8][3:])
        station = position_of(lat, lon)
        if station is not None:
            items.add("station_position", "Station position", f"{station.lat:.4f}, {station.lon:.4f}")
    vhf = VHF.search(message.text)
    if vhf:
        items.add("frequency_mhz", "Frequency (MHz)", int(vhf[1]) / 1000)
    return Decoded("squitter", "Ground station squitter", items.done())


def link_test(message: Message) -> Decoded | None:
    """Q0: the aircraft tries the link."""
    return Decoded("link_test", "Link test") if not message.text else None


def acknowledgement(message: Message) -> Decoded | None:
    """_d: nothing but an acknowledgement."""
    return Decoded("acknowledgement", "Acknowledgement") if not message.text else None


def advisory(message: Message) -> Decoded | None:
    """SA: a data link was established or lost, and which ones are there."""
    match = ADVISORY.fullmatch(message.text.strip())
    if not match:
        return None
    state = "established" if match[1] == "E" else "lost"
    name = LINKS.get(match[2], match[2])
    items = Items().add("link", "Link", name).add("state", "State", state).add("time", "Time", clock(match[3]))
    items.add("available", "Available", ", ".join(LINKS.get(letter, letter) for letter in match[4]))
    return Decoded("media_advisory", f"Data link {state}: {name}", items.done())


FORMS: dict[str, tuple[Form, ...]] = {
    "SQ": (squitter,),
    "Q0": (link_test,),
    "_d": (acknowledgement,),
    "SA": (advisory,),
}
