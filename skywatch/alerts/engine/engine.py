"""``Engine``: tests every rule at every tick. Uses neither database nor clock; returns its decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from skywatch.alerts.conditions.expansion import POLICE_LIST
from skywatch.alerts.engine.data.environment import Environment
from skywatch.alerts.engine.data.fences import Fence
from skywatch.alerts.engine.matching import Matching
from skywatch.alerts.engine.messages import AircraftMessage, environment_without
from skywatch.alerts.engine.moment import describe, describe_count, describe_state
from skywatch.alerts.engine.program import Compiled, Compiler, Program
from skywatch.alerts.engine.rule import NOBODY, Change, Fired, Rule, RuleKey, Stored
from skywatch.alerts.watchlists.entries import Entries
from skywatch.core.process.deadline import Checkpoint, paced
from skywatch.picture.state.sky import Sky

# Largest number of announcements per tick; further ones follow at the next ticks.
FIRED_PER_TICK = 100


@dataclass(frozen=True)
class RuleSet:
    """All rules in force, with what they refer to. ``stored`` are the stored matches by rule and address.

    Compiled once, outside the tracker's thread.
    """

    rules: tuple[Rule, ...] = ()
    fences: Mapping[int, Fence] = field(default_factory=dict)
    lists: Mapping[int, Entries] = field(default_factory=dict)
    stored: Mapping[RuleKey, Mapping[str, Stored]] = field(default_factory=dict)
    compiled: tuple[Compiled, ...] = field(init=False, repr=False)
    program: Program = field(init=False, repr=False)

    def __post_init__(self) -> None:
        compiler = Compiler({POLICE_LIST: Entries(), **self.lists})
        compiled = tuple(compiler.rule(rule.node, rule.rights) for rule in self.rules)
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "program", compiler.program())


class Engine:
    """Tests the rules of a ``RuleSet``; used by one thread."""

    def __init__(
        self,
        fired_per_tick: int = FIRED_PER_TICK,
        checkpoint: Checkpoint | None = None,
        described: int | None = None,
    ) -> None:
        """Announcements after the first ``described`` ones do not contain the aircraft."""
        self.fired_per_tick = fired_per_tick
        self._described = described
        self.environment = Environment(checkpoint=checkpoint)
        # Whether the state that a rule tests holds, None where that is unknown.
        self.state_holds: Callable[[Rule], bool | None] = lambda rule: None
        self._rules = RuleSet()
        self._matchings: list[Matching] = []
        self._message_matchings: list[Matching] = []
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
        self._message_matchings = [matching for matching in self._matchings if matching.rule.is_message_rule]
        self._rules = rules
        self._installed = True
        self.environment.board.follow_texts(rules.program.texts)

    def tick(self, sky: Sky) -> list[Change]:
        """Test all rules; returns the alerts to announce and to clear."""
        environment = self.environment
        board = environment.board
        board.update(sky)
        if self._installed:
            self._use_fences()
        environment.fences.update(board)
        candidates = [
            matching.compiled.visibility for matching in self._matchings if matching.compiled.visibility is not None
        ]
        self._rules.program.update(environment, candidates)
        self._forget(sky.now)
        changes: list[Change] = []
        budget = self.fired_per_tick
        for matching in self._matchings:
            budget -= self._run(matching, sky.now, budget, changes)
        return changes

    def message(self, message: AircraftMessage) -> list[Change]:
        """Test the rules with a condition on messages; state of the aircraft is that of the last tick."""
        changes: list[Change] = []
        if not self._message_matchings or self.environment.board.sky is None:
            return changes
        present = self.environment.board.slot(message.address) is not None
        texts = message.texts
        for matching in self._message_matchings:
            rule, compiled, environment = matching.rule, matching.compiled, self.environment
            if not present:
                compiled, environment = self._compile_without_sky(rule, message)
            environment.message = texts
            slot = environment.board.slot(message.address)
            assert slot is not None
            if compiled.true.at(environment, np.array([slot]), 0)[0]:
                pair_was_active = (pair := matching.pairs.get(message.address)) is not None and pair.active
                matching.begin(message.address, message.at)
                pair_now = matching.pairs.get(message.address)
                if pair_now is not None and not pair_was_active and pair_now.ready_at(rule) <= message.at:
                    matching.fire(message.address, message.at)
                    changes.append(describe(matching.rule, compiled, environment, slot, message.at, self._rules.fences))
                matching.end(message.address, message.at)
            environment.message = None
        return changes

    def _use_fences(self) -> None:
        fences = {number: self._rules.fences[number] for number in self._rules.program.fences}
        self.environment.fences.use(fences, self.environment.board.capacity)
        self._installed = False

    def _compile_without_sky(self, rule: Rule, message: AircraftMessage) -> tuple[Compiled, Environment]:
        """The rule compiled for an aircraft that is not in the sky: only the message is known."""
        compiler = Compiler({POLICE_LIST: Entries(), **self._rules.lists})
        compiled = compiler.rule(rule.node, rule.rights)
        program = compiler.program()
        fences = {number: self._rules.fences[number] for number in program.fences}
        assert self.environment.board.sky is not None
        return compiled, environment_without(self.environment.board.sky, message, program, fences)

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

    def _run(self, matching: Matching, now: float, budget: int, changes: list[Change]) -> int:
        """Run one rule; returns the number of announcements."""
        rule = matching.rule
        if rule.state is not None:
            matching.state_holds = self.state_holds(rule)
        if matching.is_new:
            self._begin(matching, now, changes)
        if rule.state is not None:
            matching.follow_state(now)
        elif rule.count is not None:
            matching.follow_count(self.environment, now)
        else:
            matching.follow(self.environment, now)
        changes += matching.clear(self.environment, now)
        fired = 0
        if now >= matching.due_at:
            for address in paced(matching.due(now), self.environment.checkpoint):
                if fired >= budget:
                    matching.due_at = now
                    break
                changes.append(self._announce(matching, address, now))
                fired += 1
        return fired

    def _begin(self, matching: Matching, now: float, changes: list[Change]) -> None:
        """The first test of a rule: the present matches of a changed rule are not announced."""
        adopted = matching.adopt(self.environment, now) if matching.rule.silent else None
        matching.is_new = adopted is not None and not adopted.is_last
        if adopted is not None and (adopted.addresses or adopted.is_last):
            changes.append(adopted)

    def _announce(self, matching: Matching, address: str, now: float) -> Change:
        matching.fire(address, now)
        if self._described is not None:
            if self._described <= 0:
                return Fired(matching.rule.id, matching.rule.revision, address, now, {}, (), military=False)
            self._described -= 1
        if matching.rule.state is not None:
            return describe_state(matching.rule, now)
        if address == NOBODY:
            return describe_count(matching.rule, matching.compiled, self.environment, now)
        slot = self.environment.board.slot(address)
        assert slot is not None
        return describe(matching.rule, matching.compiled, self.environment, slot, now, self._rules.fences)
