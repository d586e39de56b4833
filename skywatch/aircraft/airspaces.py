"""The airspaces of ``airspace_file``, or of a file that was uploaded, as GeoJSON for all who may see the sky.

``airspace_file`` is read once at the start, and wins. A file that is missing stops the start. What is in it never does:
what cannot be used is left out and named in the log. What was uploaded is in the database, for every process.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.aircraft.settings import AircraftSettings
from skywatch.core.clock import utcnow
from skywatch.core.database.models import StoredSetting
from skywatch.core.polygons.geometry import MAX_POSITIONS, positions_in
from skywatch.core.polygons.imports import Faults, features_of, usable_airspaces, usable_features
from skywatch.core.polygons.openair import parse_openair
from skywatch.core.problems import Problem, invalid
from skywatch.core.runtime import Runtime
from skywatch.core.storage.audit import Actor, Target, record
from skywatch.core.text.lenient_json import records
from skywatch.core.text.names import only_shown
from skywatch.http.resources.render import encode
from skywatch.sentences import sentence
from skywatch.settings import SettingsError

log = logging.getLogger(__name__)
SETTING = "airspace_file"
# The row of the uploaded file among the stored settings, which is none of them.
ROW = "(airspaces)"
UPLOADED, REMOVED = "airspaces.uploaded", "airspaces.removed"
MAX_NAME = 100
# How often a process looks whether another file was uploaded (s).
LOOK_EVERY_S = 2.0
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


class UploadedFile(msgspec.Struct, frozen=True):
    """A file as it was uploaded: its name, which says of what form it is, and its text."""

    name: str
    text: str


@dataclass(frozen=True)
class Upload:
    """What there is of an uploaded file without its text."""

    name: str
    at: datetime
    by: str


class AirspaceStore:
    """The airspaces of the installation in one process: those of ``airspace_file``, else of the uploaded file.

    Raises SettingsError where ``airspace_file`` cannot be read.
    """

    def __init__(self, runtime: Runtime) -> None:
        path = runtime.settings.of(AircraftSettings).airspace_file
        self._sessions = runtime.sessions
        self._is_fixed = bool(path)
        self._airspaces = load_airspaces(path)
        self._stamp: datetime | None = None
        self._looked_at = float("-inf")
        self._is_expired = False
        self._lock = threading.Lock()

    @property
    def current(self) -> Airspaces:
        """The airspaces as they are now; an upload in another process counts after two seconds."""
        is_due = self._is_expired or time.monotonic() - self._looked_at >= LOOK_EVERY_S
        # One thread reads a new file; the others take what there is.
        if not self._is_fixed and is_due and self._lock.acquire(blocking=self._looked_at == float("-inf")):
            # Cleared before the look: a file that is uploaded during it may be missing.
            self._is_expired = False
            try:
                self._look()
            except sa.exc.SQLAlchemyError as error:
                log.warning("the uploaded airspaces cannot be read: %s", type(error).__name__)
            finally:
                self._looked_at = time.monotonic()
                self._lock.release()
        return self._airspaces

    def expire(self) -> None:
        """Look at the database at the next access."""
        self._is_expired = True

    def _look(self) -> None:
        with self._sessions() as session:
            stamp = session.scalar(sa.select(StoredSetting.updated_at).where(StoredSetting.name == ROW))
            if stamp == self._stamp:
                return
            body = session.scalar(sa.select(StoredSetting.value).where(StoredSetting.name == ROW))
        if body is None:
            self._airspaces = load_airspaces("")
        else:
            file = msgspec.json.decode(body, type=UploadedFile)
            self._airspaces = parse_airspaces(file.name, file.text.encode())
        self._stamp = stamp


def find_upload(session: Session) -> Upload | None:
    """Which file was uploaded, when and by whom."""
    query = sa.select(StoredSetting.value, StoredSetting.updated_at, StoredSetting.updated_by)
    row = session.execute(query.where(StoredSetting.name == ROW)).one_or_none()
    return None if row is None else Upload(msgspec.json.decode(row[0], type=UploadedFile).name, row[1], row[2])


def parse_upload(name: str, content: bytes) -> tuple[UploadedFile, Airspaces]:
    """A file and its airspaces; raises Problem (400) where no airspace of it can be used."""
    name = only_shown(PurePath(name.replace("\\", "/")).name)[-MAX_NAME:] or "airspaces.txt"
    airspaces = parse_airspaces(name, content)
    if not airspaces.count:
        reason = airspaces.faults[0] if airspaces.faults else sentence("aircraft.no_airspace", "has no airspace")
        raise invalid("airspaces", reason)
    return UploadedFile(name, _text(content).replace("\0", "")), airspaces


def store_upload(session: Session, actor: Actor, file: UploadedFile, count: int) -> None:
    """Store a file of so many airspaces in place of the one before."""
    _remove(session)
    body = msgspec.json.encode(file).decode()
    session.add(StoredSetting(name=ROW, value=body, sealed=False, updated_at=utcnow(), updated_by=actor.name[:254]))
    record(session, actor, UPLOADED, Target("airspaces", None, file.name), after={"airspaces": count})


def remove_airspaces(session: Session, actor: Actor) -> None:
    """Remove the uploaded file."""
    upload = find_upload(session)
    if upload is not None:
        _remove(session)
        record(session, actor, REMOVED, Target("airspaces", None, upload.name))


def _remove(session: Session) -> None:
    session.execute(sa.delete(StoredSetting).where(StoredSetting.name == ROW))


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
    airspaces = parse_airspaces(file.name, content)
    if airspaces.faults:
        more = f" (and {len(airspaces.faults) - 1} more faults)" if len(airspaces.faults) > 1 else ""
        count, first = airspaces.count, airspaces.faults[0]
        log.warning("airspace_file %s: %d airspaces can be used; %s%s", file, count, first, more)
    return airspaces


def parse_airspaces(name: str, content: bytes) -> Airspaces:
    """The airspaces in a file's content; by its name it is GeoJSON or OpenAir."""
    text = _text(content[:MAX_BYTES])
    try:
        entries, by_place = _geojson(text) if name.lower().endswith(GEOJSON_SUFFIXES) else _openair(text)
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
