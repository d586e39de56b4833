"""Weak evidence of law enforcement: an agency's letters at the end of a US registration, or in a callsign.

Agencies reserve registrations such as N911PD or N42SO, but one in three hundred private registrations ends in the same
letters by chance. So the letters of a registration count for rotorcraft only, of which agencies fly most; at most one
of a thousand aircraft of the US register is of interest by them (a test counts it). A callsign of an agency's initials
(``LVPD1``, ``OCSO3``) has four letters and more ahead of its number, which no designator of ICAO Doc 8585 has.
"""

from __future__ import annotations

import re

from skywatch.cannonball.identification.callsigns import WORDS

# The letters, and what they stand for.
ENDINGS: dict[str, str] = {
    "PD": "police department",
    "SO": "sheriff's office",
    "SP": "state police",
    "HP": "highway patrol",
}
# ICAO Doc 8643 designators of rotorcraft that agencies fly.
ROTORCRAFT: frozenset[str] = frozenset(
    {
        "A109", "A119", "A139", "A169", "AS50", "AS55", "AS65", "B06", "B06T", "B105", "B407", "B412", "B427", "B429",
        "B430", "B505", "BK17", "EC20", "EC30", "EC35", "EC45", "EC55", "EXPL", "G2CA", "H500", "H60", "MD52", "MD60",
        "R44", "R66", "UH1",
    }
)  # fmt: skip
# The emitter category of rotorcraft (DO-260B, 2.2.3.2.5.2).
ROTORCRAFT_CATEGORY = "A7"

_REGISTRATION = re.compile(rf"N[1-9][0-9]{{0,2}}({'|'.join(ENDINGS)})", re.ASCII)
_INITIALS = re.compile(rf"[A-Z]{{2,5}}({'|'.join(ENDINGS)})[0-9]{{1,3}}", re.ASCII)


def agency_of_registration(registration: str, type_code: str, category: str) -> str | None:
    """What the last letters of a rotorcraft's US registration stand for, or None.

    ``type_code`` and ``category`` are empty where unknown; then the registration is no evidence.
    """
    if type_code not in ROTORCRAFT and category != ROTORCRAFT_CATEGORY:
        return None
    match = _REGISTRATION.fullmatch(registration.strip().upper())
    return ENDINGS[match.group(1)] if match else None


def agency_of_initials(callsign: str) -> str | None:
    """What the letters of a callsign such as ``LVPD1`` stand for, or None; a word without its number counts too."""
    text = callsign.strip().upper()
    if match := _INITIALS.fullmatch(text):
        return ENDINGS[match.group(1)]
    return WORDS.get(text)
