"""What a feature is made of: one frozen ``Feature`` for each, from which the tables of an installation are derived.

A feature's package has a module ``feature.py`` with its ``FEATURE``; ``skywatch/features.py`` lists them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from skywatch.core.hooks import Hook
from skywatch.core.problems import KINDS, ProblemKind
from skywatch.core.rule_fields import RuleField
from skywatch.settings import Settings, compose

if TYPE_CHECKING:
    import colander
    from sqlalchemy.orm import Session

    from skywatch.core.storage.retention import Kind


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
    ``shows_rule_fields`` contain values of rule fields, and may need the permissions of these too.
    ``content`` is the schema of its data (None: any object). ``written(session, events)`` is called in a transaction of
    its own with what the real-time channel has written to a connection of a user in their audience.
    """

    name: str
    topic: str
    content: Callable[[], type[colander.SchemaNode]] | None = None
    needs: tuple[str, ...] = ()
    oversight: str | None = None
    may_need: tuple[str, ...] = ()
    shows_rule_fields: bool = False
    written: Callable[[Session, Sequence[WrittenEvent]], None] | None = None


@dataclass(frozen=True)
class WrittenEvent:
    """The data of an event, and when it was written to a connection of its user."""

    data: bytes
    at: datetime


@dataclass(frozen=True, kw_only=True)
class Feature:
    """What a feature is; ``provides`` is what it does for others.

    What begins with an import that an API process or ``skywatch --help`` may not need is a function, which imports
    when it is called.
    """

    name: str
    # What it brings to an installation, in the sentence about it (``live aircraft``); empty where that says nothing.
    title: str = ""
    # Package whose ``includeme`` adds the resources of the feature to the application, as Pyramid takes it.
    include: str = ""
    # Frozen dataclass whose fields are declared with ``skywatch.settings.setting``.
    settings: type | None = None
    topics: tuple[Topic, ...] = ()
    events: tuple[EventKind, ...] = ()
    # What retention limits.
    retention: Callable[[], Sequence[Kind]] | None = None
    problems: tuple[ProblemKind, ...] = ()
    # Groups of its operations in the OpenAPI document -> what they are for.
    tags: Mapping[str, str] = field(default_factory=dict)
    # Module that declares the metrics of the feature.
    metrics: str = ""
    # Name of a subcommand of ``skywatch`` -> ``module:command``, as click's lazy groups have it.
    commands: Mapping[str, str] = field(default_factory=dict)
    provides: tuple[Hook, ...] = ()


class DeclarationError(Exception):
    """Two features declare the same name, or one names something that no feature declares."""


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)
H = TypeVar("H", bound=Hook)


def load(path: str) -> Any:
    """The object that ``module:attribute`` names."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


class FeatureSet:
    """The features of an installation, and the tables that are derived from them."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self._features = tuple(features)
        by_name(self._features, "feature")
        self._hooks: dict[type[Hook], list[Hook]] = {}
        for hook in (hook for feature in self for hook in feature.provides):
            self._hooks.setdefault(type(hook), []).append(hook)
        for kind, hooks in self._hooks.items():
            by_name((hook for hook in hooks if hasattr(hook, "name")), kind.label)
        for rule_field in self.provided(RuleField):
            if fault := rule_field.fault():
                raise DeclarationError(f"rule field {rule_field.name} {fault}")
        self.topics: dict[str, Topic] = by_name((t for f in self for t in f.topics), "topic")
        self.events: dict[str, EventKind] = by_name((self._complete(e) for f in self for e in f.events), "event")
        self.problems: dict[str, ProblemKind] = _without_common(p for f in self for p in f.problems)
        self.commands: dict[str, str] = _joined((feature.commands for feature in self), "command")
        self.tags: dict[str, str] = _joined((feature.tags for feature in self), "tag")
        for event in self.events.values():
            if event.topic not in self.topics:
                raise DeclarationError(f"event {event.name} is on topic {event.topic}, which no feature declares")

    def __iter__(self) -> Iterator[Feature]:
        return iter(self._features)

    def provided(self, kind: type[H]) -> list[H]:
        """The hooks of a class that the features provide, in the order of the list."""
        return cast(list[H], list(self._hooks.get(kind, ())))

    def only(self, kind: type[H]) -> H | None:
        """The hook of a class that one feature provides, None where none does; raises DeclarationError for two."""
        hooks = self.provided(kind)
        if len(hooks) > 1:
            raise DeclarationError(f"{kind.__name__} is provided by {len(hooks)} features; one may have it")
        return hooks[0] if hooks else None

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

    def titles(self) -> list[str]:
        """What the features bring to an installation, in words for people."""
        return [feature.title for feature in self if feature.title]

    def retention_kinds(self) -> list[Kind]:
        """What retention limits, by name."""
        kinds = [kind for feature in self if feature.retention is not None for kind in feature.retention()]
        return sorted(kinds, key=lambda kind: kind.name)

    def load_metrics(self) -> None:
        """Import the modules that declare metrics, so that every process exports all of them."""
        for feature in self:
            if feature.metrics:
                importlib.import_module(feature.metrics)

    def _complete(self, event: EventKind) -> EventKind:
        """The event with the permissions of rule fields, if it contains their values."""
        if not event.shows_rule_fields:
            return event
        permissions = (field.permission for field in self.provided(RuleField) if field.permission)
        return replace(event, may_need=tuple(dict.fromkeys((*event.may_need, *permissions))))


def by_name(items: Iterable[T], what: str) -> dict[str, T]:
    """The items by their names; raises DeclarationError for a name that two have."""
    table: dict[str, T] = {}
    for item in items:
        if item.name in table:
            raise DeclarationError(f"{what} {item.name} is declared twice")
        table[item.name] = item
    return table


def _without_common(kinds: Iterable[ProblemKind]) -> dict[str, ProblemKind]:
    table = by_name((*KINDS.values(), *kinds), "error code")
    return {code: kind for code, kind in table.items() if code not in KINDS}


def _joined(tables: Iterable[Mapping[str, str]], what: str) -> dict[str, str]:
    joined: dict[str, str] = {}
    for name, text in ((name, text) for table in tables for name, text in table.items()):
        if name in joined:
            raise DeclarationError(f"{what} {name} is declared twice")
        joined[name] = text
    return joined
