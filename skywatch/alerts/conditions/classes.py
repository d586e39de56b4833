"""The field ``class``: each class is a condition over other fields, so that it is tested like everything else.

An aircraft can be of several classes (a police helicopter). A class that received data cannot decide is unknown.
"""

from __future__ import annotations

CLASSES = (
    "airline",
    "general_aviation",
    "helicopter",
    "glider",
    "balloon",
    "ultralight",
    "drone",
    "ground_vehicle",
    "military",
    "police",
)
# A callsign of an airline: its ICAO designator and a flight number (ICAO Annex 10, volume II, 5.2.1.7.2.1, type c).
AIRLINE_CALLSIGN = r"^[A-Z]{3}[0-9]{1,4}[A-Z]{0,2}$"
# Emitter categories (DO-260B, 2.2.3.2.5.2).
LIGHT_CATEGORIES = ("A1", "A2", "A7", "B1", "B2", "B4")
CATEGORIES: dict[str, tuple[str, ...]] = {
    "helicopter": ("A7",),
    "glider": ("B1",),
    "balloon": ("B2",),
    "ultralight": ("B4",),
    "drone": ("B6",),
    "ground_vehicle": ("C1", "C2"),
}
# Designators of ICAO Doc 8643: rotorcraft (description H..), and its designators for kinds without types.
HELICOPTERS: tuple[str, ...] = (
    "A002", "A109", "A119", "A129", "A139", "A149", "A169", "A189", "ALH", "ALO2", "ALO3", "AS32", "AS3B", "AS50",
    "AS55", "AS65", "B06", "B06T", "B105", "B06X", "B212", "B214", "B222", "B230", "B407", "B412", "B427", "B429",
    "B430", "B47G", "B47J", "B47T", "B505", "BABY", "BK17", "BSTP", "C08T", "CH12", "CH14", "CH7", "D139", "DRAG",
    "DYH", "EC20", "EC25", "EC30", "EC35", "EC45", "EC55", "EC75", "EH10", "EN28", "EN48", "EXEC", "EXPL", "F28A",
    "FH11", "FREL", "G2CA", "GAZL", "GYRO", "H160", "H2", "H269", "H43A", "H43B", "H46", "H47", "H500", "H53",
    "H53S", "H60", "H64", "HUCO", "KA25", "KA26", "KA27", "KA50", "KA52", "KA62", "KMAX", "KA32", "LAMA", "LYNX",
    "M74", "MI10", "MI14", "MI2", "MI24", "MI26", "MI28", "MI34", "MI38", "MI4", "MI6", "MI8", "NH90", "OH1", "PSW4",
    "PUMA", "R22", "R44", "R66", "RMIN", "S278", "S330", "S360", "S51", "S52", "S55P", "S55T", "S58P", "S58T", "S61",
    "S61R", "S62", "S64", "S65C", "S76", "S92", "SCOR", "SCOU", "SUCO", "SYCA", "TIGR", "UH1", "UH12", "UH1Y",
    "ULTS", "V500", "W3", "WASP", "WESX", "X2", "X49", "YNHL", "ZA6",
)  # fmt: skip
TYPES: dict[str, tuple[str, ...]] = {
    "helicopter": HELICOPTERS,
    "glider": ("GLID",),
    "balloon": ("BALL", "SHIP"),
    "ultralight": ("ULAC",),
    "drone": ("DRON", "UAV", "Q1", "Q4", "Q9"),
}
