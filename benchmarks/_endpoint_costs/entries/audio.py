"""Transmissions and their recordings."""

from __future__ import annotations

import json

from benchmarks._endpoint_costs.ask import API, Ask, json_bytes
from benchmarks._endpoint_costs.entry import Entries, Entry, on_row, prepared, read
from benchmarks._endpoint_costs.installation import Installation
from benchmarks._endpoint_costs.uploads import call_form, form, longest_recording
from skywatch.audio.models import Transmission

ALL_TIME = "from=2000-01-01T00:00:00Z&to=2099-01-01T00:00:00Z"
PAGE = "/audio/transmissions?limit=1000&waveform=true"
# Ten minutes of sound are decoded, measured and hashed.
UPLOAD_MS = 15_000.0
UPLOAD = "an upload: decodes and measures ten minutes of sound"


NEW_KEY = json_bytes({"name": "uploads", "scopes": ["audio"]})


def upload(installation: Installation) -> Ask:
    """A recording as long and as large as they may be."""
    body, media_type = form(installation.number(), longest_recording(installation))
    return Ask(f"{API}/audio/transmissions", body, content_type=media_type)


def call(installation: Installation) -> Ask:
    """The same as trunk-recorder sends it."""
    key = json.loads(installation.answer("POST", Ask(f"{API}/api-keys", NEW_KEY)))["key"]
    body, media_type = call_form(key, longest_recording(installation))
    return Ask("/api/call-upload", body, content_type=media_type, headers={"Authorization": ""})


def finish(installation: Installation) -> None:
    """Nothing is being transcribed any more."""
    installation.set_all(Transmission, status="done")


ENTRIES: Entries = {
    "GET /api/v1/audio/transmissions": [
        read("a page of 1,000 with waveforms", PAGE),
        read("a late page of 1,000, searched", f"{PAGE}&offset=15000&q=contact"),
        read("a search that finds nothing", f"{PAGE}&q=zeppelin"),
    ],
    "POST /api/v1/audio/transmissions": [
        Entry("ten minutes of stereo at 96 kHz", upload, allowed_ms=UPLOAD_MS, reason=UPLOAD),
    ],
    "POST /api/call-upload": [
        Entry("ten minutes of stereo at 96 kHz", call, allowed_ms=UPLOAD_MS, reason=UPLOAD),
    ],
    "GET /api/v1/audio/transmissions/{id}": [
        on_row("one transmission", "/audio/transmissions/{id}", Transmission),
    ],
    "DELETE /api/v1/audio/transmissions/{id}": [
        on_row("one transmission", "/audio/transmissions/{id}", Transmission),
    ],
    "GET /api/v1/audio/transmissions/{id}/file": [
        on_row(
            "a recording of 50 MiB",
            "/audio/transmissions/{id}/file",
            "large recording",
            is_stream=True,
            reason="streams a file",
        ),
    ],
    "POST /api/v1/audio/transmissions/{id}/transcribe": [
        prepared(on_row("one transmission", "/audio/transmissions/{id}/transcribe", "transmission"), finish),
    ],
    "GET /api/v1/audio/channels": [read("a page of 1,000", "/audio/channels?limit=1000")],
    "GET /api/v1/audio/playlist": [
        read("a page of 1,000", "/audio/playlist?limit=1000"),
        read("a late page of 1,000", f"/audio/playlist?limit=1000&offset=15000&{ALL_TIME}"),
    ],
    "GET /api/v1/audio/stats": [read("all that was recorded", "/audio/stats")],
}
