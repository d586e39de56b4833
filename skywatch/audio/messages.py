"""What subscribers of the topic ``audio`` receive, and how a transmission is shown."""

from __future__ import annotations

from typing import Any

import msgspec

from skywatch.audio.models import Recording, Transmission
from skywatch.core.bus.base import Form, Message
from skywatch.core.clock import to_iso
from skywatch.security.permissions import Permission
from skywatch.security.visibility import Visibility

TOPIC = "audio"
NEW, TRANSCRIPT = "audio:transmission", "audio:transcript"
LINK_NEEDS = frozenset({str(Permission.AIRCRAFT_VIEW)})
MILITARY_NEEDS = LINK_NEEDS | {str(Permission.AIRCRAFT_VIEW_MILITARY)}
# The levels of a waveform as JSON: a page of 100 has 20,000 of them.
LEVELS = tuple(f"{level / 255:.3f}".encode() for level in range(256))
_encoder = msgspec.json.Encoder()


def shown(row: Transmission, recording: Recording, *, linked: bool, waveform: bool = False) -> dict[str, Any]:
    """A transmission as clients see it; ``linked``: with the aircraft it belongs to."""
    fields = {
        "id": row.id,
        "at": to_iso(row.at),
        "received_at": to_iso(row.received_at),
        "channel": row.channel,
        "frequency_mhz": None if row.frequency_hz is None else row.frequency_hz / 1e6,
        "duration_s": row.duration_s,
        "media_type": recording.media_type,
        "bytes": row.bytes,
        "sha256": row.sha256,
        "peak_db": recording.peak_db,
        "loudness_lufs": recording.loudness_lufs,
        "status": row.status,
        "reason": row.reason,
        "transcript": row.transcript,
        "segments": row.segments,
        "icao_hex": row.icao_hex if linked else None,
        "callsign": row.callsign if linked else None,
        "flags": row.flags,
        "source": row.source,
    }
    if waveform:
        fields["waveform"] = msgspec.Raw(b"[%s]" % b",".join([LEVELS[point] for point in recording.waveform]))
    return fields


def may_see_link(row: Transmission, visibility: Visibility) -> bool:
    """Whether a caller may see the aircraft of a transmission."""
    return (MILITARY_NEEDS if row.military else LINK_NEEDS) <= visibility.permissions


def message(event: str, row: Transmission, recording: Recording) -> Message:
    """A transmission for the real-time channel."""
    plain = _encoder.encode(shown(row, recording, linked=False))
    if row.icao_hex is None:
        return Message(TOPIC, event, plain)
    full = _encoder.encode(shown(row, recording, linked=True))
    return Message(TOPIC, event, plain, forms=(Form(MILITARY_NEEDS if row.military else LINK_NEEDS, full),))
