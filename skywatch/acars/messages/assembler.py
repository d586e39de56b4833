"""``Assembler``: bursts become messages. The windows go by the messages' own time.

The same burst within 2 s from another station or on another frequency is the same message; the same again within 120 s
is a repeat; parts with the letters of one message number within 120 s are one text, in whatever order they come.
Where a live input's clock is more than ten minutes off, the time of arrival counts.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TypeVar

from skywatch.acars.envelopes import Burst
from skywatch.acars.messages.draft import BurstReception, Draft

T = TypeVar("T")
SAME_BURST_S = 2.0
REPEAT_S = 120.0
PARTS_S = 120.0
# An incomplete text is shown after this long.
INCOMPLETE_S = 30.0
CLOCK_ERROR_S = 600.0
# What is remembered for the windows: more than a busy network of stations sends in two minutes.
MAX_REMEMBERED = 200_000
# Texts that wait for parts at a time; of more, the oldest is shown as it is.
MAX_WAITING = 2_000


@dataclass(frozen=True)
class Step:
    """What became of a burst: a new message, or one that changed."""

    draft: Draft
    is_new: bool


@dataclass
class _Heard:
    """One burst that was received lately: its message, its time, and by which station on which frequency."""

    draft: Draft
    at: float
    receivers: set[tuple[str, float | None]]


class Assembler:
    """Takes bursts in the order of arrival; for one thread at a time. ``is_live`` inputs have a clock to compare."""

    def __init__(self, is_live: bool = True) -> None:
        self._is_live = is_live
        self._recent: OrderedDict[Hashable, _Heard] = OrderedDict()
        self._texts: OrderedDict[Hashable, Draft] = OrderedDict()
        # In the order in which they began.
        self._waiting: dict[int, Draft] = {}
        self.merged = self.repeated = self.joined = 0

    def add(self, burst: Burst, received_at: float, input_name: str = "") -> list[Step]:
        """The steps that a burst makes; ``received_at`` in unix seconds."""
        at = self._time_of(burst, received_at)
        self._forget(at)
        reception = BurstReception(burst.station, at, burst.level_db, burst.frequency_mhz)
        key = _key(burst)
        heard = self._recent.get(key)
        if heard is not None and abs(at - heard.at) <= REPEAT_S:
            heard.draft.identify(burst)
            return self._count(heard, reception)
        earlier = self._text_of(burst, at)
        if earlier is not None and burst.sequence in earlier.parts:
            # A part of a text that is here already, as another station or the same one received it again.
            self._remember(self._recent, key, _Heard(earlier, at, {(burst.station, burst.frequency_mhz)}))
            self.repeated += 1
            earlier.add_repeat()
            return self._changed(earlier)
        if earlier is not None:
            self._remember(self._recent, key, _Heard(earlier, at, {(burst.station, burst.frequency_mhz)}))
            return self._join(earlier, burst)
        draft = Draft(burst, at, received_at, input_name, receptions=[reception])
        draft.add_part(burst)
        self._remember(self._recent, key, _Heard(draft, at, {(burst.station, burst.frequency_mhz)}))
        if burst.message_number and burst.sequence:
            self._remember(self._texts, _text_key(burst), draft)
        if draft.is_incomplete:
            return self._wait(draft)
        return [Step(draft, True)]

    def _wait(self, draft: Draft) -> list[Step]:
        """Wait for the missing parts; where too many texts do, the one that has waited longest is shown."""
        self._waiting[id(draft)] = draft
        if len(self._waiting) <= MAX_WAITING:
            return []
        return [Step(self._waiting.pop(next(iter(self._waiting))), True)]

    def due(self, now: float) -> list[Step]:
        """Incomplete texts that have waited long enough; ``now`` on the clock of the messages."""
        due = [draft for draft in self._waiting.values() if now - draft.at >= INCOMPLETE_S]
        for draft in due:
            del self._waiting[id(draft)]
        return [Step(draft, True) for draft in due]

    def finish(self) -> list[Step]:
        """Everything that still waits, at the end of the input."""
        return self.due(float("inf"))

    def _time_of(self, burst: Burst, received_at: float) -> float:
        if burst.at is None or (self._is_live and abs(burst.at - received_at) > CLOCK_ERROR_S):
            return received_at
        return burst.at

    def _text_of(self, burst: Burst, at: float) -> Draft | None:
        """The message that a further part belongs to."""
        if not burst.message_number or not burst.sequence:
            return None
        draft = self._texts.get(_text_key(burst))
        if draft is None or abs(at - draft.at) > PARTS_S:
            return None
        part = draft.parts.get(burst.sequence)
        if part is not None:
            # The same letter with another text is another message: numbering restarts.
            return draft if part.text.rstrip().endswith(burst.text.strip()) and burst.text.strip() else None
        # Every message begins with the first letter: another one goes on with the latest of its number.
        return draft

    def _count(self, heard: _Heard, reception: BurstReception) -> list[Step]:
        """The same burst at another station or on another frequency, or the same again."""
        receiver = (reception.station, reception.frequency_mhz)
        if abs(reception.at - heard.at) <= SAME_BURST_S and receiver not in heard.receivers:
            heard.receivers.add(receiver)
            self.merged += 1
            heard.draft.add_reception(reception)
        else:
            self.repeated += 1
            heard.draft.add_repeat()
        return self._changed(heard.draft)

    def _changed(self, draft: Draft) -> list[Step]:
        return [] if id(draft) in self._waiting else [Step(draft, False)]

    def _join(self, draft: Draft, burst: Burst) -> list[Step]:
        self.joined += 1
        draft.add_part(burst)
        if id(draft) not in self._waiting:
            return [Step(draft, False)]
        if draft.is_incomplete:
            return []
        del self._waiting[id(draft)]
        return [Step(draft, True)]

    def _remember(self, table: OrderedDict[Hashable, T], key: Hashable, entry: T) -> None:
        table[key] = entry
        table.move_to_end(key)
        while len(table) > MAX_REMEMBERED:
            table.popitem(last=False)

    def _forget(self, now: float) -> None:
        """Drop what is older than the windows; both tables are about in the order of time."""
        while self._recent and now - next(iter(self._recent.values())).at > REPEAT_S + SAME_BURST_S:
            self._recent.popitem(last=False)
        while self._texts and now - next(iter(self._texts.values())).at > PARTS_S + SAME_BURST_S:
            self._texts.popitem(last=False)


def _key(burst: Burst) -> Hashable:
    """What is the same for the same burst, whichever program received it."""
    who = burst.registration or burst.icao_hex or ""
    number = (burst.message_number, burst.sequence)
    return burst.direction, who, burst.label, burst.block_id, number, burst.text.rstrip()


def _text_key(burst: Burst) -> Hashable:
    who = burst.registration or burst.icao_hex or burst.flight or ""
    return who, burst.label, burst.message_number
