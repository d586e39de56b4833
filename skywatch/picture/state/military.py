"""Which aircraft are military, for features that know an address from elsewhere than the picture.

An aircraft is military by its address block, by the imported airframes, or because a receiver reports it so
(``dbFlags``), which only the picture knows. Whoever hides military aircraft asks here.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from sqlalchemy.orm import Session

from skywatch.airframes import service as airframes
from skywatch.airframes.military import is_military
from skywatch.picture.state.sky import Sky


def military_in(sky: Sky) -> list[str]:
    """The upper-case addresses of the military aircraft in the picture."""
    hexes = sky.hexes
    return [hexes[row].upper() for row in np.flatnonzero(sky.column("military")).tolist()]


def is_military_in(sky: Sky, icao_hex: str) -> bool:
    """Whether an aircraft is in the picture, and military there; the address in either case."""
    row = sky.index.get(icao_hex.lower())
    return row is not None and bool(sky.column("military")[row])


def military_of(session: Session, icao_hexes: Iterable[str], sky: Sky | None = None) -> dict[str, bool]:
    """By upper-case address, which aircraft are military; without ``sky``, as far as the database knows."""
    addresses = sorted({icao_hex.upper() for icao_hex in icao_hexes})
    flags: dict[str, int] = {}
    for start in range(0, len(addresses), airframes.MAX_AT_ONCE):
        some = airframes.find_many(session, addresses[start : start + airframes.MAX_AT_ONCE])
        flags |= {address: airframe.flags for address, airframe in some.items()}
    return {
        address: is_military(address, flags.get(address)) or (sky is not None and is_military_in(sky, address))
        for address in addresses
    }
