"""The parts of the service in plain words, and what to do about those that do not work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from skywatch.console.pages.formats import span
from skywatch.console.texts.catalogue import Catalogue
from skywatch.core.feature import FeatureSet
from skywatch.core.hooks import labels_of
from skywatch.system.health.checks import Check
from skywatch.system.health.log import state_of

# Name of a check or of a component in health -> what it is called; features name theirs (``PartLabels``).
LABELS = {
    "database": "Database",
    "bus": "Link between processes",
    "bus_link": "Link of a process",
    "tracker": "Live picture",
    "monitors": "Watching of the live picture",
    "tracker-lock": "Only one tracker",
    "tracker_standby": "Tracker on standby",
    "receivers": "Receivers",
    "receiver_tasks": "Reading from receivers",
    "inputs": "Other inputs",
    "input_tasks": "Reading from other inputs",
    "disk": "Disk space",
    "picture": "Number of aircraft",
    "picture_publisher": "Sharing of the picture",
    "realtime": "Live updates to browsers",
    "event_reader": "Replay of missed events",
    "receipts_writer": "Confirmation of events",
    "marked_aircraft": "Marked aircraft",
    "military_aircraft": "Military aircraft",
    "retention": "Deletion of old data",
    "deliveries": "Sending of notifications",
    "mqtt": "MQTT",
    "airframes": "Aircraft data",
    "memory": "Return of memory",
    "usage_writer": "Use of API keys",
    "shared_limits": "Sharing between people",
}


@dataclass(frozen=True)
class Advice:
    """What is wrong, what to do about it, and the page that helps (a path of the console)."""

    title: str
    action: str
    page: str = "/health"


ADVICE = {
    "database": Advice(
        "The database does not answer.", "Check that the database server runs and that the disk is not full."
    ),
    "bus": Advice(
        "The processes cannot reach each other.",
        "Check that the server of the bus runs and that every process may reach it.",
    ),
    "tracker": Advice("The live picture stands still.", "Start the tracker, or look for the reason in its log."),
    "receivers": Advice(
        "A receiver is not connected.",
        "Check that it is switched on and reachable. The page Receivers shows its last error.",
        "/receivers",
    ),
    "inputs": Advice(
        "An input does not work.",
        "Check that its source is switched on and reachable. The page Receivers shows its last error.",
        "/receivers",
    ),
    "disk": Advice("The disk is almost full.", "Free some room, or store less: see Retention.", "/retention"),
    "retention": Advice(
        "Old data is not deleted.",
        "The database grows until this works again. The page Retention or the log has the reason.",
        "/retention",
    ),
    "alerts_turns": Advice(
        "Alerts are announced late.",
        "Rules of somebody match too many aircraft: look at the rules with the most alerts.",
    ),
    "deliveries": Advice("Notifications are not sent.", "Look at the channels and at their last errors.", "/channels"),
    "mqtt": Advice("The MQTT broker cannot be reached.", "Check that it runs, and its address in the ini file."),
    "archive": Advice(
        "Days are not archived.",
        "The database keeps them. Check the disk or bucket of archive_url: skywatch doctor names what is wrong.",
    ),
    "backup": Advice(
        "There is no new backup.",
        "Check the disk of the backups and the passphrase file: the page Backups has the reason.",
        "/backups",
    ),
    "transcription": Advice(
        "Recordings are not transcribed.", "Check the program or service that the ini file names for it."
    ),
}
OLD_BACKUP = Advice("The last backup is older than a week.", "Make one now, or have them made by schedule.", "/backups")
NO_BACKUP = Advice("There is no backup.", "Make one: a disk is lost without notice.", "/backups")
NO_RECEIVER = Advice("There is no receiver yet.", "Add one: aircraft then appear on the map.", "/receivers")
SILENT = Advice(
    "{name} is connected, but silent.",
    "Check its antenna, and that this port is the one that sends its data.",
    "/receivers",
)
# A receiver in range of any airway hears something at least this often (s).
SILENT_AFTER_S = 600.0
OLD = timedelta(days=7)
OTHER = Advice(
    "{part}: does not work as it should.", "The page Health shows since when. Look for the reason in the log."
)


@dataclass(frozen=True)
class Part:
    """A part as the pages show it: name in health, what people call it, state, reason."""

    name: str
    label: str
    state: str
    detail: str


@dataclass(frozen=True)
class Concern:
    """A part that does not work, in sentences for people; ``page`` is the path of the page that helps."""

    state: str
    title: str
    action: str
    detail: str
    page: str


class PartNames:
    """What people call the parts of an installation, in one language."""

    def __init__(self, catalogue: Catalogue, features: FeatureSet) -> None:
        self.catalogue = catalogue
        self._labels = LABELS | labels_of(features)

    def label(self, name: str) -> str:
        """The words for a part; one without words of its own keeps its name."""
        return self.catalogue.text(self._labels.get(name, name.replace("_", " ")))


def describe_parts(names: PartNames, checks: Iterable[Check]) -> list[Part]:
    """All parts in the order of the checks."""
    return [
        Part(check.name, names.label(check.name), state_of(check), names.catalogue.sentence(check.detail))
        for check in checks
    ]


def find_concerns(names: PartNames, checks: Iterable[Check]) -> list[Concern]:
    """What does not work: first what the service cannot work without, each part once."""
    failed = {check.name: check for check in sorted(checks, key=lambda check: check.required) if not check.ok}
    ordered = sorted(failed.values(), key=lambda check: not check.required)
    return [_concern(names, check) for check in ordered]


def find_silent(
    catalogue: Catalogue, receivers: Iterable[Mapping[str, Any]], now: datetime, uptime_s: float
) -> list[Concern]:
    """Receivers that are connected and have brought nothing for a while.

    ``uptime_s`` is how long the tracker has been running; a receiver also has ``observed_s``, for one that is new.
    """
    concerns = []
    for receiver in receivers:
        last = receiver["last_message_at"]
        silent_s = receiver["observed_s"] if last is None else (now - last).total_seconds()
        silent_s = min(silent_s, uptime_s)
        if receiver["state"] == "connected" and silent_s > SILENT_AFTER_S:
            title = catalogue.text(SILENT.title, name=receiver["name"])
            detail = catalogue.text("No message for {span}.", span=span(silent_s))
            concerns.append(Concern("degraded", title, catalogue.text(SILENT.action), detail, SILENT.page))
    return concerns


def find_old_backup(
    catalogue: Catalogue, made_at: datetime | None, since: datetime | None, now: datetime
) -> list[Concern]:
    """That the last backup, or the beginning of an installation without one (``since``), is older than a week."""
    last = made_at or since
    if last is None or now - last <= OLD:
        return []
    advice = NO_BACKUP if made_at is None else OLD_BACKUP
    return [Concern("degraded", catalogue.text(advice.title), catalogue.text(advice.action), "", advice.page)]


def _concern(names: PartNames, check: Check) -> Concern:
    catalogue = names.catalogue
    advice = ADVICE.get(check.name, OTHER)
    if check.name == "receivers" and check.detail == "none configured":
        advice = NO_RECEIVER
    title = catalogue.text(advice.title, part=names.label(check.name))
    return Concern(state_of(check), title, catalogue.text(advice.action), catalogue.sentence(check.detail), advice.page)
