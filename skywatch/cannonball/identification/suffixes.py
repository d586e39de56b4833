"""Weak evidence of law enforcement: an agency's letters at the end of a US registration, or in a callsign.

Agencies reserve registrations such as N911PD or N42SO, but one in three hundred private registrations ends in the same
letters by chance. So the letters of a registration count for rotorcraft only, of which agencies fly most; at most one
of a thousand aircraft of the US register is of interest by them (a test counts it). A callsign of an agency's initials
(``LVPD1``, ``OCSO3``) has four letters and more ahead of its number, which no designator of ICAO Doc 8585 has.
"""

from __future__ import annotations

import re

from skywatch.cannonball.identification.callsigns import WORDS
from skywatch.cannonball.identification.types import HELICOPTERS

# Police department, sheriff's office, state police, highway patrol.
ENDINGS = ("PD", "SO", "SP", "HP")
ROTORCRAFT = HELICOPTERS | {"B505", "MD52", "MD60"}
# The emitter category of rotorcraft (DO-260B, 2.2.3.2.5.2).
ROTORCRAFT_CATEGORY = "A7"

_REGISTRATION = re.compile(rf"N[1-9][0-9]{{0,2}}(?:{'|'.join(ENDINGS)})", re.ASCII)
_INITIALS = re.compile(rf"[A-Z]{{2,5}}(?:{'|'.join(ENDINGS)})[0-9]{{1,3}}", re.ASCII)


def is_agency_registration(registration: str, type_code: str, category: str) -> bool:
    """Whether the US registration of a rotorcraft ends in an agency's letters.

    ``type_code`` and ``category`` are empty where unknown; then the registration is no evidence.
    """
    is_rotorcraft = type_code in ROTORCRAFT or category == ROTORCRAFT_CATEGORY
    return is_rotorcraft and _REGISTRATION.fullmatch(registration.strip().upper()) is not None


def has_agency_initials(callsign: str) -> bool:
    """Whether a callsign is an agency's initials and a number, such as ``LVPD1``, or a word of agencies alone."""
    text = callsign.strip().upper()
    return _INITIALS.fullmatch(text) is not None or text in WORDS
