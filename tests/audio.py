"""Sounds for tests, and how they are sent."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

V1 = "/api/v1/audio"
UPLOAD = f"{V1}/transmissions"


def sound(seconds=1.0, kind="WAV", rate=8000, level=0.1, hertz=500.0, **kw):
    """A tone as the bytes of a file."""
    import soundfile

    samples = level * np.sin(2 * np.pi * hertz * np.arange(int(seconds * rate)) / rate)
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=kind, **kw)
    return file.getvalue()


def upload(client, data=None, status=201, headers=None, name="a.wav", **fields):
    """Add a transmission as a browser does."""
    fields = {"channel": "Tower", **fields}
    return client.post(
        UPLOAD,
        {key: value for key, value in fields.items() if value is not None},
        upload_files=[("audio", name, sound() if data is None else data)],
        status=status,
        headers=headers or {},
    )


def files_in(directory):
    """The paths of all files below a directory, relative to it."""
    directory = Path(directory)
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file())


def recording(shared_data, name):
    """The bytes of a real recording; skips where it is absent."""
    path = shared_data / "audio" / name
    if not path.exists():
        pytest.skip(f"{name} is not among the recordings")
    return path.read_bytes()
