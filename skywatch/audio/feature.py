"""The feature declaration of audio transmissions."""

from __future__ import annotations

from skywatch.audio.settings import AudioSettings
from skywatch.core.feature import EventKind, Feature, InputFamily, Service, Topic
from skywatch.core.problems import ProblemKind

# The aircraft of a transmission is shown to those who may see it.
LINKS = ("aircraft.view", "aircraft.view_military")

FEATURE = Feature(
    name="audio",
    title="audio",
    include="skywatch.audio",
    parts={
        "audio_folders": "Folders of recordings",
        "transcription": "Transcription",
    },
    settings=AudioSettings,
    services=(Service(role="worker", create="skywatch.audio.transcription.worker:create"),),
    inputs=(
        InputFamily(
            prefix="audio.", title="Folder of recordings", open="skywatch.audio.folder_input.folders:open_input"
        ),
    ),
    checks="skywatch.audio.recordings.checks:check",
    topics=(Topic(name="audio", permission="audio.view"),),
    events=(
        EventKind(name="audio:transmission", topic="audio", may_need=LINKS),
        EventKind(name="audio:transcript", topic="audio", may_need=LINKS),
    ),
    retention="skywatch.audio.retention:KINDS",
    stored_folders="skywatch.audio.recordings.stored:stored_folders",
    problems=(ProblemKind("range_not_satisfiable", 416, "The range is not satisfiable"),),
    metrics="skywatch.audio.metrics",
    commands={"audio": "skywatch.audio.command:audio"},
    tags={
        "audio": "Recorded radio transmissions, their transcripts and channels.",
    },
)
