"""Encoded aircraft in readsb's form.

Members are renamed and added as bytes; within a JSON string quotation marks are escaped, so ``"name":`` can only be
the name of a member.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from skywatch.picture.state.sky import Sky
from skywatch.security.visibility import Visibility

# Members that readsb has under a name of its own.
READSB_NAMES = ((b'"distance_nm":', b'"r_dst":'), (b'"bearing":', b'"r_dir":'))
# Members that readsb always writes, and what it writes where nothing is known.
ALWAYS = ((b',"mlat":', b',"mlat":[]'), (b',"tisb":', b',"tisb":[]'), (b',"messages":', b',"messages":0'))
CALLSIGN_LENGTH = 8
_SHORT_CALLSIGN = re.compile(rb'"flight":"([^"\\]{1,7})"')


def padded(callsign: str) -> str:
    """A callsign as readsb writes it: eight characters."""
    return callsign.ljust(CALLSIGN_LENGTH)


def bodies(sky: Sky, rows: Iterable[int], visibility: Visibility) -> list[bytes]:
    """The JSON object of each of these aircraft."""
    return [_as_readsb(sky.body(int(row), visibility.details)) for row in rows]


def _as_readsb(body: bytes) -> bytes:
    for name, readsb_name in READSB_NAMES:
        body = body.replace(name, readsb_name)
    body = _SHORT_CALLSIGN.sub(_pad, body)
    missing = b"".join([member for name, member in ALWAYS if name not in body])
    return body[:-1] + missing + b"}" if missing else body


def _pad(match: re.Match[bytes]) -> bytes:
    return b'"flight":"%b"' % match[1].ljust(CALLSIGN_LENGTH)
