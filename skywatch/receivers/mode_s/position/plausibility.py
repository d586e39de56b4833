"""The limits of age, speed and range for accepting a decoded position.

The pairing times are DO-260B appendix A, 1.7.5 and 1.7.9; the others are ours. Like the CPR formulas these serve
floats and columns alike.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

# Largest time between the even and odd frame of a pair (s).
AIRBORNE_PAIR_S = 10.0
SURFACE_PAIR_S = 25.0
SLOW_SURFACE_PAIR_S = 50.0  # neither faster than SLOW_SURFACE_KT
SLOW_SURFACE_KT = 25.0

# A single frame is decoded relative to the last position while that is fresh, so that an aircraft cannot have got
# near the end of the half zone in which the result is right (180 nm; from or to the surface 45 nm).
AIRBORNE_LOCAL_S = 120.0
SURFACE_LOCAL_S = 300.0

# Age of the last position up to which a new one is compared with it (s).
MEMORY_S = 600.0
# Faster than anything that flies or taxies, and some distance for late and badly timed frames.
AIRBORNE_MAX_KT, AIRBORNE_SLACK_NM = 1500.0, 1.0
SURFACE_MAX_KT, SURFACE_SLACK_NM = 250.0, 0.25

# A jump is accepted when this many successive pairs, the last of them of frames that are all newer than the first,
# agree on it within this time. Pairs of two aircraft that use one address agree by chance only, and not closely.
JUMP_S = 60.0
JUMP_PAIRS = 4
JUMP_SLACK_NM = 0.05
# Number of successive pairs that drop the last position by contradicting it, although each frame alone fits it.
MAX_DOUBTS = 8

# Beyond the radio horizon of any aircraft for any antenna, mountains and refraction included.
DEFAULT_RANGE_NM = 450.0

_NM_PER_DEGREE = 60.0
_HALF_DEGREE_IN_RADIANS = math.pi / 360.0


def distance_nm(lat1: Any, lon1: Any, lat2: Any, lon2: Any) -> Any:
    """Distance (nm) on a plane that touches the Earth half way (equirectangular projection).

    Within 1 % up to 450 nm below 70 degrees of latitude; nearer to a pole it is too long rather than too short.
    A tenth of the cost of the great-circle distance, which matters in the hottest loop.
    """
    cos = math.cos if isinstance(lat2, float) else np.cos
    sqrt = math.sqrt if isinstance(lat2, float) else np.sqrt
    north = lat2 - lat1
    east = ((lon2 - lon1 + 180.0) % 360.0 - 180.0) * cos((lat1 + lat2) * _HALF_DEGREE_IN_RADIANS)
    return _NM_PER_DEGREE * sqrt(north * north + east * east)


def airborne_reach_nm(elapsed_s: Any) -> Any:
    """The largest distance that an aircraft in the air flies in a time."""
    return AIRBORNE_SLACK_NM + abs(elapsed_s) * (AIRBORNE_MAX_KT / 3600.0)


def jump_reach_nm(elapsed_s: Any) -> Any:
    """How closely two positions have to agree for one to confirm the other."""
    return JUMP_SLACK_NM + abs(elapsed_s) * (AIRBORNE_MAX_KT / 3600.0)


def surface_reach_nm(elapsed_s: Any) -> Any:
    """The largest distance that an aircraft on the ground moves in a time."""
    return SURFACE_SLACK_NM + abs(elapsed_s) * (SURFACE_MAX_KT / 3600.0)
