"""Aircraft types that police forces and agencies fly for observation (ICAO Doc 8643 designators).

A type proves nothing: thousands of such aircraft fly for others. It only adds weight to a surveillance pattern.
"""

from __future__ import annotations

HELICOPTERS: frozenset[str] = frozenset(
    {
        "A109", "A119", "A139", "A169", "AS50", "AS55", "AS65", "B06", "B06T", "B105", "B407", "B412", "B427", "B429",
        "B430", "BK17", "EC20", "EC30", "EC35", "EC45", "EC55", "EXPL", "G2CA", "H500", "H60", "R44", "R66", "UH1",
    }
)  # fmt: skip
SURVEILLANCE_TYPES: frozenset[str] = HELICOPTERS | frozenset(
    {
        # Aeroplanes
        "B350", "BE20", "BE30", "BN2P", "BN2T", "C172", "C182", "C206", "C208", "C210", "C337", "DA42", "DA62", "DH8B",
        "DH8C", "GA8", "P46T", "P68", "PC12", "SF34", "T206",
        # Uncrewed
        "Q9",
    }
)  # fmt: skip
