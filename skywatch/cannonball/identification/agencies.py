"""Classifies an agency by its name: whether it enforces the law, its type, and its US state.

The rules are ordered and the first match decides; ``type_rule`` and ``state_rule`` name it for people. Types are those
of the United States: aircraft registered elsewhere are only ``military`` or ``unknown``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from skywatch.cannonball.identification.place_names import CITIES, STATES
from skywatch.cannonball.vocabulary import AgencyType
from skywatch.core.text.accents import without_accents

# Words of law-enforcement agencies, in their languages.
POLICE_WORDS = (
    "POLICE", "POLIZEI", "POLICIA", "POLICIAL", "POLIZIA", "POLITI", "POLITIE", "POLISEN", "POLISMYNDIGHETEN",
    "POLICJA", "POLITSEI", "POLITIA", "POLICIJA", "POLITSIYA", "POLISI", "BUNDESPOLIZEI", "LANDESPOLIZEI",
    "KANTONSPOLIZEI", "POLIZEIHUBSCHRAUBERSTAFFEL", "POLIZEIFLIEGERSTAFFEL", "BUNDEPOLIZEIFLIEGERGRUPPE",
    "RIKSPOLISSTYRELSEN", "POLITIDISTRIKT", "GENDARMERIE", "GENDARME", "GENDARMERY", "JANDARMA", "CARABINIERI",
    "GUARDIA CIVIL", "GUARDIA DI FINANZA", "GARDA SIOCHANA", "GARDA AIR SUPPORT", "MOUNTED POLICE", "SHERIFF",
    "CONSTABULARY", "STATE TROOPERS", "LAW ENFORCEMENT", "HIGHWAY PATROL", "STATE PATROL", "BORDER PATROL",
    "BORDER GUARD", "BORDER FORCE", "BORDER PROTECTION", "GRENZSCHUTZ", "MARSHALS SERVICE", "US MARSHALS",
    "US MARSHAL", "SECRET SERVICE", "DRUG ENFORCEMENT", "FEDERAL BUREAU OF INVESTIGATION",
    "BUREAU OF INVESTIGATION", "FBI", "LAPD", "NYPD", "LASD", "NPAS", "RCMP", "DOUANE", "DOUANES",
    "CUSTOMS SERVICE", "CUSTOMS AND BORDER", "IMMIGRATION AND CUSTOMS", "HOMELAND SECURITY",
    "DEPARTMENT OF PUBLIC SAFETY", "DEPARTMENT OF JUSTICE", "DOJ",
)  # fmt: skip
# Words that exclude a name: suppliers, clubs, museums, and names of places.
NOT_POLICE_WORDS = (
    "MUSEUM", "FLYING CLUB", "AERO CLUB", "FORMER", "EX POLICE", "POLICE AVIATION SERVICES", "AIRLINES",
    "AIRWAYS", "SURVEILLANCE AUSTRALIA", "ATHLETIC LEAGUE", "RETIRED",
)  # fmt: skip

FEDERAL_WORDS = (
    "DEPARTMENT OF JUSTICE", "DOJ", "FEDERAL BUREAU OF INVESTIGATION", "FBI", "DRUG ENFORCEMENT", "DEA",
    "HOMELAND SECURITY", "CUSTOMS AND BORDER", "CUSTOMS SERVICE", "BORDER PATROL", "BORDER PROTECTION",
    "IMMIGRATION AND CUSTOMS", "US MARSHALS", "US MARSHAL", "MARSHALS SERVICE", "SECRET SERVICE", "PARK POLICE",
    "ALCOHOL TOBACCO", "DEPARTMENT OF THE INTERIOR", "DEPARTMENT OF INTERIOR", "FISH AND WILDLIFE SERVICE",
    "DEPARTMENT OF STATE", "DEPARTMENT OF THE TREASURY", "DEPARTMENT OF ENERGY", "FOREST SERVICE",
    "COAST GUARD", "COASTGUARD", "US GOVERNMENT", "FEDERAL POLICE", "CAPITOL POLICE", "US DEPARTMENT",
    "FEDERAL AVIATION",
)  # fmt: skip
STATE_WORDS = (
    "STATE POLICE", "HIGHWAY PATROL", "STATE PATROL", "STATE TROOPERS", "TROOPER", "TROOPERS", "DNR POLICE",
    "DEPARTMENT OF PUBLIC SAFETY", "STATE BUREAU OF INVESTIGATION", "STATE LAW ENFORCEMENT", "STATE OF",
    "LAW ENFORCEMENT DIVISION", "DEPARTMENT OF LAW ENFORCEMENT", "FISH AND WILDLIFE", "FISH AND GAME",
    "DEPARTMENT OF NATURAL RESOURCES", "BUREAU OF INVESTIGATION", "BUREAU OF NARCOTICS",
)  # fmt: skip
LOCAL_WORDS = (
    "SHERIFF", "COUNTY", "CITY OF", "CITY", "PARISH", "BOROUGH", "TOWN OF", "TOWNSHIP", "MUNICIPAL",
    "METROPOLITAN", "METRO", "POLICE", "PD", "LAPD", "NYPD", "LASD", "CONSTABLE", "MARSHAL", "LAW ENFORCEMENT",
    "PUBLIC SAFETY",
)  # fmt: skip
MILITARY_WORDS = (
    "ARMY", "NAVY", "AIR FORCE", "MARINE CORPS", "NATIONAL GUARD", "USAF", "USMC", "USN", "LUFTWAFFE", "ARMEE",
    "DEPARTMENT OF DEFENSE", "MINISTRY OF DEFENCE", "ROYAL AIR FORCE", "AERONAUTICA MILITARE", "FUERZA AEREA",
)  # fmt: skip


_NOT_WORD = re.compile(r"[^A-Z0-9]+")
_ABBREVIATIONS = {
    "DEPT": "DEPARTMENT",
    "DPT": "DEPARTMENT",
    "SHERIFFS": "SHERIFF",
    "CNTY": "COUNTY",
    "GOVT": "GOVERNMENT",
    "USA": "US",
    "HWY": "HIGHWAY",
    "BUR": "BUREAU",
    "ENF": "ENFORCEMENT",
    "CUSTOM": "CUSTOMS",
}


@lru_cache(maxsize=65536)
def normalised(name: str) -> str:
    """The name's words in upper case without accents or punctuation, abbreviations written out, spaces around all."""
    plain = without_accents(name).replace("'", "").replace("\u2019", "").upper().replace("U.S.", "US")
    words = _NOT_WORD.sub(" ", plain).split()
    text = " ".join(_ABBREVIATIONS.get(word, word) for word in words)
    return f" {text.replace('UNITED STATES', 'US')} "


