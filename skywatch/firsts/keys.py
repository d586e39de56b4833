"""What a flight is a sighting of: its airframe, its type, its airline and the country of its register."""

from __future__ import annotations

import re

from skywatch.airframes.states import state_of

# The designator of an airline and a flight number: ICAO Annex 10, volume II, 5.2.1.7.2.1, type c.
_OF_AIRLINE = re.compile(r"([A-Z]{3})[0-9]{1,4}[A-Z]{0,2}")


def keys_of(icao_hex: str, aircraft_type: str | None, callsign: str | None) -> dict[str, str]:
    """The key of each kind that a flight has one of, none where it is of no airframe; ``icao_hex`` in upper case."""
    if not is_airframe(icao_hex):
        return {}
    keys = {
        "airframe": icao_hex,
        "type": (aircraft_type or "").strip(),
        "operator": operator_of(callsign) or "",
        "country": state_of(icao_hex) or "",
    }
    return {kind: key for kind, key in keys.items() if key}


def is_airframe(icao_hex: str) -> bool:
    """Whether an address is of an airframe: one with a leading ~ is of a track of TIS-B, or made up by who sends it."""
    return not icao_hex.startswith("~")


def operator_of(callsign: str | None) -> str | None:
    """The ICAO designator of the airline whose callsign it is."""
    match = _OF_AIRLINE.fullmatch((callsign or "").strip())
    return match[1] if match else None
