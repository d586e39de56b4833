"""Callsigns and registrations of law enforcement.

ICAO assigns three-letter designators to operators of every kind, including some police forces; others use words. A
designator must be followed by a flight number (with up to two letters), a word by digits only, so that neither a
registration nor an airline's flight matches. Sources: ICAO Doc 8585 and agencies' own words.

Weak evidence are an agency's letters at the end of a US registration, or in a callsign. Agencies reserve registrations
such as N911PD or N42SO, but one in three hundred private registrations ends in the same letters by chance. So the
letters of a registration count for rotorcraft only, of which agencies fly most; at most one of a thousand aircraft of
the US register is of interest by them (a test counts it). A callsign of an agency's initials (``LVPD1``, ``OCSO3``) has
four letters and more ahead of its number, which no designator of ICAO Doc 8585 has.
"""

from __future__ import annotations

import re

from skywatch.cannonball.identification.types import HELICOPTERS

# Designators of ICAO Doc 8585 -> the agency.
DESIGNATORS: dict[str, str] = {
    "BPO": "Bundespolizei (Germany)",
    "CUS": "Australian Customs and Border Protection",
    "DGC": "Guardia Civil (Spain)",
    "DGP": "Cuerpo Nacional de Policía (Spain)",
    "DOJ": "US Department of Justice",
    "DPS": "Alabama Department of Public Safety",
    "EDL": "Polizei Bayern (Germany)",
    "FDO": "Douane française (France)",
    "FGN": "Gendarmerie nationale (France)",
    "FPL": "Australian Federal Police",
    "GDB": "Belgian police",
    "GRM": "Cochise County Sheriff (Arizona)",
    "GRY": "New York State Police",
    "HBT": "Polizei Thüringen (Germany)",
    "HEP": "Norwegian police",
    "KAN": "Kansas Highway Patrol",
    "LIB": "Polizei Hamburg (Germany)",
    "MSH": "US Marshals Service",
    "NRW": "Polizei Nordrhein-Westfalen (Germany)",
    "OKL": "Oklahoma Department of Public Safety",
    "PBB": "Polizei Brandenburg (Germany)",
    "PBW": "Polizei Baden-Württemberg (Germany)",
    "PFP": "Policía Federal (Mexico)",
    "PHH": "Polizei Hessen (Germany)",
    "PHS": "Polizei Sachsen (Germany)",
    "PIK": "Polizei Sachsen-Anhalt (Germany)",
    "PMV": "Polizei Mecklenburg-Vorpommern (Germany)",
    "POF": "Police aux frontières (France)",
    "POL": "Swedish police",
    "PPH": "Polizei Niedersachsen (Germany)",
    "ROP": "Royal Oman Police",
    "SRP": "Polizei Rheinland-Pfalz (Germany)",
    "SST": "Royal Canadian Mounted Police",
    "TRP": "Maryland State Police",
    "UAP": "Police of the United Arab Emirates",
    "UKP": "Police (United Kingdom)",
}
# Words of four letters and more; no designator is that long.
WORDS: dict[str, str] = {
    "JENA": "Federal Bureau of Investigation",
    "LAPD": "Los Angeles Police Department",
    "LASD": "Los Angeles County Sheriff",
    "NPAS": "National Police Air Service (United Kingdom)",
    "NYPD": "New York Police Department",
    "OMAHA": "US Customs and Border Protection",
    "POLAIR": "Police air wing (Australia)",
    "POLICE": "Police",
    "SHERIFF": "Sheriff",
    "TROOPER": "State troopers",
    "TXDPS": "Texas Department of Public Safety",
}

_DESIGNATOR = re.compile(r"([A-Z]{3})[0-9]{1,4}[A-Z]{0,2}", re.ASCII)
_WORD = re.compile(r"([A-Z]{4,7})[0-9]{1,3}", re.ASCII)


def agency_of_callsign(callsign: str) -> str | None:
    """The agency that uses a callsign (padding and case do not matter), or None."""
    text = callsign.strip().upper()
    if match := _DESIGNATOR.fullmatch(text):
        return DESIGNATORS.get(match.group(1))
    if match := _WORD.fullmatch(text):
        return WORDS.get(match.group(1))
    return None


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
