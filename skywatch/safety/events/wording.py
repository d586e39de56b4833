"""The sentence of an event that has ended: what was foreseen while it lasted is said as what came of it."""

from __future__ import annotations

import msgspec

from skywatch.safety.detection.finding import Closest, Finding

PAIR = 2


def in_past_tense(finding: Finding, closest: Closest | None, ended_at: float) -> Finding:
    """The finding with the sentence of its end; only that of an encounter of two aircraft differs.

    A closest point after ``ended_at`` (unix seconds) was forecast and not reached: the two turned away or were lost.
    """
    if finding.type != "proximity" or closest is None or len(finding.hexes) != PAIR:
        return finding
    callsigns = finding.callsigns or ("", "")
    first, second = (sign or address.upper() for sign, address in zip(callsigns, finding.hexes, strict=True))
    came = "came" if closest.at <= ended_at else "were forecast to come"
    message = (
        f"{first} and {second} {came} within {closest.distance_nm:.2f} nm and {closest.vertical_ft} ft of each other"
    )
    return msgspec.structs.replace(finding, message=message)
