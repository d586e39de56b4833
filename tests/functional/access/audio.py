"""Who may hear, add, delete and transcribe transmissions."""

from tests.functional.access.table import Row

V1 = "/api/v1/audio"
ONE = f"{V1}/transmissions/{{id}}"
ROWS = [
    Row("GET", f"{V1}/transmissions", "audio.view"),
    Row("POST", f"{V1}/transmissions", "audio.upload", answer=415),
    Row("GET", ONE, "audio.view"),
    Row("DELETE", ONE, "audio.delete"),
    Row("GET", f"{ONE}/file", "audio.view"),
    Row("POST", f"{ONE}/transcribe", "audio.transcribe"),
    Row("GET", f"{V1}/channels", "audio.view"),
    Row("GET", f"{V1}/stats", "audio.view"),
    Row("GET", f"{V1}/playlist", "audio.view"),
    Row("POST", "/api/call-upload", "open", answer=415),
]
