"""The airspaces of ``airspace_file``, read once at the start and answered as GeoJSON to all who may see the sky.

A file that is missing stops the start. What is in it never does: what cannot be used is left out and named in the log.
"""

from __future__ import annotations

import hashlib
import json
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from skywatch.aircraft.settings import AircraftSettings
from skywatch.core.polygons.geometry import MAX_POSITIONS, positions_in
from skywatch.core.polygons.imports import Faults, features_of, usable_airspaces, usable_features
from skywatch.core.polygons.openair import parse_openair
from skywatch.core.problems import Problem
from skywatch.core.runtime import Runtime
from skywatch.core.text.lenient_json import records
from skywatch.core.text.names import only_shown
from skywatch.http.resources.render import encode
from skywatch.settings import SettingsError

log = logging.getLogger(__name__)
SETTING = "airspace_file"
MAX_BYTES = 8_000_000
MAX_AIRSPACES = 2_000
GEOJSON_SUFFIXES = (".geojson", ".json")
PROPERTIES = ("name", "class", "floor_ft", "ceiling_ft")


@dataclass(frozen=True)
class Airspaces:
    """A GeoJSON FeatureCollection, encoded, and its validator."""

    count: int
    body: bytes
    # What of the file cannot be used, a line each.
    faults: tuple[str, ...] = ()

    @property
    def etag(self) -> str:
        """Changes with the content."""
        return hashlib.blake2s(self.body, digest_size=8).hexdigest()


def configured_airspaces(runtime: Runtime) -> Airspaces:
    """The airspaces of the installation; raises SettingsError as ``load_airspaces``."""
    return load_airspaces(runtime.settings.of(AircraftSettings).airspace_file)


def load_airspaces(path: str) -> Airspaces:
    """The airspaces of a file, none for an empty path; raises SettingsError with one line where it cannot be opened."""
    if not path:
        return Airspaces(0, encode({"type": "FeatureCollection", "features": []}))
    file = Path(path).expanduser()
    try:
        with file.open("rb") as opened:
            content = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError(SETTING, f"{file} cannot be read: {error.strerror or error}") from None
    text = _text(content[:MAX_BYTES])
    try:
        entries, by_place = _geojson(text) if file.suffix.lower() in GEOJSON_SUFFIXES else _openair(text)
    except Problem as problem:
        named = [f"{fault['name']} {fault['detail']}" for fault in problem.errors or ()]
        entries, by_place = [], {"file": f"is no GeoJSON: {named[0] if named else problem.detail}"}
    faults = [f"{place}: {fault}" for place, fault in by_place.items()]
    if len(content) > MAX_BYTES:
        faults.append(f"is larger than {MAX_BYTES / 1e6:g} MB; what follows is left out")
    kept = _within_limits(entries)
    if len(kept) < len(entries):
        limits = f"{MAX_AIRSPACES} with {MAX_POSITIONS} positions altogether"
        faults.append(f"only the first {len(kept)} airspaces are used: at most {limits} are allowed")
    if faults:
        more = f" (and {len(faults) - 1} more faults)" if len(faults) > 1 else ""
        log.warning("airspace_file %s: %d airspaces can be used; %s%s", file, len(kept), faults[0], more)
    features = [_feature(entry) for entry in kept]
    return Airspaces(len(features), encode({"type": "FeatureCollection", "features": features}), tuple(faults))


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Many OpenAir files are older than UTF-8.
        return content.decode("latin-1")


def _within_limits(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first airspaces of the file, as many as are allowed."""
    positions = 0
    for number, entry in enumerate(entries[:MAX_AIRSPACES]):
        positions += positions_in(entry["geometry"])
        if positions > MAX_POSITIONS:
            return entries[:number]
    return entries[:MAX_AIRSPACES]


def _geojson(text: str) -> tuple[list[dict[str, Any]], Faults]:
    faults: Faults = {}
    try:
        features = features_of(json.loads(text))
    except (ValueError, RecursionError) as error:
        faults["file"] = f"is not JSON, or not all of it: {error}"
        features = [one for one in records(text) if isinstance(one, dict) and one.get("type") == "Feature"]
    entries, of_features = usable_features(list(map(_with_clean_name, features[: MAX_AIRSPACES + 1])))
    return entries, faults | of_features


def _with_clean_name(feature: Any) -> Any:
    """A feature whose name has nothing in it that is not seen."""
    properties = feature.get("properties") if isinstance(feature, dict) else None
    if not isinstance(properties, dict) or not isinstance(properties.get("name"), str):
        return feature
    return {**feature, "properties": {**properties, "name": only_shown(properties["name"])[:120]}}


def _openair(text: str) -> tuple[list[dict[str, Any]], Faults]:
    return usable_airspaces(parse_openair(text))


def _feature(entry: dict[str, Any]) -> dict[str, Any]:
    properties = {name: entry.get(name) for name in PROPERTIES}
    return {"type": "Feature", "geometry": entry["geometry"], "properties": properties}
