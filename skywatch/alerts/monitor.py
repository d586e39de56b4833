"""The part of alerts in the tracker: tests the rules at every tick and queues their decisions for a writer."""

from __future__ import annotations

import logging
import queue
import time
from collections.abc import Callable

from sqlalchemy.orm import Session

from skywatch.alerts import topics
from skywatch.alerts.conditions.fields import all_fields
from skywatch.alerts.engine.engine import FIRED_PER_TICK, Backlog, Engine, RuleSet
from skywatch.alerts.engine.rule import Change, Rule, RuleKey, Tick
from skywatch.alerts.engine.rule_state import MAX_PAIRS
from skywatch.alerts.history.closure import end_abandoned, end_matches, has_abandoned
from skywatch.alerts.metrics import LEFT_OUT, MAX_WAIT, WAITING
from skywatch.alerts.models import AlertMatch
from skywatch.alerts.rules.faults import publish_faults
from skywatch.alerts.settings import AlertSettings
from skywatch.alerts.tracker.change_queue import ChangeQueue
from skywatch.alerts.tracker.event_inbox import Inbox
from skywatch.alerts.tracker.quota import MINUTE_S, Draft, Quota
from skywatch.alerts.tracker.rule_loader import RuleLoader, stopped
from skywatch.alerts.tracker.writer import write
from skywatch.core.bus.base import Message
from skywatch.core.database.engine import writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.runtime import Runtime
from skywatch.core.storage.writer import BackgroundWriter
from skywatch.core.telemetry import health
from skywatch.core.telemetry.fault_log import FaultLog
from skywatch.core.telemetry.health import State
from skywatch.picture.state.sky import Sky
from skywatch.sentences import sentence

log = logging.getLogger(__name__)

# Interval of checking rights and times (s); changes of rules are read at once.
LOOK_EVERY_S = 1.0
# Interval of looking for active alerts of rules that are no longer in force (s).
END_EVERY_S = 60.0
# Longest wait for the first rules at the start (s).
START_S = 3.0
# Announcements that wait for the database, and decisions of one person. A tick announces no more than a hundredth of
# the room that is left: while the database is away, what else is to be announced waits in the engine.
QUEUE_LIMIT, SHARE_OF_ROOM = 20_000, 100
# Alerts that wait for longer than this are late (s).
LATE_S = 10.0
# The name of the announcements in health.
TURNS = "alerts_turns"
Holds = Callable[[str, int, bool], bool | None]


class States:
    """Tests whether the states of the installation hold that rules name (``skywatch.core.rule_fields.RuleState``)."""

    def __init__(self, runtime: Runtime) -> None:
        self._by_field: dict[str, Holds] = {
            name: field.state.holds(runtime) for name, field in all_fields().items() if field.state is not None
        }

    def holds(self, rule: Rule) -> bool | None:
        """Whether the state of a rule holds for its user; None where that is unknown."""
        test = rule.state
        assert test is not None
        _, user_id = rule.id
        return self._by_field[test.field.name](test.written, user_id, rule.rights.manages_all)


