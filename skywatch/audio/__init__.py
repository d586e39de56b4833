"""Audio transmissions: recordings that are uploaded or found in folders, their measures, and what was said.

``recordings`` measures and stores files, ``transcription`` has them transcribed by an engine in the worker role.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.audio.settings import AudioSettings

if TYPE_CHECKING:
    from pyramid.config import Configurator

# What a form may have in addition to its file (bytes).
FORM_BYTES = 131_072


def includeme(config: Configurator) -> None:
    """Set up the resources below ``/api/v1/audio`` and ``/api/call-upload``."""
    from skywatch.audio.views import call_upload
    from skywatch.core.runtime import runtime_of
    from skywatch.http.path_rules import BY_VIEW

    largest = runtime_of(config.registry).settings.of(AudioSettings).audio_max_bytes + FORM_BYTES
    for path in ("/api/v1/audio/transmissions", call_upload.PATH):
        config.add_body_limit(path, largest)
    # Its credential is in the form; what else the request carries is not looked at.
    config.add_throttle_bucket("POST", call_upload.PATH, BY_VIEW)
    config.add_form_credential(call_upload.PATH, call_upload.CREDENTIAL)
    for module in ("transmissions", "call_upload"):
        config.scan(f"skywatch.audio.views.{module}")
