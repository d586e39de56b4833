"""Forms with a recording, as browsers and trunk-recorder send them."""

from __future__ import annotations

import io
from functools import lru_cache

import numpy as np
import soundfile

from benchmarks._endpoint_costs.installation import Installation

BOUNDARY = "----------endpoint-costs"
MEDIA_TYPE = f"multipart/form-data; boundary={BOUNDARY}"
# As many samples a second and channels as are accepted; quiet noise, of which FLAC makes less than the largest file.
RATE, CHANNELS, LOUDNESS = 96_000, 2, 0.00005


@lru_cache(maxsize=1)
def _sound(seconds: int) -> bytes:
    file = io.BytesIO()
    chance = np.random.default_rng(1)
    with soundfile.SoundFile(file, "w", RATE, CHANNELS, format="FLAC", subtype="PCM_16") as sound:
        for _ in range(seconds):
            sound.write(chance.normal(0, LOUDNESS, (RATE, CHANNELS)).astype("f4"))
    return file.getvalue()


def longest_recording(installation: Installation) -> bytes:
    """Noise as long as is accepted, other bytes each time."""
    return _sound(installation.sizes.sounds_s) + installation.number().to_bytes(8, "little")


def form(number: int, sound: bytes) -> tuple[bytes, str]:
    """The form of an upload, and its media type."""
    return _form({"channel": f"Tower {number}"}, sound), MEDIA_TYPE


def call_form(key: str, sound: bytes) -> tuple[bytes, str]:
    """The form of a call upload, and its media type."""
    fields = {"key": key, "system": "11", "talkgroup": "54241", "dateTime": "1769860800"}
    return _form(fields, sound), MEDIA_TYPE


def _form(fields: dict[str, str], sound: bytes) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n'
    return b"".join([*parts, head.encode(), sound, f"\r\n--{BOUNDARY}--\r\n".encode()])
