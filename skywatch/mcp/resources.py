"""What explains the answers of the tools: units, terms of the field, members."""

from __future__ import annotations

from collections.abc import Callable

from skywatch.http.requests.request import Request
from skywatch.mcp.tools import Catalog

MEDIA_TYPE = "text/plain"
UNITS = """\
The unit of a number is in its name: distance_nm is in nautical miles (1 nm = 1.852 km), altitude_ft in feet
(1 ft = 0.3048 m), speed_kt in knots (1 kt = 1.852 km/h), rate_fpm in feet a minute, age_s in seconds, _deg in degrees.
Names of live aircraft are readsb's and have none: alt_baro and alt_geom are in feet, gs, ias, tas and ws in knots,
baro_rate and geom_rate in feet a minute, seen and seen_pos in seconds, track and headings in degrees clockwise from
true north (mag_heading: from magnetic north), nav_qnh in hPa, oat and tat in degrees Celsius, rssi in dBFS.
Times are UTC, as ISO 8601 with Z; `now` of live answers is in unix seconds. alt_baro is "ground" on the ground.
Barometric altitude is at 1013.25 hPa, not above mean sea level. Positions are WGS 84, in degrees.
"""
GLOSSARY = """\
ICAO address (hex, icao_hex): six hexadecimal digits of an airframe's transponder; with ~ it is none of ICAO.
callsign (flight): what the crew set, such as SWR123 for flight LX 123; private aircraft often send the registration.
registration (r): the letters on the airframe, such as HB-JHA.
type designator (t): ICAO's name of the aircraft type, such as A320.
squawk: four octal digits that air traffic control assigns. 7500 unlawful interference, 7600 radio failure,
7700 emergency, 7000 and 1200 visual flight.
category: A0 to A7 fixed wing and rotorcraft by weight, B gliders, balloons, drones, C vehicles and obstacles.
ADS-B: positions that aircraft broadcast themselves. MLAT: computed from arrival times at several receivers.
TIS-B, ADS-R: sent again by stations on the ground. Mode S: without a position.
flight: one aircraft from its first message to its last, as history stores it. track: its positions.
safety event: what a detector found in the traffic, such as a loss of separation; a detection is no proof.
closest point of approach: where two aircraft come nearest to each other.
ACARS: text messages between aircraft and airlines, over VHF, HF or satellite; label: their kind.
alert: a rule of a user and an aircraft that meets its conditions. geofence: an area that rules name.
receiver: a radio of this installation. feeder: a radio of somebody else. station: the place of the antenna.
military: by address range or database; callers without the permission see no such aircraft at all.
LADD, PIA: programmes by which owners limit what is shown of their aircraft.
"""
RESOURCES: dict[str, tuple[str, Callable[[Request], str]]] = {
    "skywatch://units": ("Units of the numbers in answers", lambda request: UNITS),
    "skywatch://glossary": ("Terms of the field", lambda request: GLOSSARY),
    "skywatch://fields": (
        "Members of answers, explained",
        lambda request: request.runtime.shared(Catalog).members(request),
    ),
}
