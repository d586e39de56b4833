"""The State of an aircraft by its ICAO address.

``states.json`` has each State of registry by its ISO 3166 code, with the first and last address of its block, in their
order; ``blocks_within.json`` the blocks that a State has given to registers of their own, such as Bermuda's and Hong
Kong's, which come before the State's. The web application reads the same files.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from functools import cache
from pathlib import Path

_HERE = Path(__file__).parent
_ADDRESS = re.compile(r"[0-9A-Fa-f]{6}")
Block = tuple[int, int, str]


@cache
def _blocks() -> tuple[list[Block], list[Block]]:
    """The blocks of registers within States, and those of States in their order."""
    within = json.loads((_HERE / "blocks_within.json").read_text(encoding="utf-8"))
    states = json.loads((_HERE / "states.json").read_text(encoding="utf-8"))
    inner = [_block(span, code) for code, spans in within.items() for span in spans]
    return inner, sorted(_block(span, code) for code, span in states.items())


def _block(span: str, code: str) -> Block:
    return int(span[:6], 16), int(span[7:], 16), code


def state_of(icao_hex: str) -> str | None:
    """Return the ISO code of the register or State of an address; None for addresses of none, and those not ICAO's."""
    if not _ADDRESS.fullmatch(icao_hex):
        return None
    address = int(icao_hex, 16)
    inner, states = _blocks()
    for first, last, code in inner:
        if first <= address <= last:
            return code
    at = bisect_right(states, (address, 0xFFFFFF, "~")) - 1
    return states[at][2] if at >= 0 and address <= states[at][1] else None
