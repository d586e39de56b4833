"""An aircraft as JSON: readsb's fields and Skywatch's own, encoded for a whole tick in one call.

What changes without anything having happened (ages, counts, signal strength) stands at the end of each object, so
that two ticks are compared by the bytes before it.
"""

from __future__ import annotations

import functools
from typing import Any

import msgspec
from msgspec import UNSET

from skywatch.receivers.reports.report_columns import is_absent

# The members of an object in their order; what is UNSET is left out. The steady ones seldom change and are encoded by
# themselves; ``hex`` of the others is then the text of all of them.
STEADY_MEMBERS = (
    "hex", "type", "flight", "t", "desc", "dbFlags", "military", "squawk", "emergency", "category", "nav_qnh",
    "nav_altitude_mcp", "nav_altitude_fms", "nav_heading", "nav_modes", "nic", "rc", "version", "nic_baro", "nac_p",
    "nac_v", "sil", "sil_type", "gva", "sda", "alert", "spi", "mlat", "tisb", "first_seen",
)  # fmt: skip
MEMBERS = (
    "hex", "on_ground", "alt_baro", "alt_geom", "gs", "ias", "tas", "mach", "track", "track_rate", "roll",
    "mag_heading", "true_heading", "baro_rate", "geom_rate", "lat", "lon", "distance_nm", "bearing", "wd", "ws", "oat",
    "tat", "acas_ra", "disputed", "single_source", "simulated", "receiver",
    "seen", "seen_pos", "messages", "rssi",
)  # fmt: skip
# What the picture makes; everything else stands as it was reported.
MADE = frozenset(("hex", "on_ground", "lat", "lon", "distance_nm", "bearing", "receiver"))
MADE |= {"disputed", "single_source", "simulated", "seen", "seen_pos"}
AS_REPORTED = tuple(name for name in MEMBERS if name not in MADE)
# So many objects are made and encoded before their memory is used again; more would not stay in the cache.
BLOCK = 256
AGES_BEGIN = b',"seen":'

_encoder = msgspec.json.Encoder()


def encode(members: dict[str, list[Any]], order: tuple[str, ...] = MEMBERS) -> list[bytes]:
    """One JSON object an aircraft; ``members`` holds a list for every name in ``order``."""
    count = len(members["hex"])
    # What nobody says (most receivers never say most of the air data) is not even tried.
    names = tuple(name for name in order if not is_absent(members[name]))
    body = _body(names)
    columns = [members[name] for name in names]
    encoded: list[bytes] = []
    for start in range(0, count, BLOCK):
        bodies = list(map(body, *[column[start : start + BLOCK] for column in columns]))
        # Within JSON a line feed is always escaped, so lines are objects.
        encoded += _encoder.encode_lines(bodies).removesuffix(b"\n").split(b"\n")
    return encoded


def content(encoded: bytes) -> bytes:
    """What stands before the ages, counts and signal strength of an object."""
    return encoded[: encoded.rfind(AGES_BEGIN)]


@functools.lru_cache(256)
def _body(names: tuple[str, ...]) -> Any:
    return msgspec.defstruct("Body", [(name, Any, UNSET) for name in names], gc=False)
