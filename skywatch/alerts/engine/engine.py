"""``Engine``: tests every rule at every tick. Uses neither database nor clock; returns its decisions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from types import MappingProxyType

import numpy as np

from skywatch.alerts.conditions.expansion import POLICE_LIST
from skywatch.alerts.engine.messages import AbsentSenders, AircraftMessage, may_hold
from skywatch.alerts.engine.moment import describe, describe_count, describe_state
from skywatch.alerts.engine.operands.bits import slots_of
from skywatch.alerts.engine.operands.environment import Environment
from skywatch.alerts.engine.operands.fences import Fence
from skywatch.alerts.engine.program import Compiled, Compiler, Program
from skywatch.alerts.engine.rule import NOBODY, Cleared, Decision, Fired, Rule, RuleKey, Stored, Unstored
from skywatch.alerts.engine.rule_state import Matching
from skywatch.alerts.watchlists.entries import Entries
from skywatch.core.limits import FairQueue
from skywatch.core.process.deadline import Checkpoint, paced
from skywatch.notify.vocabulary import PRIORITIES
from skywatch.picture.state.doubt import with_sure_alarms
from skywatch.picture.state.sky import Sky

# Largest number of announcements per tick; further ones follow at the next ticks.
FIRED_PER_TICK = 100
# Largest number of alerts about moments (messages, entering) that wait for one person: each holds its aircraft.
MOMENTS_WAITING, CRITICAL_MOMENTS_WAITING = 600, 5_000
URGENT = PRIORITIES[-1]
# What a person waits for: urgent announcements, or others.
Kind = tuple[str, bool]


class RuleSet:
    """All rules in force, with what they refer to. ``stored`` are the stored matches by rule and address.

    Compiled once, outside the tracker's thread. ``without_sky`` are the rules on messages once more, for senders that
    are not in the sky.
    """

    def __init__(
        self,
        rules: tuple[Rule, ...] = (),
        fences: Mapping[int, Fence] = MappingProxyType({}),
        lists: Mapping[int, Entries] = MappingProxyType({}),
        stored: Mapping[RuleKey, Mapping[str, Stored]] = MappingProxyType({}),
    ) -> None:
        self.rules, self.fences, self.lists, self.stored = rules, fences, lists, stored
        self.compiled, self.program = _compiled(rules, lists)
        self.without_sky, self.program_without_sky = _compiled([rule for rule in rules if rule.is_message_rule], lists)


def _compiled(rules: Iterable[Rule], lists: Mapping[int, Entries]) -> tuple[tuple[Compiled, ...], Program]:
    compiler = Compiler({POLICE_LIST: Entries(), **lists})
    compiled = tuple(compiler.rule(rule.node, rule.rights) for rule in rules)
    return compiled, compiler.program()


@dataclass(frozen=True)
class Backlog:
    """What waits for its turn after a tick: announcements by priority, of how many people, and the longest wait (s).

    ``left_out`` is how many matches are not followed, because their rules match too much.
    """

    waiting: Mapping[str, int]
    people: int
    longest_s: float
    left_out: int = 0


@dataclass(frozen=True)
class _MessageRule:
    matching: Matching
    without_sky: Compiled
    may_hold: Callable[[Mapping[str, str]], bool]


def _is_unknown(rule: Rule) -> None:
    return None


class Engine:
    """Tests the rules of a ``RuleSet``; used by one thread."""

    def __init__(
        self,
        fired_per_tick: int = FIRED_PER_TICK,
        checkpoint: Checkpoint | None = None,
        described: int | None = None,
        state_holds: Callable[[Rule], bool | None] = _is_unknown,
    ) -> None:
        """Announcements after the first ``described`` ones do not contain the aircraft.

        ``state_holds(rule)`` is whether the state that a rule tests holds, None where that is unknown.
        """
        self.fired_per_tick = fired_per_tick
        self._people: list[str] = []
        """Those who waited at the last tick, in the order of their last turns."""
        self._described = described
        self.environment = Environment(checkpoint=checkpoint)
        self._state_holds = state_holds
        self._rules = RuleSet()
        self._matchings: list[Matching] = []
        self._message_rules: list[_MessageRule] = []
        self._absent = AbsentSenders(Program(), {})
        self._moments: Counter[str] = Counter()
        """How many alerts about moments wait, by person."""
        self._installed = False
        self._has_rules = False

    @property
    def rules(self) -> RuleSet:
        """The rules in force."""
        return self._rules

    def install(self, rules: RuleSet, now: float) -> None:
        """Put these rules in force; unchanged rules keep their state."""
        before = {matching.rule.key: matching for matching in self._matchings}
        is_first, self._has_rules = not self._has_rules, True
        self._matchings = []
        for rule, compiled in zip(rules.rules, rules.compiled, strict=True):
            matching = Matching(rule, compiled, rules.stored.get(rule.id, {}), now)
            if rule.key in before:
                matching.take_over(before[rule.key])
            elif is_first:
                # It was changed before this process began: what matched then may be received only later.
                matching.adopts_late = rule.silent
            self._matchings.append(matching)
        of_messages = [matching for matching in self._matchings if matching.rule.is_message_rule]
        self._message_rules = [
            _MessageRule(matching, without_sky, may_hold(matching.rule.node))
            for matching, without_sky in zip(of_messages, rules.without_sky, strict=True)
        ]
        self._absent = AbsentSenders(rules.program_without_sky, rules.fences)
        self._rules = rules
        self._installed = True
        self.environment.board.follow_texts(rules.program.texts)

    def tick(self, sky: Sky, messages: Iterable[AircraftMessage] = ()) -> list[Decision]:
        """Test all rules, and those on messages with each of ``messages``; returns what to announce and to clear."""
        environment = self.environment
        board = environment.board
        board.update(with_sure_alarms(sky))
        if self._installed:
            self._use_fences()
        environment.fences.update(board)
        candidates = [
            matching.compiled.visibility for matching in self._matchings if matching.compiled.visibility is not None
        ]
        self._rules.program.update(environment, candidates)
        self._forget(sky.now)
        changes: list[Decision] = []
        for matching in self._matchings:
            self._follow(matching, sky.now, changes)
        self._moments = Counter()
        for matching in self._matchings:
            if matching.moments:
                self._moments[matching.rule.person] += len(matching.moments)
        for message in messages:
            self._test(message, sky, changes)
        self._announce(sky.now, changes)
        return changes

    def backlog(self, now: float) -> Backlog:
        """What still waits for its turn."""
        late = [matching for matching in self._matchings if matching.backlog]
        waiting = Counter(dict.fromkeys(PRIORITIES, 0))
        for matching in late:
            waiting[matching.rule.priority] += matching.backlog
        since = min((matching.waits_since() for matching in late), default=now)
        left_out = sum(len(matching.left_out) for matching in self._matchings)
        return Backlog(waiting, len({matching.rule.person for matching in late}), max(0.0, now - since), left_out)

    def _use_fences(self) -> None:
        fences = {number: self._rules.fences[number] for number in self._rules.program.fences}
        self.environment.fences.use(fences, self.environment.board.capacity)
        self._installed = False

    def _forget(self, now: float) -> None:
        freed = self.environment.board.freed
        if not freed:
            return
        slots = np.array([slot for slot, *_ in freed], np.intp)
        for matching in self._matchings:
            matching.forget_slots(slots)
            if matching.pairs and matching.rule.count is None:
                for _, address, seen_at in freed:
                    matching.end(address, min(seen_at, now))

    def _follow(self, matching: Matching, now: float, changes: list[Decision]) -> None:
        """Update one rule with the changes of a tick."""
        rule = matching.rule
        if rule.state is not None:
            matching.state_holds = self._state_holds(rule)
        if matching.is_new:
            self._begin(matching, now, changes)
        if rule.state is not None:
            matching.follow_state(now)
        elif rule.count is not None:
            matching.follow_count(self.environment, now)
        else:
            matching.follow(self.environment, now)
        changes += matching.clear(self.environment, now)
        changes += matching.end_doubt(self.environment, now)
        matching.gather(now)

    def _begin(self, matching: Matching, now: float, changes: list[Decision]) -> None:
        """The first test of a rule: the present matches of a changed rule are not announced."""
        adopted = matching.adopt(self.environment, now) if matching.rule.silent else None
        matching.is_new = adopted is not None and not adopted.is_last
        if adopted is not None and (adopted.addresses or adopted.is_last):
            changes.append(adopted)

    def _test(self, message: AircraftMessage, sky: Sky, changes: list[Decision]) -> None:
        """Test the rules with a condition on messages; state of the aircraft is that of the tick."""
        concerned = [rule for rule in self._message_rules if rule.may_hold(message.texts)]
        if not concerned:
            return
        is_present = self.environment.board.slot(message.address) is not None
        environment = self.environment if is_present else self._absent.take(sky, message)
        environment.message = message.texts
        slot = environment.board.slot(message.address)
        assert slot is not None
        slots = np.array([slot])
        for rule in concerned:
            matching = rule.matching
            compiled = matching.compiled if is_present else rule.without_sky
            if compiled.true.at(environment, slots, 0)[0]:
                changes += self._hear(matching, message, compiled, environment, slot)
        environment.message = None

    def _hear(
        self, matching: Matching, message: AircraftMessage, compiled: Compiled, environment: Environment, slot: int
    ) -> list[Cleared]:
        """A message meets the conditions of a rule: its alert waits for a turn, unless there is one already."""
        address, at, rule = message.address, message.at, matching.rule
        doubt, ended = matching.doubt(environment, address), []
        pair = matching.pairs.get(address)
        if pair is not None and pair.in_doubt and not doubt:
            ended = matching.confirm(address, at)
        was_active = pair is not None and pair.active
        is_strangers = bool(environment.board.strangers()[slot])
        matching.begin(address, at, self.environment.board, is_strangers=is_strangers)
        pair = matching.pairs.get(address)
        if pair is not None and not was_active and pair.ready_at(rule) <= at:
            if self._has_room(rule):
                self._moments[rule.person] += 1
                matching.moments[address] = describe(rule, compiled, environment, slot, at, self._rules.fences, doubt)
                matching.fire(address, at, in_doubt=bool(doubt))
            else:
                matching.missed[is_strangers or bool(doubt)] += 1
        matching.end(address, at)
        return ended

    def _has_room(self, rule: Rule) -> bool:
        limit = CRITICAL_MOMENTS_WAITING if rule.priority == URGENT else MOMENTS_WAITING
        return self._moments[rule.person] < limit

    def _announce(self, now: float, changes: list[Decision]) -> None:
        """Announce as many alerts as a tick may have, in people's turns; what is left waits for the next one."""
        waiting: defaultdict[Kind, list[tuple[Matching, set[str]]]] = defaultdict(list)
        counts: Counter[Kind] = Counter()
        for matching in self._matchings:
            if not matching.backlog:
                continue
            doubtful = self._doubtful(matching)
            urgent = matching.backlog - len(doubtful) if matching.rule.priority == URGENT else 0
            for is_urgent, number in ((True, urgent), (False, matching.backlog - urgent)):
                if number:
                    waiting[matching.rule.person, is_urgent].append((matching, doubtful))
                    counts[matching.rule.person, is_urgent] += number
        shares = self._shares(counts)
        for kind in sorted(shares, key=lambda kind: not kind[1]):
            # Of a person's rules the most urgent come first, of these the one that has waited longest.
            for matching, doubtful in sorted(waiting[kind], key=_order):
                addresses: Iterable[str] = chain(matching.moments, matching.ready)
                if doubtful:
                    addresses = (address for address in addresses if (address not in doubtful) is kind[1])
                chosen = [*islice(addresses, shares[kind])]
                shares[kind] -= len(chosen)
                for address in paced(chosen, self.environment.checkpoint):
                    moment = matching.moments.pop(address, None)
                    changes.append(moment or self._fire(matching, address, now))
        self._keep_moments(now)
        for matching in self._matchings:
            if number := matching.missed.total():
                changes.append(Unstored(matching.rule.id, matching.rule.revision, number, matching.missed[True]))
                matching.missed = Counter()

    def _shares(self, counts: Mapping[Kind, int]) -> Counter[Kind]:
        """How many announcements of this tick each person has, urgent ones and others, of those that wait."""
        if sum(counts.values()) <= self.fired_per_tick:
            self._people = []
            return Counter(counts)
        places = {person: place for place, person in enumerate(self._people)}
        people = sorted({person for person, _ in counts}, key=lambda person: (places.get(person, math.inf), person))
        queue: FairQueue[Kind] = FairQueue()
        for person in people:
            for kind in ((person, True), (person, False)):
                for _ in range(min(counts.get(kind, 0), self.fired_per_tick)):
                    queue.put(person, kind, urgent=kind[1])
        taken = queue.take(self.fired_per_tick)
        served = list(dict.fromkeys(person for person, _ in reversed(taken)))[::-1]
        self._people = [*(person for person in people if person not in served), *served]
        return Counter(taken)

    def _doubtful(self, matching: Matching) -> set[str]:
        """The aircraft whose urgent alerts wait as information, because they are in doubt."""
        if matching.rule.priority != URGENT:
            return set()
        doubtful = {address for address, fired in matching.moments.items() if fired.doubt}
        return doubtful | matching.doubtful_addresses(self.environment, matching.ready)

    def _keep_moments(self, now: float) -> None:
        """Describe what may be over at the next tick, and has to wait for its turn."""
        for matching in self._matchings:
            if matching.ready and matching.rule.is_momentary:
                for address in list(matching.ready):
                    if not self._has_room(matching.rule):
                        break
                    self._moments[matching.rule.person] += 1
                    matching.moments[address] = self._fire(matching, address, now)

    def _fire(self, matching: Matching, address: str, now: float) -> Fired:
        doubt = matching.doubt(self.environment, address)
        matching.fire(address, now, in_doubt=bool(doubt))
        if self._described is not None:
            if self._described <= 0:
                return Fired(matching.rule.id, matching.rule.revision, address, now, {}, (), military=False)
            self._described -= 1
        if matching.rule.state is not None:
            return describe_state(matching.rule, now)
        if address == NOBODY:
            slots = slots_of(matching.compiled.true.bits) if doubt else matching.sure_slots(self.environment)
            return describe_count(matching.rule, self.environment, slots, now, doubt)
        slot = self.environment.board.slot(address)
        assert slot is not None
        return describe(matching.rule, matching.compiled, self.environment, slot, now, self._rules.fences, doubt)


def _order(waiting: tuple[Matching, set[str]]) -> tuple[int, float]:
    matching, _ = waiting
    return -PRIORITIES.index(matching.rule.priority), matching.waits_since()
