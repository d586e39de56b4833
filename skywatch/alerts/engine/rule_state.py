"""The state of a rule between ticks: which aircraft match since when, and which of them were announced."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice

import numpy as np
import numpy.typing as npt

from skywatch.alerts.engine.operands.bits import WORD, Slots, Words, clear, count_of, is_set, slots_of
from skywatch.alerts.engine.operands.board import Board
from skywatch.alerts.engine.operands.environment import Environment
from skywatch.alerts.engine.program import Compiled
from skywatch.alerts.engine.rule import NOBODY, Adopted, Cleared, Fired, Pair, Rule, Stored
from skywatch.picture.state.doubt import ALL, ALONE, SINGLE_SOURCE_WORDS, UNCONFIRMED_WORDS

# Time for which a matching aircraft without reception, or with unknown values, still counts as matching (s).
UNSEEN_S = 60.0
# Largest number of aircraft followed for one rule; a rule that matches more is too wide to be of use. Those that only
# strangers hear make way for others.
MAX_PAIRS = 5_000

Mask = npt.NDArray[np.bool_]


class Matching:
    """The state of one rule: takes the slots that changed, and decides which aircraft are announced or cleared."""

    def __init__(self, rule: Rule, compiled: Compiled, stored: Mapping[str, Stored], now: float) -> None:
        self.rule = rule
        self.compiled = compiled
        self.before: Words = np.zeros(0, np.uint64)
        """Where the rule was true at the last tick."""
        self._bytes = b""
        self.pairs: dict[str, Pair] = {
            address: Pair(active=match.active, true_until=now, fired_at=match.fired_at, in_doubt=match.in_doubt)
            for address, match in stored.items()
        }
        self.limbo = {address for address, pair in self.pairs.items() if pair.active}
        """Aircraft that were announced and are not surely matching now."""
        self.waiting: dict[str, None] = {}
        """Aircraft that match and may not be announced yet, in order."""
        self.ready: dict[str, None] = {}
        """Aircraft that match and may be announced, in order."""
        self.moments: dict[str, Fired] = {}
        """Alerts of something that lasted for a moment, described then, which wait for their turn, by address."""
        self.missed: Counter[bool] = Counter()
        """Alerts since the last tick that will not be announced, by whether only strangers heard what they were about:
        it ended while they waited."""
        self.cooling = {address for address, pair in self.pairs.items() if not pair.active}
        """Aircraft that do not match and are in their cooldown."""
        self.in_doubt = {address for address, pair in self.pairs.items() if pair.in_doubt}
        """Aircraft that were announced although nobody vouched for that."""
        # Whose aircraft those are that were stored is known once they are heard again. Nothing is told twice where
        # those give way that are not active: the database has their cooldown.
        self.strangers: dict[str, None] = dict.fromkeys(address for address in stored if not self.pairs[address].active)
        """Aircraft whose pairs may give way unless ours hear them: only strangers heard them, the newest last."""
        self.held: dict[str, float] = {}
        """Aircraft that match no longer only by what nobody vouches for, and since when: they match for a while."""
        self.left_out: Slots = np.zeros(0, np.intp)
        """The slots that match and are not followed, because there are too many."""
        self._displaced: dict[str, bool] = {}
        """Aircraft that made way for others since the last ``clear``, and whether they were announced."""
        self.due_at = now if stored else math.inf
        """The next time at which an aircraft becomes ready, or its state is dropped."""
        self.is_new = True
        self.state_holds: bool | None = None
        """Of a rule on a state of the installation: whether it holds at this tick, None where that is unknown."""
        self.adopts_late = False
        """Whether what matches for the first time in a picture that is not complete may have matched before."""

    def take_over(self, other: Matching) -> None:
        """Continue with the state of the same rule under another compilation."""
        self.before, self.pairs, self.limbo = other.before, other.pairs, other.limbo
        self.waiting, self.ready, self.moments = other.waiting, other.ready, other.moments
        self.cooling, self.missed, self._bytes = other.cooling, other.missed, b""
        self.due_at, self.is_new, self.adopts_late = other.due_at, other.is_new, other.adopts_late
        self.in_doubt, self.strangers, self.left_out = other.in_doubt, other.strangers, other.left_out
        self._displaced, self.held = other._displaced, other.held
        if (self.rule.for_s, self.rule.cooldown_s) != (other.rule.for_s, other.rule.cooldown_s):
            self.waiting, self.ready, self.due_at = self.ready | self.waiting, {}, -math.inf

    def adopt(self, environment: Environment, now: float) -> Adopted:
        """Treat the present matches as announced, those that were not."""
        rule = self.rule
        if rule.state is not None:
            addresses = [NOBODY] if self.state_holds else []
        elif rule.count is not None:
            addresses = [NOBODY] if self._count_holds(environment) else []
        else:
            slots, board = slots_of(self.compiled.true.bits), environment.board
            is_strangers = board.strangers()[slots]
            ours, others = slots[~is_strangers][:MAX_PAIRS].tolist(), slots[is_strangers].tolist()
            addresses = [board.addresses[slot] for slot in [*ours, *others[: MAX_PAIRS - len(ours)]]]
            self.strangers |= dict.fromkeys(addresses[len(ours) :])
        adopted = [address for address in addresses if not self.pairs.setdefault(address, Pair()).active]
        for address in adopted:
            pair = self.pairs[address]
            pair.active, pair.true_until = True, now
            self._note_doubt(address, bool(self.doubt(environment, address)))
            self.waiting.pop(address, None)
            self.ready.pop(address, None)
            self.limbo.add(address)
        is_last = environment.is_complete or not self.adopts_late
        in_doubt = frozenset(address for address in adopted if address in self.in_doubt)
        return Adopted(rule.id, rule.revision, tuple(adopted), now, is_last, in_doubt)

    def follow(self, environment: Environment, now: float) -> None:
        """Update with the changes of a tick."""
        step = self.compiled.true
        bits = step.bits
        if len(self.before) != len(bits):
            before = np.zeros(len(bits), np.uint64)
            before[: len(self.before)] = self.before[: len(bits)]
            self.before = before
        elif not step.changed and self._bytes and not self._goes_on:
            return
        # Comparing bytes is the fastest way to detect no change, which is the case at most ticks.
        now_bytes = bits.tobytes()
        if now_bytes == self._bytes and not self._goes_on:
            return
        slots = slots_of(bits ^ self.before)
        is_true = is_set(bits, slots)
        self._end_all(environment, slots[~is_true], now)
        self._begin_all(environment, slots[is_true], now)
        self.before, self._bytes = bits.copy(), now_bytes

    @property
    def _goes_on(self) -> bool:
        """Whether there is something to follow although nothing changed."""
        return bool(len(self.left_out) or self.held or self._displaced)

    def _end_all(self, environment: Environment, slots: Slots, now: float) -> None:
        """End these slots, and those held before; hold for a while what only somebody says whom nobody confirms."""
        board = environment.board
        if self.held:
            held = np.array([slot for address in self.held if (slot := board.slot(address)) is not None], np.intp)
            slots = np.append(slots, held[~is_set(self.compiled.true.bits, held)])
        kept = set(slots[self._fails_in_doubt(environment, slots)].tolist())
        for slot in slots.tolist():
            address = board.addresses[slot]
            pair = self.pairs.get(address)
            if pair is None:
                continue
            since = self.held.get(address, now)
            if slot in kept and pair.is_true and not pair.in_doubt and now - since < UNSEEN_S:
                self.held[address] = since
                # It is not announced meanwhile.
                if self.ready.pop(address, self) is None:
                    self.waiting[address], self.due_at = None, now
            else:
                self.end(address, since)

    def _fails_in_doubt(self, environment: Environment, slots: Slots) -> Mask:
        """Which of these slots fail the conditions, but only by what nobody vouches for; none of a moment."""
        result, board = np.zeros(len(slots), bool), environment.board
        if not board.has_doubt or self.rule.is_momentary:
            return result
        places = np.flatnonzero(board.doubt()[slots] & (ALL | ALONE))
        if len(places):
            false, some = self.compiled.false, slots[places]
            result[places] = false.at(environment, some, 0) & ~false.surely(environment, some, 0)
        return result

    def _begin_all(self, environment: Environment, slots: Slots, now: float) -> None:
        """Begin these slots, and of those that were left out as many as there is room for, ours before strangers'."""
        board, strangers, fresh = environment.board, environment.board.strangers(), slots.tolist()
        if board.has_strangers:
            fresh.sort(key=strangers.__getitem__)
        left_out = [
            slot
            for slot in fresh
            if not self.begin(board.addresses[slot], now, board, is_strangers=bool(strangers[slot]))
        ]
        if len(self.left_out):
            left_out += self._begin_left_out(environment, now)
        displaced = [board.slot(address) for address in self._displaced if address not in self.pairs]
        left_out += [slot for slot in displaced if slot is not None]
        if left_out or len(self.left_out):
            unique = np.array(list(dict.fromkeys(left_out)), np.intp)
            self.left_out = unique[is_set(self.compiled.true.bits, unique)]

    def _begin_left_out(self, environment: Environment, now: float) -> list[int]:
        """Begin those that were left out and still match, as far as there is room; returns the others."""
        board = environment.board
        again = self.left_out[is_set(self.compiled.true.bits, self.left_out)]
        is_strangers = board.strangers()[again]
        left_out = []
        for strangers, waiting in ((False, again[~is_strangers]), (True, again[is_strangers])):
            room = max(0, MAX_PAIRS - len(self.pairs) + (0 if strangers else len(self.strangers)))
            left_out += [
                slot
                for slot in waiting[:room].tolist()
                if not self.begin(board.addresses[slot], now, board, is_strangers=strangers)
            ]
            left_out += waiting[room:].tolist()
        return left_out

    def follow_count(self, environment: Environment, now: float) -> None:
        """Update with the number of matching aircraft at a tick; an unknown number is not true.

        What was announced of aircraft that are sure goes on with such aircraft only.
        """
        pair = self.pairs.get(NOBODY)
        is_sure = pair is not None and pair.active and not pair.in_doubt
        self._follow_nobody(self._count_holds(environment, only_sure=is_sure), now)

    def follow_state(self, now: float) -> None:
        """Update with ``state_holds``; a state that is unknown stays as it was."""
        if self.state_holds is not None:
            self._follow_nobody(self.state_holds, now)

    def _follow_nobody(self, holds: bool | None, now: float) -> None:
        pair = self.pairs.get(NOBODY)
        if holds and (pair is None or not pair.is_true):
            self.begin(NOBODY, now)
        elif not holds and pair is not None and pair.is_true:
            self.end(NOBODY, now)

    def begin(self, address: str, now: float, board: Board | None = None, *, is_strangers: bool = False) -> bool:
        """Record that the conditions became true; False where there is no room among the aircraft of the board."""
        pair = self.pairs.get(address)
        if pair is None:
            if board is not None and len(self.pairs) >= MAX_PAIRS and (is_strangers or not self._displace(board)):
                return False
            pair = self.pairs[address] = Pair()
        if is_strangers:
            self.strangers[address] = None
        else:
            self.strangers.pop(address, None)
        if self.held.pop(address, None) is not None:
            return True
        pair.is_true, pair.since, pair.true_until = True, now, now
        if pair.active:
            self.limbo.discard(address)
        else:
            self.waiting[address] = None
            self.due_at = min(self.due_at, pair.ready_at(self.rule))
        return True

    def _displace(self, board: Board) -> bool:
        """Drop the newest pair about an aircraft that ours do not hear; False where there is none."""
        while self.strangers:
            address = next(reversed(self.strangers))
            slot = board.slot(address)
            if slot is None or board.strangers()[slot]:
                break
            del self.strangers[address]
        else:
            return False
        self._displaced[address] = self.pairs[address].active and address not in self.moments
        self.missed[True] += (address in self.ready) + (address in self.moments)
        self._drop(address)
        for part in (self.waiting, self.ready, self.moments):
            part.pop(address, None)
        for addresses in (self.limbo, self.cooling):
            addresses.discard(address)
        return True

    def _drop(self, address: str) -> None:
        del self.pairs[address]
        self.strangers.pop(address, None)
        self.held.pop(address, None)
        self.in_doubt.discard(address)

    def end(self, address: str, true_until: float) -> None:
        """Record that the conditions are no longer true, or the aircraft left; they were true until ``true_until``."""
        pair = self.pairs.get(address)
        if pair is None:
            return
        if pair.is_true:
            pair.is_true, pair.true_until = False, true_until
        self.held.pop(address, None)
        self.waiting.pop(address, None)
        if address in self.ready:
            del self.ready[address]
            self.missed[address in self.strangers] += 1
        if pair.active:
            self.limbo.add(address)
        elif pair.fired_at is None:
            self._drop(address)
        else:
            self.cooling.add(address)
            self.due_at = min(self.due_at, pair.fired_at + self.rule.cooldown_s)

    def forget_slots(self, slots: npt.NDArray[np.intp]) -> None:
        """Clear slots whose aircraft left: the next aircraft in a slot must not inherit its state."""
        if len(self.before):
            clear(self.before, slots[slots < WORD * len(self.before)])
            self._bytes = b""
        self.left_out = self.left_out[~np.isin(self.left_out, slots)]

    def gather(self, now: float) -> None:
        """Move the aircraft that may be announced from now on to ``ready``."""
        if now < self.due_at:
            return
        for address in [a for a in self.waiting if a not in self.held and self.pairs[a].ready_at(self.rule) <= now]:
            del self.waiting[address]
            self.ready[address] = None
        self._forget_cooled(now)
        cooling = (pair for address in self.cooling if (pair := self.pairs.get(address)) is not None)
        idle = [*(self.pairs[address] for address in self.waiting), *cooling]
        self.due_at = min((pair.ready_at(self.rule) for pair in idle), default=math.inf)

    @property
    def backlog(self) -> int:
        """How many announcements wait for their turn."""
        return len(self.ready) + len(self.moments)

    def waits_since(self) -> float:
        """The time since when the first announcement waits for its turn; infinity where there is none."""
        since = [self.pairs[address].ready_at(self.rule) for address in islice(self.ready, 1)]
        since += [fired.at for fired in islice(self.moments.values(), 1)]
        return min(since, default=math.inf)

    def doubtful(self, environment: Environment, slots: Slots, slack: int = 0) -> Mask:
        """Which of these slots, which meet the conditions, do so only by what nobody vouches for."""
        board = environment.board
        result = np.zeros(len(slots), bool)
        if not environment.has_doubt:
            return result
        if self.rule.is_momentary and environment.fences.has_doubt:
            places = np.arange(len(slots))
        else:
            places = np.flatnonzero(board.doubt()[slots] & (ALL | ALONE))
        if len(places):
            result[places] = ~self.compiled.true.surely(environment, slots[places], slack)
            # Whoever sent a message that we heard is there.
            if not self.rule.is_message_rule:
                result |= board.unsure()[slots]
        return result

    def doubtful_addresses(self, environment: Environment, addresses: Iterable[str]) -> set[str]:
        """Those of these addresses, of matches, for which nobody vouches."""
        if not environment.has_doubt:
            return set()
        addresses = list(addresses)
        if self.rule.is_of_nobody:
            return {address for address in addresses if self.doubt(environment, address)}
        places = [(address, slot) for address in addresses if (slot := environment.board.slot(address)) is not None]
        doubtful = self.doubtful(environment, np.array([slot for _, slot in places], np.intp))
        return {places[place][0] for place in np.flatnonzero(doubtful).tolist()}

    def doubt(self, environment: Environment, address: str) -> str:
        """Why nobody vouches for a match, or for the number of matches; empty where it is sure."""
        board = environment.board
        if self.rule.state is not None or not environment.has_doubt:
            return ""
        if self.rule.count is not None:
            slots = slots_of(self.compiled.true.bits)
            is_sure = not self.doubtful(environment, slots).any() or self._count_holds(environment, only_sure=True)
        else:
            slot = board.slot(address)
            slots = np.array([] if slot is None else [slot], np.intp)
            is_sure = not self.doubtful(environment, slots).any()
        if is_sure:
            return ""
        return SINGLE_SOURCE_WORDS if board.unsure()[slots].any() else UNCONFIRMED_WORDS

    def end_doubt(self, environment: Environment, now: float) -> list[Cleared]:
        """End the alerts that were announced in doubt about what is sure now: it is announced again, at once."""
        true = [a for a in sorted(self.in_doubt) if self.pairs[a].is_true and a not in self.moments]
        doubtful = self.doubtful_addresses(environment, true)
        return [ended for address in true if address not in doubtful for ended in self.confirm(address, now)]

    def confirm(self, address: str, now: float) -> list[Cleared]:
        """End the alert that was announced in doubt about an aircraft; it begins no cooldown for what is sure."""
        pair = self.pairs[address]
        was_active, pair.active = pair.active, False
        self._note_doubt(address, False)
        pair.fired_at, self.due_at = None, now
        self.limbo.discard(address)
        if pair.is_true:
            self.waiting[address] = None
        is_announced = was_active and self.moments.pop(address, None) is None
        return [Cleared(self.rule.id, self.rule.revision, address, now)] if is_announced else []

    def _note_doubt(self, address: str, in_doubt: bool) -> None:
        self.pairs[address].in_doubt = in_doubt
        if in_doubt:
            self.in_doubt.add(address)
        else:
            self.in_doubt.discard(address)

    def fire(self, address: str, now: float, *, in_doubt: bool) -> None:
        """Record that an aircraft was announced."""
        pair = self.pairs[address]
        pair.active, pair.fired_at, pair.true_until = True, now, now
        self._note_doubt(address, in_doubt)
        self.waiting.pop(address, None)
        self.ready.pop(address, None)
        if not pair.is_true:
            self.limbo.add(address)

    def clear(self, environment: Environment, now: float) -> list[Cleared]:
        """Clear announced aircraft that are surely beyond the margin, or were not received for a minute.

        In a picture that is not complete the absence of aircraft clears nothing.
        """
        cleared = [
            Cleared(self.rule.id, self.rule.revision, address, now)
            for address, is_announced in self._displaced.items()
            if is_announced
        ]
        self._displaced = {}
        if not self.limbo:
            return cleared
        if self.rule.state is not None:
            over: Iterable[str] = list(self.limbo) if self.state_holds is False else []
        elif self.rule.count is not None:
            over = self._over_count(environment)
        else:
            over = self._over(environment, now)
        # The end of an alert comes after its announcement.
        over = [address for address in over if address not in self.moments]
        for address in over:
            self.limbo.discard(address)
            pair = self.pairs[address]
            pair.active = False
            if not pair.since:
                # It has not matched since the start: nobody knows whose it was.
                self.strangers[address] = None
            if pair.fired_at is None or pair.fired_at + self.rule.cooldown_s <= now:
                self._drop(address)
            else:
                self.cooling.add(address)
                self.due_at = min(self.due_at, pair.fired_at + self.rule.cooldown_s)
        return cleared + [Cleared(self.rule.id, self.rule.revision, address, now) for address in over]

    def _over(self, environment: Environment, now: float) -> list[str]:
        board = environment.board
        present = [(address, slot) for address in self.limbo if (slot := board.slot(address)) is not None]
        over: list[str] = []
        if present:
            slots = np.array([slot for _, slot in present], np.intp)
            holds = self.compiled.true.at(environment, slots, 1)
            for index in np.flatnonzero(holds).tolist():
                self.pairs[present[index][0]].true_until = now
            others = np.flatnonzero(~holds)
            if len(others):
                fails = self.compiled.false.at(environment, slots[others], -1)
                if board.has_doubt:
                    # What nobody vouches for ends only what was announced in doubt.
                    in_doubt = np.array([present[index][0] in self.in_doubt for index in others.tolist()], bool)
                    fails &= in_doubt | self.compiled.false.surely(environment, slots[others], -1)
                over = [present[index][0] for index in others[fails].tolist()]
        if environment.is_complete:
            over += [a for a in self.limbo if now - self.pairs[a].true_until >= UNSEEN_S]
        return list(dict.fromkeys(over))

    def _count_holds(self, environment: Environment, *, only_sure: bool = False) -> bool | None:
        """Whether the number of aircraft that match meets the count; None if that is unknown.

        That of the aircraft that are sure is enough, whatever others invent.
        """
        assert self.rule.count is not None
        bits = self.compiled.true.bits
        numbers = {len(self.sure_slots(environment)) if environment.has_doubt else count_of(bits)}
        if not only_sure:
            numbers.add(count_of(bits))
        answers = {self.rule.count.holds(number, is_complete=environment.is_complete) for number in numbers}
        return True if True in answers else None if None in answers else False

    def sure_slots(self, environment: Environment) -> Slots:
        """The slots that meet the conditions without doubt."""
        slots = slots_of(self.compiled.true.bits)
        return slots[~self.doubtful(environment, slots)]

    def _over_count(self, environment: Environment) -> Iterable[str]:
        assert self.rule.count is not None
        board = environment.board
        slots = np.flatnonzero(board.present)
        matches = self.compiled.true.at(environment, slots, 1)
        if NOBODY not in self.in_doubt:
            matches &= ~self.doubtful(environment, slots, 1)
        number = int(np.count_nonzero(matches))
        holds = self.rule.count.holds(number, is_complete=environment.is_complete)
        return list(self.limbo) if holds is False else []

    def _forget_cooled(self, now: float) -> None:
        """Drop the state of aircraft whose cooldown is over."""
        for address in list(self.cooling):
            pair = self.pairs.get(address)
            if pair is None or pair.is_true or pair.active:
                self.cooling.discard(address)
            elif pair.fired_at is None or pair.fired_at + self.rule.cooldown_s <= now:
                self.cooling.discard(address)
                self._drop(address)
