"""Publishes the installation's alerts, rule states and statistics; only one worker at a time does.

Retained messages are published again after each connection. Those of a rule are cleared when the rule is deleted or
disabled, even if that happened while no worker published.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import reason, writing
from skywatch.core.process import tasks
from skywatch.core.runtime import Runtime
from skywatch.notify.hooks import RuleAlert, RuleSource, RuleState
from skywatch.notify.models import PublisherState
from skywatch.notify.mqtt.home_assistant import EVENT_TYPE, Topics, discovery_documents, state_document
from skywatch.notify.mqtt.link import MqttLink, NotConnected
from skywatch.notify.settings import NotifySettings

log = logging.getLogger(__name__)
T = TypeVar("T")
NAME = "mqtt"
EVERY_S = 1.0
# Computing statistics counts whole tables.
STATISTICS_EVERY_S = 60.0
PAUSE_S = 5.0
LEASE = timedelta(seconds=15)
MAX_EVENTS = 200


@dataclass(frozen=True)
class Work:
    """What is to be published now; ``announced`` are ids of rules with retained messages."""

    rules: Sequence[RuleState]
    events: Sequence[RuleAlert]
    statistics: dict[str, Any]
    announced: frozenset[str]


class MqttPublisher:
    """The publisher on the worker's loop."""

    def __init__(self, runtime: Runtime, source: RuleSource) -> None:
        settings = runtime.settings.of(NotifySettings)
        self._runtime = runtime
        self._source = source
        self._settings = settings
        self._topics = Topics(settings.notify_mqtt_prefix, settings.notify_ha_discovery_prefix)
        self._lease = secrets.token_hex(16)
        self._link: MqttLink | None = None
        # Topic -> document: retained messages published since the last connection.
        self._retained: dict[str, str] = {}
        self._task: asyncio.Task[None] | None = None
        self._failing = False
        self._statistics: dict[str, Any] = {}
        self._statistics_at = float("-inf")

    async def start(self) -> None:
        """Start publishing."""
        publishing = tasks.repeat(self._run, EVERY_S, self._failed, first_s=0.0, failing_s=PAUSE_S)
        self._task = asyncio.create_task(publishing, name="mqtt publisher")

    async def stop(self) -> None:
        """Publish ``offline``, disconnect and release the lease."""
        if self._task is not None:
            await tasks.end(self._task)
        if self._link is not None:
            await self._link.stop()
            await asyncio.to_thread(self._release)

    async def _run(self) -> None:
        await self._publish_due()
        self._failing = False

    def _failed(self, error: Exception) -> None:
        """Log a fault once; the link has logged those of the broker."""
        if not self._failing and isinstance(error, SQLAlchemyError):
            log.error("nothing is published over MQTT: %s", reason(error))
        elif not self._failing and not isinstance(error, NotConnected):
            log.error("publishing over MQTT failed", exc_info=error)
        self._failing = True

    async def _publish_due(self) -> None:
        work = await asyncio.to_thread(self._collect)
        if work is None:
            if self._link is not None:
                await self._link.stop(announce=False)
                self._link = None
            return
        if self._link is None:
            self._link = MqttLink(self._settings, announces=True, on_connect=self._connected)
            await self._link.start()
        rule_ids = {str(rule.id) for rule in work.rules}
        removed = work.announced - rule_ids
        if work.announced | rule_ids != work.announced:
            # Stored before it is published: after a crash in between, nothing stays at the broker.
            await asyncio.to_thread(self._store_progress, None, work.announced | rule_ids)
        for rule_id in sorted(removed):
            for topic in self._topics.of_rule(rule_id):
                await self._link.publish(topic, b"", retain=True)
                self._retained.pop(topic, None)
        for rule in work.rules:
            documents = {**discovery_documents(self._topics, rule), self._topics.state(rule.id): state_document(rule)}
            for topic, document in documents.items():
                await self._retain(topic, document)
        await self._retain(self._topics.statistics, json.dumps(work.statistics))
        for alert in work.events:
            event = json.dumps({"event_type": EVENT_TYPE, **alert.document}, ensure_ascii=False)
            await self._link.publish(self._topics.event(alert.rule_id), event, message_id=f"alert_{alert.id}")
            await self._link.publish(self._topics.events, event, message_id=f"alert_{alert.id}")
        if removed or work.events:
            position = work.events[-1].id if work.events else None
            await asyncio.to_thread(self._store_progress, position, rule_ids)

    async def _retain(self, topic: str, document: str) -> None:
        if self._retained.get(topic) != document and self._link is not None:
            await self._link.publish(topic, document, retain=True)
            self._retained[topic] = document

    async def _connected(self) -> None:
        # The broker may have lost its retained messages.
        self._retained.clear()

    def _collect(self) -> Work | None:
        """Take or renew the lease and read what is to be published; None if another worker publishes."""
        now = utcnow()
        with writing(self._runtime.sessions) as session:
            state = self._state(session)
            if state.lease != self._lease and state.leased_until is not None and state.leased_until > now:
                return None
            state.lease, state.leased_until = self._lease, now + LEASE
            position, announced = state.position, frozenset(state.announced)
        with self._runtime.sessions() as session:
            return Work(
                list(self._source.rules(session)),
                list(self._source.events_after(session, position, MAX_EVENTS)),
                self._current_statistics(session),
                announced,
            )

    def _current_statistics(self, session: Session) -> dict[str, Any]:
        if time.monotonic() - self._statistics_at >= STATISTICS_EVERY_S:
            self._statistics, self._statistics_at = self._source.statistics(session), time.monotonic()
        return self._statistics

    def _state(self, session: Session) -> PublisherState:
        state = session.scalar(sa.select(PublisherState).where(PublisherState.name == NAME).with_for_update())
        if state is None:
            # The first run starts after the newest alert: years of history are not published.
            state = PublisherState(name=NAME, position=self._source.last_alert_id(session), announced=[])
            session.add(state)
        return state

    def _store_progress(self, position: int | None, announced: frozenset[str] | set[str]) -> None:
        with writing(self._runtime.sessions) as session:
            state = self._state(session)
            if state.lease == self._lease:
                state.position = state.position if position is None else position
                state.announced = sorted(announced)

    def _release(self) -> None:
        # Where the database is away, the lease expires.
        with suppress(SQLAlchemyError), writing(self._runtime.sessions) as session:
            state = self._state(session)
            if state.lease == self._lease:
                state.lease = state.leased_until = None