def first_contained(text: str, phrases: tuple[str, ...]) -> str | None:
    """The first of the phrases that the normalised text contains, or None."""
    return next((phrase for phrase in phrases if f" {phrase} " in text), None)


@dataclass(frozen=True)
class Agency:
    """The classification of a name; ``state`` is empty if it names none."""

    agency_type: AgencyType
    type_rule: str
    state: str
    state_rule: str


def enforces_law(name: str) -> bool:
    """Whether a name is that of a law-enforcement agency (coast guards and armies do not count)."""
    text = normalised(name)
    police = first_contained(text, POLICE_WORDS) is not None or text.endswith(" PD ")
    return police and first_contained(text, NOT_POLICE_WORDS) is None


def classify(name: str, us_registered: bool) -> Agency:
    """Type and state of the agency of that name."""
    text = normalised(name)
    agency_type, type_rule = _type(text, us_registered)
    state, state_rule = _state(text) if us_registered and agency_type is not AgencyType.FEDERAL else ("", "")
    return Agency(agency_type, type_rule, state, state_rule)


def _type(text: str, us_registered: bool) -> tuple[AgencyType, str]:
    if word := first_contained(text, MILITARY_WORDS):
        return AgencyType.MILITARY, f"name holds {word}"
    if not us_registered:
        return AgencyType.UNKNOWN, "not registered in the United States"
    for agency_type, words in (
        (AgencyType.FEDERAL, FEDERAL_WORDS),
        (AgencyType.STATE, STATE_WORDS),
        (AgencyType.LOCAL, LOCAL_WORDS),
    ):
        if word := first_contained(text, words):
            return agency_type, f"name holds {word}"
    return AgencyType.UNKNOWN, "no rule fits the name"


def _state(text: str) -> tuple[str, str]:
    # Cities first: Kansas City and Washington County contain the names of states.
    for place, state in CITIES:
        if f" {place} " in text:
            return state, f"place {place}"
    for name, state in STATES:
        if f" {name} " in text and f" {name} COUNTY " not in text:
            return state, f"state {name}"
    first = text.split()[0] if text.strip() else ""
    if first in _STATE_CODES:
        return first, f"begins with {first}"
    return "", "no place in the name"


_STATE_CODES = frozenset(code for _, code in STATES) - {"IN", "OR", "ME", "LA", "OK", "HI", "OH"}


def is_us_address(icao_hex: str) -> bool:
    """Whether an ICAO address is in the block of US civil aircraft (A00001 to ADF7C7, N1 to N99999)."""
    return 0xA00001 <= int(icao_hex, 16) <= 0xADF7C7
