"""Reads spoken callsigns: "Speedbird two six niner" is BAW269, "november one two three alpha bravo" is N123AB.

What is read here is a guess; ``sightings`` accepts it only where such an aircraft was received at that time.
"""

from __future__ import annotations

import re

from skywatch.audio.transcription.guards import words_of

# Telephony designators (ICAO Doc 8585) of airlines that are often heard.
DESIGNATORS: dict[str, str] = {
    "speedbird": "BAW", "shuttle": "SHT", "easy": "EZY", "topswiss": "EZS", "alpine": "EJU", "ryanair": "RYR",
    "lufthansa": "DLH", "eurowings": "EWG", "condor": "CFG", "swiss": "SWR", "edelweiss": "EDW", "austrian": "AUA",
    "air france": "AFR", "airfrans": "AFR", "klm": "KLM", "transavia": "TRA", "beeline": "BEL", "scandinavian": "SAS",
    "norwegian": "NAX", "norshuttle": "NOZ", "finnair": "FIN", "nordic": "NAX", "iberia": "IBE", "vueling": "VLG",
    "air europa": "AEA", "air portugal": "TAP", "alitalia": "AZA", "itarrow": "ITY", "aegean": "AEE", "lot": "LOT",
    "pollot": "LOT", "wizz air": "WZZ", "wizzair": "WZZ", "turkish": "THY", "sunturk": "PGT", "aeroflot": "AFL",
    "shamrock": "EIN", "virgin": "VIR", "jet 2": "EXS", "channex": "EXS", "tomjet": "TOM", "icelandair": "ICE",
    "luxair": "LGL", "cargolux": "CLX", "emirates": "UAE", "qatari": "QTR", "etihad": "ETD", "saudia": "SVA",
    "elal": "ELY", "el al": "ELY", "egyptair": "MSR", "ethiopian": "ETH", "springbok": "SAA", "air india": "AIC",
    "singapore": "SIA", "cathay": "CPA", "qantas": "QFA", "all nippon": "ANA", "japan air": "JAL", "korean air": "KAL",
    "air china": "CCA", "china eastern": "CES", "china southern": "CSN", "thai": "THA", "american": "AAL",
    "united": "UAL", "delta": "DAL", "southwest": "SWA", "jetblue": "JBU", "alaska": "ASA", "spirit wings": "NKS",
    "frontier flight": "FFT", "skywest": "SKW", "brickyard": "RPA", "envoy": "ENY", "endeavor": "EDV",
    "air canada": "ACA", "westjet": "WJA", "jazz": "JZA", "aeromexico": "AMX", "avianca": "AVA", "lan chile": "LAN",
    "fedex": "FDX", "ups": "UPS", "giant": "GTI", "dynasty": "CAL", "eva": "EVA", "air new zealand": "ANZ",
    "hawaiian": "HAL", "allegiant": "AAY", "reach": "RCH", "netjets": "EJA", "fraction": "NJE", "dhl": "DHK",
    "eurotrans": "BCS", "air berlin": "BER", "hansaline": "CLH", "tuifly": "TUI", "tui jet": "TUI", "kalitta": "CKS",
}  # fmt: skip
DIGITS = {
    "zero": "0", "oh": "0", "one": "1", "wun": "1", "two": "2", "three": "3", "tree": "3", "four": "4", "fower": "4",
    "five": "5", "fife": "5", "six": "6", "seven": "7", "eight": "8", "ait": "8", "nine": "9", "niner": "9",
}  # fmt: skip
TEENS = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
LETTERS = {
    "alpha": "A", "alfa": "A", "bravo": "B", "charlie": "C", "delta": "D", "echo": "E", "foxtrot": "F", "golf": "G",
    "hotel": "H", "india": "I", "juliet": "J", "juliett": "J", "kilo": "K", "lima": "L", "mike": "M", "november": "N",
    "oscar": "O", "papa": "P", "quebec": "Q", "romeo": "R", "sierra": "S", "tango": "T", "uniform": "U",
    "victor": "V", "whiskey": "W", "whisky": "W", "xray": "X", "yankee": "Y", "zulu": "Z",
}  # fmt: skip
MAX_NUMBER, MAX_CALLSIGN, MAX_FOUND = 4, 8, 20
_WRITTEN = re.compile(r"[0-9]{1,4}[a-z]{0,2}", re.ASCII)


def read_callsigns(text: str) -> list[str]:
    """The callsigns that a transcript may hold, in the order they are spoken."""
    words = words_of(text.lower().replace("x-ray", "xray"))
    callsigns: dict[str, None] = {}
    for index in range(len(words)):
        for size in (2, 1):
            code = DESIGNATORS.get(" ".join(words[index : index + size]))
            if code is not None:
                for flight in _flight_numbers(words[index + size :]):
                    callsigns.setdefault(code + flight)
                break
        registration = _registration(words[index:])
        if registration:
            callsigns.setdefault(registration)
        if len(callsigns) >= MAX_FOUND:
            break
    return list(callsigns)


def _flight_numbers(words: list[str]) -> list[str]:
    """The longest flight number at the begin of the words, and the shorter ones: other numbers may follow it."""
    flights, spoken = [], ""
    index = 0
    while index < len(words) and len(spoken) < MAX_NUMBER:
        text, used = _characters(words, index)
        if not text or len(spoken + text) > MAX_NUMBER + 1 or (not spoken and not text[0].isdigit()):
            break
        spoken += text
        index += used
        flights.append(spoken.lstrip("0") or "0")
    return flights[::-1]


def _registration(words: list[str]) -> str:
    """A registration spelt letter by letter: at least four characters, the first a letter."""
    spelt, index = "", 0
    while index < len(words) and len(spelt) < MAX_CALLSIGN:
        text, used = _characters(words, index)
        if not text:
            break
        spelt += text
        index += used
    return spelt if 4 <= len(spelt) <= MAX_CALLSIGN and spelt[0].isalpha() else ""


def _characters(words: list[str], index: int) -> tuple[str, int]:
    """What a word (or two: "sixty nine") stands for in a callsign, and how many words it took."""
    word = words[index]
    if word in DIGITS:
        return DIGITS[word], 1
    if word in LETTERS:
        return LETTERS[word], 1
    if word in TEENS:
        return str(TEENS[word]), 1
    if word in TENS:
        following = DIGITS.get(words[index + 1], "") if index + 1 < len(words) else ""
        return (str(TENS[word] + int(following)), 2) if following not in ("", "0") else (str(TENS[word]), 1)
    if _WRITTEN.fullmatch(word):
        return word.upper(), 1
    return "", 0
