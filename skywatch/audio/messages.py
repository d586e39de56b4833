"""What subscribers of the topic ``audio`` receive, and the answer of a transmission."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy.orm import Session

from skywatch.airframes.military import MilitaryAircraft, military_aircraft
from skywatch.audio.models import Recording, Transmission
from skywatch.audio.schemas import TransmissionRecord
from skywatch.core.bus.base import Form, Message
from skywatch.http.resources.answer import answer
from skywatch.http.resources.render import encode
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

TOPIC = "audio"
NEW, TRANSCRIPT = "audio:transmission", "audio:transcript"
LINK_NEEDS = frozenset({str(Permission.AIRCRAFT_VIEW)})
MILITARY_NEEDS = LINK_NEEDS | {str(Permission.AIRCRAFT_VIEW_MILITARY)}
# The levels of a waveform as JSON: a page of 100 has 20,000 of them.
LEVELS = tuple(f"{level / 255:.3f}".encode() for level in range(256))


def transmission_answer(
    row: Transmission, recording: Recording, *, linked: bool, waveform: bool = False
) -> dict[str, Any]:
    """A transmission as clients see it; ``linked``: with the aircraft it belongs to."""
    members = answer(
        TransmissionRecord,
        row,
        frequency_mhz=None if row.frequency_hz is None else row.frequency_hz / 1e6,
        media_type=recording.media_type,
        peak_db=recording.peak_db,
        loudness_lufs=recording.loudness_lufs,
        icao_hex=row.icao_hex if linked else None,
        callsign=row.callsign if linked else None,
        waveform=_levels(recording) if waveform else None,
    )
    if not waveform:
        del members["waveform"]
    return members


def _levels(recording: Recording) -> msgspec.Raw:
    return msgspec.Raw(b"[%s]" % b",".join([LEVELS[point] for point in recording.waveform]))


def may_see_link(row: Transmission, visibility: Visibility, military: MilitaryAircraft) -> bool:
    """Whether a caller may see the aircraft of a transmission; ``military`` are those of now."""
    return _needs(row, military) <= visibility.permissions


def _needs(row: Transmission, military: MilitaryAircraft) -> frozenset[str]:
    is_military = row.icao_hex is not None and military.includes(row.icao_hex, was_marked=row.military)
    return MILITARY_NEEDS if is_military else LINK_NEEDS


def message(session: Session, event: str, row: Transmission, recording: Recording) -> Message:
    """A transmission for the real-time channel."""
    plain = encode(transmission_answer(row, recording, linked=False))
    if row.icao_hex is None:
        return Message(TOPIC, event, plain)
    full = encode(transmission_answer(row, recording, linked=True))
    form = Form(_needs(row, military_aircraft(session)), full, frozenset({row.icao_hex}))
    return Message(TOPIC, event, plain, forms=(form,))
