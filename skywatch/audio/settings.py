"""The settings of audio transmissions."""

from __future__ import annotations

import dataclasses
from typing import Literal
from urllib.parse import urlsplit

from skywatch.settings import RETENTION_DAYS, RETENTION_MB, Settings, SettingsError, setting

Engine = Literal["none", "openai", "faster-whisper"]


@dataclasses.dataclass(frozen=True, kw_only=True)
class AudioSettings(Settings):
    """The settings of audio transmissions."""

    audio_directory: str = setting("var/audio", "folder in which recordings are stored; all roles must reach it")
    audio_max_bytes: int = setting(
        52_428_800, "largest recording accepted (bytes)", minimum=1024, maximum=1_073_741_824
    )
    audio_inputs: dict[str, str] = setting(
        {}, "a folder of recordings, for example `folder /srv/recordings channel=Tower`", name="audio.*"
    )
    transcription: Engine = setting(
        "none", "engine that transcribes recordings: none, openai (a server) or faster-whisper (extra speech)"
    )
    transcription_url: str = setting(
        "", "transcription server, without /v1; recordings are posted to its /v1/audio/transcriptions"
    )
    transcription_api_key: str = setting("", "API key of the transcription server", secret=True)
    transcription_model: str = setting(
        "whisper-1", "model name at the server; for faster-whisper the directory of a model"
    )
    transcription_lease_s: float = setting(
        60.0,
        "a transmission that a worker left unfinished is tried again after this time (s)",
        minimum=5,
        maximum=3600,
    )
    retention_audio_days: float = setting(
        90.0, "retention of transmissions and their recordings (days; 0: unlimited)", **RETENTION_DAYS
    )
    retention_audio_mb: float = setting(
        0.0, "largest size of recordings; the oldest are deleted first (MB; 0: unlimited)", **RETENTION_MB
    )

    def check(self) -> None:
        """Raises SettingsError where the engine lacks a setting."""
        if self.transcription == "openai":
            address = urlsplit(self.transcription_url)
            if address.scheme not in ("http", "https") or not address.hostname:
                raise SettingsError(
                    "transcription_url", "must be the http:// or https:// address of the server for the engine openai"
                )
