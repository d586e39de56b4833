"""Navigation integrity category (NIC) and radius of containment (Rc) of a position.

They follow from the type code of the position squitter, the ADS-B version of the aircraft and the NIC supplement
bits A (operational status), B (airborne position) and C (surface operational status): DO-260B table 2-14 and
2.2.3.2.7.2.6, DO-260A table 2-11, and for version 0 DO-260B appendix N; "The 1090 Megahertz Riddle", chapter
"Uncertainties in ADS-B".
"""

from __future__ import annotations

import numpy as np

from skywatch.receivers.framing.frames import Column

UNKNOWN = (0, 0)
_NM = 1852.0
_BEST = {5: (11, 7.5), 6: (10, 25), 9: (11, 7.5), 10: (10, 25), 20: (11, 7.5), 21: (10, 25)}
_SAME_IN_ALL = {12: (7, 0.2 * _NM), 14: (5, _NM), 15: (4, 2 * _NM), 17: (1, 20 * _NM)}


def _nic_and_rc(version: int, type_code: int, a: bool, b: bool, c: bool) -> tuple[int, float]:
    """NIC and Rc (m, 0 where unknown) of one combination."""
    common = _BEST.get(type_code) or _SAME_IN_ALL.get(type_code)
    if common:
        return common
    if type_code == 7:
        fine = (a and not c) if version == 2 else (a and version == 1)
        return (9, 75) if fine else (8, 0.1 * _NM)
    if type_code == 8 and version == 2:
        return {(True, True): (7, 0.2 * _NM), (True, False): (6, 0.3 * _NM), (False, True): (6, 0.6 * _NM)}.get(
            (a, c), UNKNOWN
        )
    supplement = (a and b) if version == 2 else (a and version == 1)
    if type_code == 11:
        return (9, 75) if supplement else (8, 0.1 * _NM)
    if type_code == 13:
        if version == 2 and b and not a:
            return 6, 0.3 * _NM
        return (6, 0.6 * _NM) if supplement else (6, 0.5 * _NM)
    if type_code == 16:
        if version == 0:
            return 1, 10 * _NM
        return (3, 4 * _NM) if supplement else (2, 8 * _NM)
    return UNKNOWN


def _tables() -> tuple[Column, Column]:
    nic = np.zeros((3, 32, 2, 2, 2), np.int8)
    rc_m = np.zeros((3, 32, 2, 2, 2), np.int32)
    for index in np.ndindex(nic.shape):
        version, type_code, a, b, c = index
        nic[index], radius = _nic_and_rc(version, type_code, bool(a), bool(b), bool(c))
        rc_m[index] = np.ceil(radius)
    return nic, rc_m


_NIC, _RC_M = (table.ravel() for table in _tables())


def integrity(version: Column, type_code: Column, a: Column, b: Column, c: Column) -> tuple[Column, Column]:
    """NIC i1[n] and Rc i4[n] (m, rounded up, 0 where unknown) of positions; ``version`` is 0, 1 or 2."""
    index = (((type_code + version * np.int64(32)) * 2 + a) * 2 + b) * 2 + c
    return _NIC.take(index), _RC_M.take(index)
