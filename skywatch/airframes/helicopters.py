"""Which types of aircraft are helicopters."""

from __future__ import annotations

# ICAO Doc 8643 designators.
HELICOPTER_TYPES = frozenset((
    b"A109", b"A119", b"A139", b"A149", b"A169", b"A189", b"ALO2", b"ALO3", b"AS32", b"AS50", b"AS55", b"AS65", b"B06",
    b"B06T", b"B105", b"B212", b"B214", b"B222", b"B230", b"B407", b"B412", b"B427", b"B429", b"B430", b"B47G",
    b"B505", b"BK17", b"EC20", b"EC25", b"EC30", b"EC35", b"EC45", b"EC55", b"EC75", b"EH10", b"EXPL", b"G2CA",
    b"GAZL", b"H160",
    b"H269", b"H47", b"H500", b"H53", b"H60", b"H64", b"LYNX", b"MD52", b"MD60", b"NH90", b"PUMA", b"R22", b"R44",
    b"R66", b"S61", b"S64", b"S70", b"S76", b"S92", b"TIGR", b"UH1", b"V22",
))  # fmt: skip
