"""What a feature can provide to others: a typed object for each kind, listed in its ``Feature.provides``.

A hook stands in ``hooks.py`` of the package that asks for it. Here are those whose asker the feature may not import: a
sibling, or a package above it.

Most hooks hold a function of the feature's ``feature.py`` that imports what it needs when it is called: an API process
loads no detector, and ``skywatch --help`` loads next to nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from skywatch.core.backups import Restoration, StoredFolder
from skywatch.settings import Role, Settings

if TYPE_CHECKING:
    import colander
    from sqlalchemy import FromClause
    from sqlalchemy.orm import Session

    from skywatch.core.feature import FeatureSet
    from skywatch.core.runtime import Runtime
    from skywatch.core.storage.audit import Actor
    from skywatch.core.terminal.checks import Finding, Inspection


class Hook:
    """The base of every hook. Of hooks of one class with a ``name``, each name may be declared once.

    ``label`` says in an error what such a hook is.
    """

    label: ClassVar[str] = "hook"


class RunningService(Protocol):
    """A part that runs on the event loop of a role."""

    async def start(self) -> None:
        """Return when the part is running; raise if it cannot start."""

    async def stop(self) -> None:
        """Return when the part has finished all accepted work."""


@dataclass(frozen=True, kw_only=True)
class Service(Hook):
    """A part that runs on the event loop of one role; with the tracker, in the fenced runtime.

    ``create`` returns None where this installation has no use for it.
    """

    role: Role
    create: Callable[[Runtime], RunningService | None]


@dataclass(frozen=True)
class DoctorCheck(Hook):
    """What ``skywatch doctor`` checks for the feature."""

    check: Callable[[Inspection], Iterator[Finding]]


@dataclass(frozen=True)
class PartLabels(Hook):
    """What people call the parts of the feature that health names: name -> label."""

    labels: Mapping[str, str]


def labels_of(features: FeatureSet) -> dict[str, str]:
    """What people call the parts of all features, by their names in health."""
    return {name: label for hook in features.provided(PartLabels) for name, label in hook.labels.items()}


@dataclass(frozen=True, kw_only=True)
class EditableInputs:
    """How administrators add to a family of inputs in the console.

    ``check(name, text)`` raises SettingsError where the ini file's parser would, and IniOnlyError for what is not on
    the list of what the console may set. ``trial(name, text, station, within_s)`` returns a
    ``skywatch.inputs.trial.Trial``. ``example`` is a text of such an input.
    """

    check: Callable[[str, str], None]
    trial: Callable[[str, str, tuple[float, float] | None, float], Coroutine[Any, Any, Any]]
    example: str


@dataclass(frozen=True, kw_only=True)
class InputFamily(Hook):
    """Inputs of a feature: settings that begin with ``prefix`` (``balloon.``); ``title`` is one of them for people.

    ``open(runtime, name, text)`` returns a ``skywatch.inputs.base.Input`` or raises SettingsError; the tracker runs it.
    Without ``open`` the tracker itself opens them. Those that are ``editable`` may be stored in the database.
    """

    label: ClassVar[str] = "family of inputs"
    prefix: str
    title: str
    open: Callable[[Runtime, str, str], Any] | None = None
    editable: EditableInputs | None = None

    @property
    def name(self) -> str:
        """The family in answers of the API: the prefix without its dot."""
        return self.prefix.removesuffix(".")


def opened_families(features: FeatureSet) -> dict[str, Callable[[Runtime, str, str], Any]]:
    """The prefix of each family of inputs that features open, and the function that opens one."""
    return {family.prefix: family.open for family in features.provided(InputFamily) if family.open is not None}


def editable_inputs(features: FeatureSet) -> dict[str, EditableInputs]:
    """The families of inputs that may be stored in the database, by prefix."""
    families = features.provided(InputFamily)
    return {family.prefix: family.editable for family in families if family.editable is not None}


@dataclass(frozen=True)
class StoredFolders(Hook):
    """The folders of files that backups contain."""

    folders: Callable[[Settings], list[StoredFolder]]


@dataclass(frozen=True, kw_only=True)
class SimulatedRows(Hook):
    """Rows of a feature of which the column ``simulated`` says that they are of simulated aircraft.

    ``title`` is what people call them, empty where nobody counts them; ``rows`` names their model as
    ``module:Model``. ``clean`` names a function ``(sessions, since, pause)`` that removes, before the rows, what of
    them is stored otherwise, of unix seconds ``since`` on (None: all of it); ``pause`` is called between its steps.
    """

    title: str
    rows: str
    clean: str = ""


@dataclass(frozen=True)
class AfterRestore(Hook):
    """What the feature mends in the transaction that completes a restore."""

    complete: Callable[[Session, Restoration], None]


@dataclass(frozen=True)
class AfterRename(Hook):
    """What the feature does in the transaction that renames a thing which it may refer to by its name.

    ``follow(session, actor, kind, before, after)`` is told the ``kind`` of the thing (``feeder``) and its two names.
    """

    follow: Callable[[Session, Actor, str, str, str], None]


@dataclass(frozen=True)
class MarkedAircraft(Hook):
    """Which aircraft maps mark for a user: user id -> addresses.

    It is asked again when an event of the feature's topics was published.
    """

    read: Callable[[Session], Mapping[int, Iterable[str]]]


@dataclass(frozen=True)
class WatchedAircraft(Hook):
    """Which of some aircraft a user watches by lists of their own.

    ``read(session, user_id, names)`` is given addresses (upper case), each with its registration and callsign, empty
    where they are unknown or may not be seen; it returns the addresses of those that are watched.
    """

    read: Callable[[Session, int, Mapping[str, tuple[str, str]]], Set[str]]


@dataclass(frozen=True, kw_only=True)
class AircraftMember(Hook):
    """A member of one aircraft in the API that another feature than ``aircraft`` provides.

    ``schema()`` is a colander node that allows null. ``values(runtime, session, addresses, visibility)`` returns the
    values by address (upper case) for a caller with one of the ``permissions``; other callers get null, and so does an
    aircraft without a value.
    """

    label: ClassVar[str] = "member of an aircraft"
    name: str
    schema: Callable[[], colander.SchemaNode]
    permissions: tuple[str, ...]
    values: Callable[[Runtime, Session, Set[str], Any], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class AddressList(Hook):
    """Aircraft of a kind by their address, for the class of that name in alert rules.

    ``revision`` is a value that changes with the list.
    """

    label: ClassVar[str] = "address list"
    name: str
    revision: Callable[[Session], Any]
    addresses: Callable[[Session], Sequence[str]]


@dataclass(frozen=True)
class StoredFlights(Hook):
    """The table of stored flights, for features that look for the flight of an aircraft; at most one feature has it.

    A row each with ``id``, ``icao_hex``, ``callsign``, ``registration``, ``military``, ``first_seen_at`` and
    ``last_seen_at``.
    """

    table: Callable[[], FromClause]


def stored_flights(features: FeatureSet) -> FromClause | None:
    """The table of stored flights; None where none are stored."""
    hook = features.only(StoredFlights)
    return hook.table() if hook is not None else None


@dataclass(frozen=True)
class PastPictures(Hook):
    """Stored pictures of a span, as encoded JSON (``{now, aircraft}``); at most one feature has them.

    ``read(session, begin, end, step_s, visibility)`` yields them.
    """

    read: Callable[[Session, float, float, float, Any], Iterator[bytes]]
