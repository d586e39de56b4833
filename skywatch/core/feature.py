"""What a feature is made of: one frozen ``Feature`` for each, from which the tables of an installation are derived.

A feature's package has a module ``feature.py`` with its ``FEATURE``; ``skywatch/features.py`` lists them. Code is
named by ``module:attribute`` and imported late: an API process loads no detector, and ``skywatch --help`` loads next
to nothing.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from skywatch.core.declarations import AddressList, AircraftMember
from skywatch.core.problems import ProblemKind
from skywatch.core.rule_fields import RuleField
from skywatch.settings import Role, Settings, compose

if TYPE_CHECKING:
    from sqlalchemy import FromClause

    from skywatch.core.backups import StoredFolder
    from skywatch.core.batch import BatchJob
    from skywatch.core.storing.retention import Kind


@dataclass(frozen=True, kw_only=True)
class Topic:
    """A topic of the real-time channel and the name of the permission that opens it.

    ``live`` topics carry the picture (snapshot and updates of aircraft), the others events. The events of a
    ``personal`` topic belong to users, so that each user's are numbered on their own. So many of the newest events are
    ``kept`` for subscribers who come back.
    """

    name: str
    permission: str
    live: bool = False
    personal: bool = False
    kept: int = 500


@dataclass(frozen=True, kw_only=True)
class EventKind:
    """An event and the topic it is published on.

    ``needs`` are permissions that a subscriber must hold besides the topic's. Holders of ``oversight`` also receive
    the events of other users. ``may_need`` are permissions that only some messages need, or that open another form of
    them (``skywatch.core.bus.Form``): a message that names any other permission is not delivered. Events with
    ``shows_rule_fields`` contain values of rule fields, and may need the permissions of these too. ``written`` is
    ``module:function(session, written)``, called in a transaction of its own with the ``WrittenEvent`` of messages that
    the real-time channel has written to a connection of a user in their audience.
    """

    name: str
    topic: str
    needs: tuple[str, ...] = ()
    oversight: str | None = None
    may_need: tuple[str, ...] = ()
    shows_rule_fields: bool = False
    written: str = ""


@dataclass(frozen=True)
class WrittenEvent:
    """The data of an event, and when it was written to a connection of its user."""

    data: bytes
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Service:
    """A part that runs on the event loop of one role; ``create`` is ``module:function(runtime)``.

    The function returns an object with ``async start()`` and ``async stop()``.
    """

    role: Role
    create: str


@dataclass(frozen=True, kw_only=True)
class NotificationKind:
    """What users can be notified of, and the permission they need for it.

    ``addressed`` notifications name the channels they are sent to; channels subscribe to the others. ``delivered`` is
    ``module:function(session, channel_kind, subject_ids)``, called in the transaction that records a delivery.
    """

    name: str
    permission: str
    addressed: bool = False
    delivered: str = ""


@dataclass(frozen=True, kw_only=True)
class InputFamily:
    """Inputs of a feature: settings that begin with ``prefix`` (``balloon.``); ``title`` is one of them for people.

    Each is opened by ``module:function(runtime, name, text)``, which returns a ``skywatch.inputs.base.Input`` or
    raises SettingsError. The tracker runs them. Without ``open`` the tracker itself opens them.
    """

    prefix: str
    title: str
    open: str = ""

    @property
    def name(self) -> str:
        """The family in answers of the API: the prefix without its dot."""
        return self.prefix.removesuffix(".")


@dataclass(frozen=True, kw_only=True)
class EditableInputs:
    """A family of inputs (``prefix`` is that of an ``InputFamily``) that administrators may add to in the console.

    ``check`` is ``module:function(name, text)``, which raises SettingsError where the ini file's parser would, or where
    the console may not set it. ``trial`` is ``module:function(name, text, station, within_s)``, a coroutine that
    returns a ``skywatch.inputs.trial.Trial``.
    """

    prefix: str
    check: str
    trial: str
    example: str


@dataclass(frozen=True, kw_only=True)
class Feature:
    """The declaration of a feature: all that other parts need of it."""

    name: str
    # What it brings to an installation, in the sentence about it (``live aircraft``); empty where that says nothing.
    title: str = ""
    # Package whose ``includeme`` adds the resources of the feature to the application.
    include: str = ""
    # ``module:function(runtime)`` that returns a ``skywatch.picture.monitor.Monitor``.
    monitor: str = ""
    services: tuple[Service, ...] = ()
    inputs: tuple[InputFamily, ...] = ()
    editable_inputs: tuple[EditableInputs, ...] = ()
    topics: tuple[Topic, ...] = ()
    events: tuple[EventKind, ...] = ()
    notifications: tuple[NotificationKind, ...] = ()
    # ``module:class`` of a ``skywatch.notify.mqtt.source.RuleSource``: what the installation publishes over MQTT.
    mqtt: str = ""
    # ``module:tuple`` of ``skywatch.core.storing.retention.Kind``.
    retention: str = ""
    # Frozen dataclass whose fields are declared with ``skywatch.settings.setting``.
    settings: type | None = None
    problems: tuple[ProblemKind, ...] = ()
    # ``module:function(session)`` that returns which aircraft are marked for which users now (user id -> addresses); it
    # is asked again when an event of the feature's topics was published.
    marks: str = ""
    # ``module:function(session, begin, end, step_s, may)`` that yields stored pictures of a span as encoded JSON
    # (``{now, aircraft}``), for features that look at the past; at most one feature has it.
    past_pictures: str = ""
    # ``module:function(inspection)`` that yields ``skywatch.core.terminal.finding.Finding``s: what ``skywatch doctor``
    # checks for the feature. It is given a ``skywatch.core.terminal.finding.Inspection``.
    checks: str = ""
    aircraft_members: tuple[AircraftMember, ...] = ()
    rule_fields: tuple[RuleField, ...] = ()
    address_lists: tuple[AddressList, ...] = ()
    # ``module:table`` of stored flights, for features that look for the flight of an aircraft: a row each with ``id``,
    # ``icao_hex``, ``callsign``, ``registration``, ``military``, ``first_seen_at`` and ``last_seen_at``; at most one
    # feature has it.
    flights: str = ""
    # ``module:function(session, mode, user_ids)`` that returns the ``Visibility`` of the active ones among these users;
    # at most one feature has it.
    visibilities: str = ""
    # Names of its parts in health -> what people call them.
    parts: Mapping[str, str] = field(default_factory=dict)
    # Module that declares the metrics of the feature.
    metrics: str = ""
    # Groups of its operations in the OpenAPI document -> what they are for.
    tags: Mapping[str, str] = field(default_factory=dict)
    # ``module:tuple`` of ``skywatch.archive.kinds.ArchivedKind``: what of the feature is archived.
    archived: str = ""
    # ``module:tuple`` of ``skywatch.core.batch.BatchJob``: work over archived days.
    batch: str = ""
    # ``module:function(rows, day, station)`` that makes a ``skywatch.core.batch.PastDay`` of archived rows
    # (``skywatch.archive.batch.rows.ArchivedRows``); at most one feature has it.
    past_day: str = ""
    # ``module:function(settings)`` that returns the ``skywatch.core.backups.StoredFolder``s that backups contain.
    stored_folders: str = ""
    # ``module:function(session, restoration)``, called in the transaction that completes a restore
    # (``skywatch.core.backups.Restoration``).
    restored: str = ""
    # ``module:function(session, actor, kind, before, after)``, called in the transaction that renames a thing of a
    # ``kind`` (``feeder``) which what this feature stores may refer to by its name.
    renamed: str = ""
    # Name of a subcommand of ``skywatch`` -> ``module:command``.
    commands: Mapping[str, str] = field(default_factory=dict)


class DeclarationError(Exception):
    """Two features declare the same name, or one names something that no feature declares."""


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


def load(path: str) -> Any:
    """The object that ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