class AlertMonitor:
    """See ``skywatch.picture.monitor.Monitor``."""

    name = "alerts"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._engine = Engine(state_holds=States(runtime).holds)
        self._loader = RuleLoader(runtime.settings)
        self._loaded: queue.SimpleQueue[RuleSet] = queue.SimpleQueue()
        self._inbox = Inbox(all_fields().values())
        self._broken = FaultLog(log, "alerts: rules are not in force", "alerts: all enabled rules are in force")
        self._queue = ChangeQueue(QUEUE_LIMIT)
        self._quota = Quota(lambda: runtime.current.of(AlertSettings).alerts_mb_per_user)
        self._writer = BackgroundWriter("alerts", runtime.sessions, self._queue, self._write, committed=self._commit)
        self._rules: dict[RuleKey, Rule] = {}
        self._now, self._backlog = 0.0, Backlog({}, 0, 0.0)
        self._task = PeriodicTask("alerts_rules", LOOK_EVERY_S, self._load)
        self._in_force: frozenset[RuleKey] = frozenset()
        self._has_changed, self._end_at = True, 0.0
        self._subscription = runtime.bus.subscribe(
            [topics.CHANGED, *self._inbox.topics], self._receive, self._task.run_soon
        )

    def start(self) -> None:
        """Start; the first rules are in force at the first tick unless the database is slow."""
        self._writer.start()
        health.watch(TURNS, self._turns)
        self._task.start(START_S)

    def on_tick(self, sky: Sky) -> None:
        """One tick: new rules come into force, all are tested, then the messages since the last tick."""
        engine = self._engine
        while not self._loaded.empty():
            engine.install(self._loaded.get(), sky.now)
            self._rules = {rule.id: rule for rule in engine.rules.rules}
        messages = list(self._inbox.take())
        engine.fired_per_tick = min(FIRED_PER_TICK, max(0, QUEUE_LIMIT - self._queue.announcements) // SHARE_OF_ROOM)
        changes = engine.tick(sky, messages) if engine.rules.rules else []
        if changes or self._quota.is_due(sky.now):
            self._queue.put(Tick(sky.now), [(self._rules[change.rule_id], change) for change in changes])
        self._now, self._backlog = sky.now, engine.backlog(sky.now)
        for priority, number in self._backlog.waiting.items():
            WAITING.labels(priority).set(number)
        MAX_WAIT.set(self._backlog.longest_s)
        LEFT_OUT.set(self._backlog.left_out)

    def close(self) -> None:
        """Stop, and write the queued decisions."""
        self._subscription.close()
        self._task.close()
        health.withdraw(TURNS, self._turns)
        # What was not stored in this minute is said now.
        self._queue.put(Tick(self._now + MINUTE_S), [])
        self._writer.close()

    def _write(self, session: Session, changes: list[Change]) -> Draft:
        draft = self._quota.draft(session.connection())
        write(session, changes, draft)
        return draft

    def _commit(self, changes: list[Change], draft: Draft) -> None:
        self._quota.commit(draft)

    def _turns(self) -> State:
        """For health: asked from any thread."""
        backlog, unstored = self._backlog, self._quota.unstored_before(self._now)
        waiting, longest_s = sum(backlog.waiting.values()), round(backlog.longest_s)
        detail = sentence(
            "alerts.backlog",
            "{waiting} waiting (people: {people}, the first for {age} s), {unstored} not stored in the last minute",
            waiting=waiting,
            people=backlog.people,
            age=longest_s,
            unstored=unstored,
        )
        if backlog.left_out:
            detail = sentence(
                "alerts.backlog_and_more",
                "{backlog}, {count} matches beyond the {most} that are followed for a rule",
                backlog=detail,
                count=backlog.left_out,
                most=MAX_PAIRS,
            )
        figures = {
            **{f"waiting_{priority}": float(number) for priority, number in backlog.waiting.items()},
            "people_waiting": float(backlog.people),
            "longest_wait_s": round(backlog.longest_s, 1),
            "unstored_last_minute": float(unstored),
            "not_followed": float(backlog.left_out),
            "unwritten": float(self._queue.depth),
            "people_unwritten": float(self._queue.people),
        }
        is_calm = not (waiting or unstored or backlog.left_out)
        return State(backlog.longest_s <= LATE_S, "" if is_calm else detail, figures)

    def _load(self) -> None:
        with self._runtime.sessions() as session:
            rules = self._loader.load(session)
        if rules is not None:
            self._put(rules)
        if time.monotonic() >= self._end_at:
            self._end_stopped()
            self._has_changed, self._end_at = False, time.monotonic() + END_EVERY_S

    def _put(self, rules: RuleSet) -> None:
        self._in_force = frozenset(rule.id for rule in rules.rules)
        self._has_changed, self._end_at = True, 0.0
        faults = self._loader.faults
        publish_faults(self._runtime.bus, faults)
        if faults:
            first, fault = next(iter(faults.items()))
            others = f" (and {len(faults) - 1} others)" if len(faults) > 1 else ""
            self._broken.failed(f"rule {first}{others}: {fault.detail}")
        else:
            self._broken.succeeded()
        self._loaded.put(rules)

    def _end_stopped(self) -> None:
        """End the alerts of rules that are no longer in force for a user, and those whose rule or user was deleted."""
        sessions = self._runtime.sessions
        with sessions() as session:
            stopped_rules = stopped(session, self._in_force)
            # Scans the whole table of alerts.
            abandoned = self._has_changed and has_abandoned(session)
        if not stopped_rules and not abandoned:
            return
        with writing(sessions) as session:
            for rule_id, user_id in stopped_rules:
                end_matches(session, AlertMatch.rule_id == rule_id, AlertMatch.user_id == user_id)
            if abandoned:
                end_abandoned(session)

    def _receive(self, message: Message) -> None:
        if message.topic == topics.CHANGED:
            self._task.run_soon()
        else:
            self._inbox.receive(message)


def create(runtime: Runtime) -> AlertMonitor:
    """The monitor for the tracker."""
    return AlertMonitor(runtime)
