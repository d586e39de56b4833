"""Tests as masks: where a test is surely true, or, negated, where it is surely false.

An unknown value makes both masks false, so that ``and`` and ``or`` over these masks are Kleene's logic once ``not``
has been moved down to the tests. Every literal computes its mask for all slots (``update``) or for a few (``at``);
there ``slack`` 1 moves its boundaries by the margin so that it holds more often, -1 so that it holds less often.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from skywatch.alerts.conditions.tree import Test
from skywatch.alerts.engine.operands.bits import WORD, Words, nothing, packed
from skywatch.alerts.engine.operands.environment import Environment
from skywatch.core.process.deadline import paced

Mask = npt.NDArray[np.bool_]
Slots = npt.NDArray[np.intp]
Predicate = Callable[[str], bool]

_COMPLEMENT = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}
_COMPARE = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal}


class Literal:
    """One test or its negation; ``bits`` is its result at this tick, ``changed`` whether that may be new.

    ``doubt`` are the bits of what it tests (``picture.state.doubt``).
    """

    doubt = 0

    def __init__(self) -> None:
        self.bits: Words = np.zeros(0, np.uint64)
        self.changed = True

    def update(self, environment: Environment) -> None:
        """Update ``bits`` for a tick."""
        raise NotImplementedError

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The mask of these slots."""
        raise NotImplementedError

    def surely(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The mask of these slots where what is in doubt counts as unknown."""
        result: Mask = self.at(environment, slots, slack) & (environment.board.doubt()[slots] & self.doubt == 0)
        return result


class Nowhere(Literal):
    """A test that the owner has no right to: unknown for every aircraft."""

    def update(self, environment: Environment) -> None:
        """Never true."""
        self.changed = len(self.bits) * WORD != environment.board.capacity
        if self.changed:
            self.bits = nothing(environment.board.capacity)

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """Never true."""
        return np.zeros(len(slots), bool)


class Everywhere(Literal):
    """Placeholder of a test that is not decided yet: any aircraft may meet it."""

    def update(self, environment: Environment) -> None:
        """True for every aircraft."""
        self.bits, self.changed = packed(environment.board.present), True

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """True for every aircraft."""
        present: Mask = environment.board.present[slots]
        return present


class NumberLiteral(Literal):
    """A column compared with a bound."""

    def __init__(self, test: Test, negated: bool) -> None:
        super().__init__()
        self._column = test.field.column
        self._op = _COMPLEMENT[test.op] if negated else test.op
        self._bound = float(test.value)
        field = test.field
        self._margin = max(field.margin or 0.0, field.share * abs(self._bound) if _scales(test) else 0.0)

    def update(self, environment: Environment) -> None:
        """Compare the whole column; NaN is never true."""
        column = environment.board.number(self._column)
        if self._op == "ne":
            self.bits = packed((column != self._bound) & (column == column))
        else:
            self.bits = packed(_COMPARE[self._op](column, self._bound))
        self.changed = True

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """Compare a few values, with the bound moved by the margin."""
        values = environment.board.number(self._column)[slots]
        is_known = values == values
        room = slack * self._margin
        if self._op in ("eq", "ne"):
            near = np.abs(values - self._bound) <= max(room if self._op == "eq" else -room, 0.0)
            result: Mask = is_known & (near if self._op == "eq" else ~near)
            return result
        compared: Mask = _COMPARE[self._op](values, self._bound + (room if self._op in ("lt", "le") else -room))
        return compared


def _scales(test: Test) -> bool:
    return test.field.margin is None or test.field.name == "distance_nm"


class MembershipLiteral(Literal):
    """A column of numbers that is, or is not, one of a list."""

    def __init__(self, test: Test, negated: bool) -> None:
        super().__init__()
        self._column = test.field.column
        self._values = sorted(value for value in test.value if not isinstance(value, str))
        self._ground = "ground" in test.value
        self._negated = negated

    def update(self, environment: Environment) -> None:
        """Compare the whole column with the list."""
        self.bits, self.changed = packed(self._of(environment, None)), True

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """Compare a few values with the list."""
        return self._of(environment, slots)

    def _of(self, environment: Environment, slots: Slots | None) -> Mask:
        values, ground = environment.board.number(self._column), environment.board.flag("on_ground")
        if slots is not None:
            values, ground = values[slots], ground[slots]
        result: Mask = np.isin(values, self._values)
        is_known = values == values
        if self._ground:
            result, is_known = result | ground, is_known | ground
        return is_known & ~result if self._negated else result


class NullLiteral(Literal):
    """Whether a column has no value; unknown before that was looked up."""

    def __init__(self, column: str, expected: bool) -> None:
        super().__init__()
        self._column, self._expected = column, float(expected)

    def update(self, environment: Environment) -> None:
        """Compare the whole column; NaN is never true."""
        self.bits, self.changed = packed(environment.board.null(self._column) == self._expected), True

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The same for a few slots."""
        result: Mask = environment.board.null(self._column)[slots] == self._expected
        return result


# Flag -> the time of the value it comes from; other flags come from several.
_KNOWN_SINCE = {"emergency": "squawk_at", "on_ground": "altitude_at", "mlat": "position_at", "tisb": "position_at"}


class FlagLiteral(Literal):
    """A column of truth values. After a start what was not received yet is not surely false: see ``at``."""

    def __init__(self, column: str, expected: bool) -> None:
        super().__init__()
        self._column = column
        self._expected = expected

    def update(self, environment: Environment) -> None:
        """The column, or its complement among the aircraft present."""
        column = environment.board.flag(self._column)
        bits = packed(column if self._expected else environment.board.present & ~column)
        self.changed = not np.array_equal(bits, self.bits)
        self.bits = bits

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The same for a few slots; with negative slack a flag is not surely unset before its value is known."""
        values: Mask = environment.board.flag(self._column)[slots]
        if self._expected:
            return values
        unset: Mask = environment.board.present[slots] & ~values
        return unset & self._is_known(environment, slots) if slack < 0 and not environment.is_complete else unset

    def _is_known(self, environment: Environment, slots: Slots) -> Mask:
        since = _KNOWN_SINCE.get(self._column)
        if since is None:
            return np.zeros(len(slots), bool)
        is_present: Mask = ~np.isnan(environment.board.number(since)[slots])
        return is_present


class GroundLiteral(Literal):
    """Whether the barometric altitude is ``ground``, or surely is not."""

    def __init__(self, expected: bool) -> None:
        super().__init__()
        self._expected = expected

    def update(self, environment: Environment) -> None:
        """On the ground, or with an altitude."""
        self.bits, self.changed = packed(self._of(environment)), True

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The same for a few slots."""
        return self._of(environment)[slots]

    def _of(self, environment: Environment) -> Mask:
        board = environment.board
        mask: Mask = board.flag("on_ground") if self._expected else ~np.isnan(board.number("alt_baro_ft"))
        return mask


class TextLiteral(Literal):
    """A predicate over a column of texts, evaluated once for each text of the vocabulary."""

    def __init__(self, column: str, predicate: Predicate, negated: bool) -> None:
        super().__init__()
        self._column = column
        self._predicate = predicate
        self._negated = negated
        # The empty text is unknown: neither true nor false.
        self._verdict: Mask = np.zeros(1, bool)
        self._generation = self._bits_generation = -1
        self._mask: Mask = np.zeros(0, bool)

    def update(self, environment: Environment) -> None:
        """Evaluate new texts, and update the slots whose text changed."""
        column = environment.board.text(self._column)
        verdict = self._verdict_of(environment)
        if self._bits_generation != column.generation or len(self._mask) != environment.board.capacity:
            self._bits_generation = column.generation
            self._mask = verdict[column.codes]
            self.changed = True
        elif len(column.changed):
            now = verdict[column.codes[column.changed]]
            self.changed = bool((self._mask[column.changed] != now).any())
            self._mask[column.changed] = now
        else:
            self.changed = False
        if self.changed:
            self.bits = packed(self._mask)

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The same for a few slots."""
        codes = environment.board.text(self._column).codes
        result: Mask = self._verdict_of(environment)[codes[slots]]
        return result

    def _verdict_of(self, environment: Environment) -> Mask:
        column = environment.board.text(self._column)
        if self._generation != column.generation:
            self._generation = column.generation
            self._verdict = np.zeros(1, bool)
        evaluated = len(self._verdict)
        if evaluated < len(column.texts):
            ask, negated = self._predicate, self._negated
            texts = paced(column.texts[evaluated:], environment.checkpoint)
            more = [ask(text) is not negated for text in texts]
            self._verdict = np.append(self._verdict, np.array(more, bool))
        return self._verdict


class FenceLiteral(Literal):
    """Within a geofence, or crossing its boundary at this tick."""

    def __init__(self, test: Test, negated: bool) -> None:
        super().__init__()
        self._id: int = test.value
        self._op = test.op
        self._negated = negated

    def update(self, environment: Environment) -> None:
        """Use the masks of the geofence."""
        state = environment.fences.states[self._id]
        self.changed = self._negated or state.changed or len(self.bits) * WORD != environment.board.capacity
        if self.changed:
            self.bits = packed(self._of(environment))

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """A few slots; with slack, entering holds for as long as the aircraft is inside, and leaving while outside."""
        if slack == 0:
            return self._of(environment)[slots]
        # A test that it is inside is eased by a larger geofence, one that it is outside by a smaller one.
        asks_inside = (self._op != "leaves") is not self._negated
        inside, outside = environment.fences.around(
            environment.board, self._id, slots, grown=(slack > 0) is asks_inside
        )
        return inside if asks_inside else outside

    def surely(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """Where the place, and the altitude if the geofence has a band, is not in doubt; of a crossing, both places."""
        state = environment.fences.states[self._id]
        if state.surely is not None and self._op != "within" and not self._negated and slack == 0:
            crossed = state.surely.entered if self._op == "enters" else state.surely.exited
            return crossed[slots]
        self.doubt = state.doubt
        return super().surely(environment, slots, slack)

    def _of(self, environment: Environment) -> Mask:
        state = environment.fences.states[self._id]
        if self._op == "within":
            return state.outside() if self._negated else state.inside
        crossed = state.entered if self._op == "enters" else state.exited
        return (state.inside | state.outside()) & ~crossed if self._negated else crossed


class DocumentLiteral(Literal):
    """A test of a member without a column, for those aircraft whose JSON object was decoded."""

    def __init__(self, member: str, holds: Callable[[Any, int], bool | None], negated: bool) -> None:
        super().__init__()
        self._member = member
        self._holds = holds
        self._negated = negated

    def update(self, environment: Environment) -> None:
        """Test the decoded objects; no other aircraft meets the rest of the rule."""
        mask = np.zeros(environment.board.capacity, bool)
        slots = np.array(list(environment.documents), np.intp)
        mask[slots] = self.at(environment, slots, 0)
        self.bits, self.changed = packed(mask), True

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """Test a few aircraft; decodes their objects if needed."""
        environment.read(slots)
        expected = not self._negated
        documents = environment.documents
        room = -slack if self._negated else slack
        return np.array(
            [
                self._of(documents.get(slot, {}), room) is expected
                for slot in paced(slots.tolist(), environment.checkpoint)
            ],
            bool,
        )

    def _of(self, document: dict[str, Any], slack: int) -> bool | None:
        value = document.get(self._member)
        return None if value is None else self._holds(value, slack)


class MessageLiteral(Nowhere):
    """A test of a message of an aircraft; unknown while there is none."""

    def __init__(self, member: str, predicate: Predicate, negated: bool) -> None:
        super().__init__()
        self._member = member
        self._predicate = predicate
        self._negated = negated

    def at(self, environment: Environment, slots: Slots, slack: int) -> Mask:
        """The sender of the message."""
        text = (environment.message or {}).get(self._member, "")
        holds = bool(text) and self._predicate(text) is not self._negated
        return np.full(len(slots), holds and slack == 0)
