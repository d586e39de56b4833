"""The part of alerts in the tracker: tests the rules at every tick and queues their decisions for a writer."""

from __future__ import annotations

import logging
import queue
import time

from skywatch.alerts import topics
from skywatch.alerts.conditions.fields import all_fields
from skywatch.alerts.engine.engine import Engine, RuleSet
from skywatch.alerts.engine.rule import Change, RuleKey
from skywatch.alerts.history.ending import end_abandoned, end_matches, has_abandoned
from skywatch.alerts.models import AlertMatch
from skywatch.alerts.tracking.faults import publish_faults
from skywatch.alerts.tracking.incoming import Inbox
from skywatch.alerts.tracking.loading import RuleLoader, stopped
from skywatch.alerts.tracking.records import write
from skywatch.alerts.tracking.states import States
from skywatch.core.bus.base import Message
from skywatch.core.database.engine import writing
from skywatch.core.process.periodic import PeriodicTask
from skywatch.core.reporting.fault_log import FaultLog
from skywatch.core.runtime import Runtime
from skywatch.core.storing.queue import WriteQueue
from skywatch.core.storing.writer import BackgroundWriter
from skywatch.picture.state.sky import Sky

log = logging.getLogger(__name__)

# Interval of checking rights and times (s); changes of rules are read at once.
LOOK_EVERY_S = 1.0
# Interval of looking for active alerts of rules that are no longer in force (s).
END_EVERY_S = 60.0
# Longest wait for the first rules at the start (s).
START_S = 3.0
# At a hundred announcements a second this covers minutes without the database; matches that last longer are announced
# afterwards in any case.
QUEUE_LIMIT = 20_000


class AlertMonitor:
    """See ``skywatch.picture.monitor.Monitor``."""

    name = "alerts"

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._engine = Engine()
        self._engine.state_holds = States(runtime).holds
        self._loader = RuleLoader(runtime.settings)
        self._loaded: queue.SimpleQueue[RuleSet] = queue.SimpleQueue()
        self._inbox = Inbox(all_fields().values())
        self._broken = FaultLog(log, "alerts: rules are not in force", "alerts: all enabled rules are in force")
        self._queue: WriteQueue[Change] = WriteQueue(QUEUE_LIMIT)
        self._writer = BackgroundWriter("alerts", runtime.sessions, self._queue, write)
        self._task = PeriodicTask("alerts_rules", LOOK_EVERY_S, self._load)
        self._in_force: frozenset[RuleKey] = frozenset()
        self._has_changed, self._end_at = True, 0.0
        self._subscription = runtime.bus.subscribe(
            [topics.CHANGED, *self._inbox.topics], self._receive, self._task.run_soon
        )

    def start(self) -> None:
        """Start; the first rules are in force at the first tick unless the database is slow."""
        self._writer.start()
        self._task.start(START_S)

    def on_tick(self, sky: Sky) -> None:
        """One tick: new rules come into force, all are tested, then the messages since the last tick."""
        engine = self._engine
        while not self._loaded.empty():
            engine.install(self._loaded.get(), sky.now)
        if not engine.rules.rules:
            for _ in self._inbox.take():
                pass
            return
        changes = engine.tick(sky)
        for message in self._inbox.take():
            changes += engine.message(message)
        if changes:
            self._queue.append(changes)

    def close(self) -> None:
        """Stop, and write the queued decisions."""
        self._subscription.close()
        self._task.close()
        self._writer.close()

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
