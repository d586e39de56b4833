"""Any server that implements ``POST /v1/audio/transcriptions``: OpenAI, speaches, LocalAI, whisper.cpp and others."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Any

import msgspec

from skywatch.audio.recordings.kinds import BY_MEDIA_TYPE
from skywatch.audio.settings import AudioSettings
from skywatch.audio.transcription.engines.base import PROMPT, EngineFailed, Segment
from skywatch.core.network.http_client import Answer, CallFailed, OutgoingClient
from skywatch.core.network.targets import AddressRefused

# A slow machine needs longer than the recording lasts (s).
TIMEOUT_S = 600.0
MAX_ANSWER = 4_000_000


class _Segment(msgspec.Struct):
    start: float = 0.0
    end: float = 0.0
    text: str = ""
    no_speech_prob: float | None = None
    avg_logprob: float | None = None
    compression_ratio: float | None = None


class _Answer(msgspec.Struct):
    text: str = ""
    duration: float = 0.0
    segments: list[_Segment] | None = None


class OpenAiEngine:
    """Posts the file as it is and reads ``verbose_json``."""

    def __init__(self, settings: AudioSettings) -> None:
        # The address is the administrator's own: it may be a private one.
        self._client = OutgoingClient(timeout_s=TIMEOUT_S, maximum_bytes=MAX_ANSWER)
        self._address = settings.transcription_url.rstrip("/") + "/v1/audio/transcriptions"
        self._key, self._model = settings.transcription_api_key, settings.transcription_model

    def transcribe(self, path: Path, media_type: str) -> list[Segment]:
        """The segments in order; raises EngineFailed."""
        boundary = secrets.token_hex(16)
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        fields = {"model": self._model, "response_format": "verbose_json", "temperature": "0", "prompt": PROMPT}
        body = _form(fields, f"audio.{BY_MEDIA_TYPE[media_type].ending}", media_type, path.read_bytes(), boundary)
        headers["Content-Length"] = str(len(body))
        try:
            answer = self._client.call("POST", self._address, headers, body)
        except (CallFailed, AddressRefused) as error:
            raise EngineFailed(f"The transcription server: {error}") from None
        return _segments(answer)


def _segments(answer: Answer) -> list[Segment]:
    if answer.status != 200:
        raise EngineFailed(f"The transcription server answered {answer.status}.")
    try:
        read = msgspec.json.decode(answer.body, type=_Answer)
    except msgspec.MsgspecError:
        raise EngineFailed("The transcription server's answer is not a transcription.") from None
    if read.segments is None:
        return [Segment(0.0, read.duration, read.text.strip())] if read.text.strip() else []
    return [
        Segment(s.start, s.end, s.text.strip(), s.no_speech_prob, s.avg_logprob, s.compression_ratio)
        for s in read.segments
    ]


def _form(fields: dict[str, str], name: str, media_type: str, data: bytes, boundary: str) -> bytes:
    parts: list[Any] = []
    for field, value in fields.items():
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'
        parts.append(head.encode())
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
    parts += [f"{head}Content-Type: {media_type}\r\n\r\n".encode(), data, f"\r\n--{boundary}--\r\n".encode()]
    return b"".join(parts)
