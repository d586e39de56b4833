"""The airspaces of ``airspace_file``, read once at the start and answered as GeoJSON to all who may see the sky."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skywatch.core.areas.importing import features_of, read_airspaces, read_features
from skywatch.core.areas.openair import count_airspaces
from skywatch.core.problems import Problem
from skywatch.http.resources.render import encode
from skywatch.settings import SettingsError

SETTING = "airspace_file"
MAXIMUM_BYTES = 8_000_000
MAXIMUM_AIRSPACES = 2_000
GEOJSON_SUFFIXES = (".geojson", ".json")
PROPERTIES = ("name", "class", "floor_ft", "ceiling_ft")


@dataclass(frozen=True)
class Airspaces:
    """A GeoJSON FeatureCollection, encoded, and its validator."""

    count: int
    body: bytes

    @property
    def etag(self) -> str:
        """Changes with the content."""
        return hashlib.blake2s(self.body, digest_size=8).hexdigest()


def load_airspaces(path: str) -> Airspaces:
    """The airspaces of a file, none for an empty path; raises SettingsError with one line that says what is wrong."""
    features = [] if not path else _read(Path(path).expanduser())
    return Airspaces(len(features), encode({"type": "FeatureCollection", "features": features}))


def _read(path: Path) -> list[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            content = file.read(MAXIMUM_BYTES + 1)
    except OSError as error:
        raise SettingsError(SETTING, f"{path} cannot be read: {error.strerror or error}") from None
    if len(content) > MAXIMUM_BYTES:
        raise SettingsError(SETTING, f"{path} is larger than {MAXIMUM_BYTES / 1e6:g} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Many OpenAir files are older than UTF-8.
        text = content.decode("latin-1")
    try:
        entries = _geojson(text) if path.suffix.lower() in GEOJSON_SUFFIXES else _openair(text)
    except Problem as problem:
        faults = [f"{fault['name']}: {fault['detail']}" for fault in problem.errors or ()] or [problem.detail]
        more = f" (and {len(faults) - 1} more faults)" if len(faults) > 1 else ""
        raise SettingsError(SETTING, f"{path}: {faults[0]}{more}") from None
    except ValueError as error:
        raise SettingsError(SETTING, f"{path}: {error}") from None
    return [_feature(entry) for entry in entries]


def _geojson(text: str) -> list[dict[str, Any]]:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"is not JSON: {error}") from None
    features = features_of(document)
    _check_count(len(features))
    return read_features(features)


def _openair(text: str) -> list[dict[str, Any]]:
    _check_count(count_airspaces(text))
    return read_airspaces(text)


def _check_count(count: int) -> None:
    if count > MAXIMUM_AIRSPACES:
        raise ValueError(f"has {count} airspaces; at most {MAXIMUM_AIRSPACES} are allowed")


def _feature(entry: dict[str, Any]) -> dict[str, Any]:
    properties = {name: entry.get(name) for name in PROPERTIES}
    return {"type": "Feature", "geometry": entry["geometry"], "properties": properties}
