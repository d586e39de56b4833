"""What the decoder's tests share: decoding hex frames, and the fields a message carries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from skywatch.receivers.framing.frames import FrameBatch
from skywatch.receivers.framing.recording import open_recording, read_recording
from skywatch.receivers.mode_s.decoder import Decoder
from skywatch.receivers.mode_s.message import Message

ADDRESS = 0x4CA216


def decode_hex(*frames: str, decoder: Decoder | None = None, start: float = 1000.0) -> list[Message]:
    """Messages of frames in hexadecimal that are half a second apart."""
    decoder = decoder or Decoder()
    batch = [(start + 0.5 * place, bytes.fromhex(frame), None) for place, frame in enumerate(frames)]
    return decoder.decode(batch).messages()


def decode_frames(
    frames: Sequence[tuple[float, bytes]], decoder: Decoder | None = None, batch_size: int | None = None
) -> list[Message]:
    """Messages of (time, frame), decoded in batches of a size or all at once."""
    decoder = decoder or Decoder()
    size = batch_size or max(len(frames), 1)
    messages: list[Message] = []
    for place in range(0, len(frames), size):
        messages += decoder.decode([(time, frame, None) for time, frame in frames[place : place + size]]).messages()
    return messages


def carried(message: Message) -> dict[str, Any]:
    """The fields that a message carries, as plain values."""
    fields: dict[str, Any] = msgspec.to_builtins(message)
    return fields


def positions(messages: Iterable[Message]) -> list[tuple[float, float]]:
    """The positions among messages."""
    return [(m.lat, m.lon) for m in messages if m.lat is not msgspec.UNSET and m.lon is not msgspec.UNSET]


def read_frames(path: Path, start: float = 0.0) -> FrameBatch:
    """All frames of a recording."""
    with open_recording(str(path)) as stream:
        return FrameBatch.concatenate(list(read_recording(stream, start=start)))