class FeatureSet:
    """The features of an installation, and the tables that are derived from them."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self._features = tuple(features)
        _by_name(self._features, "feature")
        self.topics: dict[str, Topic] = _by_name((t for f in self for t in f.topics), "topic")
        self.rule_fields: dict[str, RuleField] = _by_name((r for f in self for r in f.rule_fields), "rule field")
        for rule_field in self.rule_fields.values():
            if fault := rule_field.fault():
                raise DeclarationError(f"rule field {rule_field.name} {fault}")
        self.events: dict[str, EventKind] = _by_name((self._complete(e) for f in self for e in f.events), "event")
        self.aircraft_members: dict[str, AircraftMember] = _by_name(
            (m for f in self for m in f.aircraft_members), "member of an aircraft"
        )
        self.address_lists: dict[str, AddressList] = _by_name(
            (a for f in self for a in f.address_lists), "address list"
        )
        self.notifications: dict[str, NotificationKind] = _by_name(
            (n for f in self for n in f.notifications), "kind of notification"
        )
        self.input_families: dict[str, InputFamily] = _by_name((i for f in self for i in f.inputs), "family of inputs")
        self.problems: dict[str, ProblemKind] = _by_name((p for f in self for p in f.problems), "error code")
        self.commands: dict[str, str] = {}
        for feature in self:
            for name, path in feature.commands.items():
                if name in self.commands:
                    raise DeclarationError(f"command {name} is declared twice")
                self.commands[name] = path
        self.tags: dict[str, str] = {}
        for feature in self:
            for tag, text in feature.tags.items():
                if tag in self.tags:
                    raise DeclarationError(f"tag {tag} is declared twice")
                self.tags[tag] = text
        for event in self.events.values():
            if event.topic not in self.topics:
                raise DeclarationError(f"event {event.name} is on topic {event.topic}, which no feature declares")

        for prefix in self.editable_inputs():
            if prefix.removesuffix(".") not in self.input_families:
                raise DeclarationError(f"inputs {prefix} can be edited, but no feature declares the family")

    def __iter__(self) -> Iterator[Feature]:
        return iter(self._features)

    def deciding_permissions(self) -> dict[str, frozenset[str]]:
        """For each topic, the permissions on which it depends who receives its events, and in which form."""
        deciding: dict[str, set[str]] = {name: set() for name in self.topics}
        for event in self.events.values():
            deciding[event.topic].update(event.needs, event.may_need)
            if event.oversight is not None:
                deciding[event.topic].add(event.oversight)
        return {topic: frozenset(permissions) for topic, permissions in deciding.items()}

    def settings(self) -> type[Settings]:
        """The class of all settings; every use makes a new one."""
        return compose([feature.settings for feature in self if feature.settings is not None], self)

    def includes(self) -> list[str]:
        """The packages that the application includes, in the order of the list."""
        return [feature.include for feature in self if feature.include]

    def monitors(self) -> list[Callable[[Any], Any]]:
        """The functions that create the monitors of the tracker."""
        return [load(feature.monitor) for feature in self if feature.monitor]

    def services(self, role: Role) -> list[Callable[[Any], Any]]:
        """The functions that create the services of a role."""
        return [load(service.create) for feature in self for service in feature.services if service.role == role]

    def mqtt_sources(self) -> list[Callable[[], Any]]:
        """The classes of what is published over MQTT."""
        return [load(feature.mqtt) for feature in self if feature.mqtt]

    def marks(self) -> list[Callable[[Any], Mapping[int, Iterable[str]]]]:
        """The functions that say which aircraft are marked for which users."""
        return [load(feature.marks) for feature in self if feature.marks]

    def topics_of_marks(self) -> list[str]:
        """The topics whose events may change what is marked."""
        return [topic.name for feature in self if feature.marks for topic in feature.topics]

    def inputs(self) -> dict[str, Callable[..., Any]]:
        """The prefix of each family of inputs that features open, and the function that opens one."""
        return {family.prefix: load(family.open) for family in self.input_families.values() if family.open}

    def editable_inputs(self) -> dict[str, EditableInputs]:
        """The families of inputs that may be stored in the database, by prefix."""
        return {family.prefix: family for feature in self for family in feature.editable_inputs}

    def checks(self) -> list[Callable[[Any], Iterator[Any]]]:
        """The functions that check for ``skywatch doctor``."""
        return [load(feature.checks) for feature in self if feature.checks]

    def subscribed_notifications(self) -> list[str]:
        """The kinds of notifications that channels subscribe to, in alphabetical order."""
        return sorted(kind.name for kind in self.notifications.values() if not kind.addressed)

    def titles(self) -> list[str]:
        """What the features bring to an installation, in words for people."""
        return [feature.title for feature in self if feature.title]

    def retention_kinds(self) -> list[Kind]:
        """What retention limits, by name."""
        kinds: list[Kind] = [kind for feature in self if feature.retention for kind in load(feature.retention)]
        return sorted(kinds, key=lambda kind: kind.name)

    def archived(self) -> list[Any]:
        """The kinds of data that are archived (``skywatch.archive.kinds.ArchivedKind``)."""
        return [kind for feature in self if feature.archived for kind in load(feature.archived)]

    def batch_jobs(self) -> dict[str, BatchJob]:
        """The work over archived days, by name."""
        jobs: list[BatchJob] = [job for feature in self if feature.batch for job in load(feature.batch)]
        return dict(sorted(_by_name(jobs, "batch job").items()))

    def past_day(self) -> str:
        """The path of the function that makes a day of archived rows; empty where nothing is stored."""
        return next((feature.past_day for feature in self if feature.past_day), "")

    def stored_folders(self, settings: Settings) -> list[StoredFolder]:
        """The folders of files that backups contain."""
        return [
            folder for feature in self if feature.stored_folders for folder in load(feature.stored_folders)(settings)
        ]

    def restored(self) -> list[Callable[[Any, Any], None]]:
        """The functions that complete a restore."""
        return [load(feature.restored) for feature in self if feature.restored]

    def renamed(self, session: Any, actor: Any, kind: str, before: str, after: str) -> None:
        """Announce the new name of a thing in the transaction that renames it, so that what refers to it follows."""
        for feature in self:
            if feature.renamed:
                load(feature.renamed)(session, actor, kind, before, after)

    def past_pictures(self) -> Callable[..., Iterator[bytes]] | None:
        """The function that yields stored pictures of a span; None where nothing is stored."""
        paths = [feature.past_pictures for feature in self if feature.past_pictures]
        return load(paths[0]) if paths else None

    def flights(self) -> FromClause | None:
        """The table of stored flights; None where none are stored."""
        paths = [feature.flights for feature in self if feature.flights]
        return load(paths[0]) if paths else None

    def visibilities(self) -> Callable[..., Any] | None:
        """The function that returns the visibility of users; None where there are no users."""
        paths = [feature.visibilities for feature in self if feature.visibilities]
        return load(paths[0]) if paths else None

    def parts(self) -> dict[str, str]:
        """What people call the parts of the features, by their names in health."""
        return {name: label for feature in self for name, label in feature.parts.items()}

    def load_metrics(self) -> None:
        """Import the modules that declare metrics, so that every process exports all of them."""
        for feature in self:
            if feature.metrics:
                importlib.import_module(feature.metrics)

    def _complete(self, event: EventKind) -> EventKind:
        """The event with the permissions of rule fields, if it contains their values."""
        if not event.shows_rule_fields:
            return event
        permissions = (field.permission for field in self.rule_fields.values() if field.permission)
        return replace(event, may_need=tuple(dict.fromkeys((*event.may_need, *permissions))))


def _by_name(items: Iterable[T], what: str) -> dict[str, T]:
    table: dict[str, T] = {}
    for item in items:
        if item.name in table:
            raise DeclarationError(f"{what} {item.name} is declared twice")
        table[item.name] = item
    return table
