"""The feature declaration of audio transmissions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from skywatch.audio.settings import AudioSettings
from skywatch.core.feature import EventKind, Feature, Topic
from skywatch.core.hooks import DoctorCheck, InputFamily, PartLabels, Service, StoredFolders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from skywatch.core.backups import StoredFolder
    from skywatch.core.hooks import RunningService
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.retention import Kind
    from skywatch.core.terminal.checks import Finding, Inspection
    from skywatch.http.resources.schema import Schema
    from skywatch.inputs.base import Input
    from skywatch.settings import Settings

# The aircraft of a transmission is shown to those who may see it.
LINKS = ("aircraft.view", "aircraft.view_military")


def _create_worker(runtime: Runtime) -> RunningService | None:
    from skywatch.audio.transcription.worker import create

    return create(runtime)


def _open_input(runtime: Runtime, name: str, text: str) -> Input:
    from skywatch.audio.folders.folders import open_input

    return open_input(runtime, name, text)


def _check(inspection: Inspection) -> Iterator[Finding]:
    from skywatch.audio.recordings.checks import check

    return check(inspection)


def _retention_kinds() -> tuple[Kind, ...]:
    from skywatch.audio.retention import KINDS

    return KINDS


def _stored_folders(settings: Settings) -> list[StoredFolder]:
    from skywatch.audio.recordings.store import stored_folders

    return stored_folders(settings)


def _transmission_schema() -> type[Schema]:
    from skywatch.audio.schemas import TransmissionRecord

    return TransmissionRecord


FEATURE = Feature(
    name="audio",
    title="audio",
    include="skywatch.audio",
    settings=AudioSettings,
    topics=(Topic(name="audio", permission="audio.view"),),
    events=(
        EventKind(name="audio:transmission", topic="audio", content=_transmission_schema, may_need=LINKS),
        EventKind(name="audio:transcript", topic="audio", content=_transmission_schema, may_need=LINKS),
    ),
    retention=_retention_kinds,
    metrics="skywatch.audio.metrics",
    commands={"audio": "skywatch.audio.command:audio"},
    tags={
        "audio": "Recorded radio transmissions, their transcripts and channels.",
    },
    provides=(
        PartLabels({"audio_folders": "Folders of recordings", "transcription": "Transcription"}),
        Service(role="worker", create=_create_worker),
        InputFamily(prefix="audio.", title="Folder of recordings", open=_open_input),
        DoctorCheck(_check),
        StoredFolders(_stored_folders),
    ),
)
