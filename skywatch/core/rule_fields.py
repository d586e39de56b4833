"""Fields of alert rules that features declare, for conditions on more than the picture's own members.

``declare`` adds those of the installed features once a process, as ``skywatch.core.problems`` does with error codes:
rules are parsed in many places that have no settings at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from skywatch.core.hooks import Hook

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from skywatch.core.runtime import Runtime

# What a field can be compared as; see the ops of each kind in the manual.
KINDS = ("number", "text", "flag")


@dataclass(frozen=True, kw_only=True)
class RuleEvents:
    """Events of aircraft on a topic of the bus, on which rules are tested as they arrive.

    The data of an event is a JSON object with ``icao_hex``, and optionally ``registration``, ``callsign``, ``military``
    and ``at`` (unix seconds or ISO 8601), in addition to the members of the fields. ``singular`` (``an ACARS message``)
    and ``plural`` name the events in texts for people. Where events are stored,
    ``past(session, begin, end, visibility)`` returns those of a span (unix seconds, ``end`` not included) that a caller
    may see, in their order, for dry runs over history.
    """

    topic: str
    singular: str
    plural: str
    past: Callable[[Session, float, float, Any], Sequence[bytes]] | None = None


@dataclass(frozen=True, kw_only=True)
class RuleState:
    """A state of the installation that belongs to no aircraft; a test of it is alone in its rule, with ``eq``.

    ``fault(runtime, session, value, user_id, manages_all)`` returns why a user may not write a rule with this value,
    or None. ``holds(runtime)`` is called in the tracker's process; it returns a function ``(value, user_id,
    manages_all)`` that says at every tick whether the state holds for a user, None where that is not known yet. Where
    values are names of things of a ``kind`` (``feeder``) whose feature announces a new name
    (``skywatch.core.hooks.AfterRename``), rules get the new one.
    """

    fault: Callable[[Runtime, Session, str, int | None, bool], str | None]
    holds: Callable[[Runtime], Callable[[str, int, bool], bool | None]]
    kind: str = ""


@dataclass(frozen=True, kw_only=True)
class RuleField(Hook):
    """A field of alert rules: a ``column`` of the picture (``COLUMNS`` of ``skywatch.picture.state.sky``), the text
    under ``member`` of ``events``, or a ``state`` of the installation.

    ``also`` is a column that has the same in other words (another code of the same airport): a test holds for a column
    if it holds for one of the two, and ``ne`` if it holds for both. ``permission`` is needed to write a rule on the
    field and to read its value in an alert. Of the ops of its kind the field takes ``ops``, all without them;
    ``is_null`` among them asks whether there is no value, which is ``inf`` in the column.
    ``value_fault`` returns what is wrong with a value, or None.
    """

    label: ClassVar[str] = "rule field"
    name: str
    kind: str
    meaning: str
    column: str = ""
    also: str = ""
    events: RuleEvents | None = None
    state: RuleState | None = None
    member: str = ""
    permission: str = ""
    ops: tuple[str, ...] = ()
    value_fault: Callable[[str], str | None] | None = None

    def fault(self) -> str | None:
        """What is wrong with the declaration, or None."""
        if self.kind not in KINDS:
            return f"has kind {self.kind!r}; known are {', '.join(KINDS)}"
        if bool(self.column) + (self.events is not None) + (self.state is not None) != 1:
            return "needs either a column, events or a state"
        if self.state is not None and self.kind != "text":
            return "is a state: it needs kind text"
        if self.events is not None and (self.kind != "text" or not self.member):
            return "is of events: it needs kind text and a member"
        return None


DECLARED: dict[str, RuleField] = {}


def declare(fields: Iterable[RuleField]) -> None:
    """Add the fields of features; raises ValueError for a name with another meaning."""
    for field in fields:
        if DECLARED.setdefault(field.name, field) != field:
            raise ValueError(f"rule field {field.name} is declared twice")
