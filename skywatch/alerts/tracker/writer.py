"""Writes the decisions of the engine: matches, alerts, their deliveries and events, all in one transaction.

Decisions of an older revision of a rule are ignored. Alerts and their events are written many at a time. An alert
beyond the quota of its user counts as announced and is not written; once a minute one alert of its rule says how many
were not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import Session

from skywatch.alerts.conditions.quiet_hours import parse_windows
from skywatch.alerts.engine.rule import NOBODY, Adopted, Change, Cleared, Fired, RuleKey, Tick, Unstored
from skywatch.alerts.history.announcement import message, notification
from skywatch.alerts.history.message_text import message_of
from skywatch.alerts.models import Alert, AlertRule, AlertSubscription
from skywatch.alerts.tracker import match_statements
from skywatch.alerts.tracker.quota import Draft, Loss, Reason, size_of
from skywatch.core import events
from skywatch.core.database.engine import insert_many
from skywatch.notify.deliveries import outbox
from skywatch.notify.deliveries.outbox import Notification
from skywatch.notify.vocabulary import Priority
from skywatch.sentences import codes_of, sentence

_alerts: Any = Alert.__table__
# What is read of a rule: without its conditions, which are long.
_RULE = (
    AlertRule.id, AlertRule.revision, AlertRule.enabled, AlertRule.user_id, AlertRule.visibility, AlertRule.channels,
    AlertRule.name, AlertRule.priority, AlertRule.message, AlertRule.cooldown_s, AlertRule.quiet_hours,
)  # fmt: skip


class _Recipient(NamedTuple):
    # A row of the columns of _RULE.
    rule: Any
    user_id: int
    channels: tuple[int, ...]


class _Batch:
    """The changes of one transaction, in their order; alerts are inserted together, before one of them is cleared."""

    def __init__(self, session: Session, quota: Draft | None) -> None:
        self._session = session
        self._quota = quota
        self._connection = session.connection()
        # Claimed, but not inserted yet, by their matches.
        self._new: dict[match_statements.MatchKey, tuple[dict[str, Any], _Recipient]] = {}
        # The ids of alerts that have ended, with the time of their end.
        self._ended: list[tuple[int, datetime, _Recipient]] = []
        self.announced: list[tuple[Alert, _Recipient]] = []

    def fire(self, change: Fired, to: _Recipient) -> None:
        """A new alert, unless the pair matches already or is in its cooldown."""
        key, at = (to.rule.id, to.user_id, change.address), _moment(change.at)
        if match_statements.claim(self._connection, key, at, to.rule.cooldown_s, change.in_doubt):
            values = _alert(change, to, at)
            if self._quota is None or self._quota.take(
                key[:2], values["size_bytes"], values["priority"], of_strangers=change.of_strangers
            ):
                self._new[key] = values, to

    def clear(self, change: Cleared, to: _Recipient) -> None:
        """The end of the alert of a pair, if it has one."""
        key, at = (to.rule.id, to.user_id, change.address), _moment(change.at)
        if key in self._new:
            self.insert()
        alert_id = match_statements.clear(self._connection, key, at)
        if alert_id is not None:
            self._ended.append((alert_id, at, to))

    def adopt(self, change: Adopted, to: _Recipient) -> None:
        """Pairs that count as announced."""
        keys = [(to.rule.id, to.user_id, address) for address in change.addresses]
        in_doubt = [address in change.in_doubt for address in change.addresses]
        match_statements.adopt(self._connection, keys, in_doubt, _moment(change.at))
        if change.is_last:
            adopted = AlertRule.adopted_revision
            self._connection.execute(
                sa.update(AlertRule)
                .where(AlertRule.id == to.rule.id, adopted < change.revision)
                .values(adopted_revision=change.revision)
            )

    def leave_out(self, change: Unstored, to: _Recipient) -> None:
        """Alerts that were given up before their turn."""
        if self._quota is not None:
            key = to.rule.id, to.user_id
            self._quota.refuse(key, change.of_strangers, Reason.WAITING, of_strangers=True)
            self._quota.refuse(key, change.number - change.of_strangers, Reason.WAITING)

    def advance(self, at: float, recipients: Mapping[RuleKey, _Recipient]) -> None:
        """The time of the next changes; says of the minute before how many alerts of each rule were not written."""
        for loss in self._quota.advance(at) if self._quota is not None else ():
            if loss.key in recipients:
                self._note(loss, _moment(at), recipients[loss.key])

    def _note(self, loss: Loss, at: datetime, to: _Recipient) -> None:
        assert self._quota is not None
        values = _note(loss.number, self._quota.words_of(loss.reason, loss.number), at, to)
        # Nor do strangers have notes take the place of alerts that are sure.
        values["of_strangers"] = loss.of_strangers
        if not self._quota.take_note(to.user_id, values["size_bytes"], of_strangers=values["of_strangers"]):
            return
        (alert_id,) = insert_many(self._connection, _alerts, [values])
        self.announced.append((Alert(id=alert_id, **values), to))

    def insert(self) -> None:
        """Insert the alerts of claimed matches."""
        new, self._new = self._new, {}
        ids = insert_many(self._connection, _alerts, [values for values, _ in new.values()])
        match_statements.link(self._connection, list(zip(new, ids, strict=True)))
        self.announced += [
            (Alert(id=alert_id, **values), to) for alert_id, (values, to) in zip(ids, new.values(), strict=True)
        ]

    def end(self) -> list[tuple[Alert, _Recipient]]:
        """Store the end of the alerts that were cleared; those that had not ended before."""
        if not self._ended:
            return []
        ids = {alert_id for alert_id, _, _ in self._ended}
        alerts = {alert.id: alert for alert in self._session.scalars(sa.select(Alert).where(Alert.id.in_(ids)))}
        # Their own event says so, too.
        new = {alert.id: alert for alert, _ in self.announced if alert.id in ids}
        ended = []
        for alert_id, at, to in self._ended:
            alert = alerts.get(alert_id)
            if alert is not None and alert.cleared_at is None:
                alert.cleared_at = at
                if alert_id in new:
                    new[alert_id].cleared_at = at
                ended.append((alert, to))
        self._session.flush()
        return ended


def write(session: Session, changes: Sequence[Change], quota: Draft | None = None) -> int:
    """Write changes in their order; returns the number of announced alerts. Without a quota all are written."""
    keys = {change.rule_id for change in changes if not isinstance(change, Tick)}
    recipients = _recipients(session, keys | set(quota.unstored if quota is not None else ()))
    batch = _Batch(session, quota)
    for change in changes:
        if isinstance(change, Tick):
            batch.advance(change.at, recipients)
            continue
        recipient = recipients.get(change.rule_id)
        if recipient is None or recipient.rule.revision != change.revision:
            continue
        if isinstance(change, Fired):
            batch.fire(change, recipient)
        elif isinstance(change, Cleared):
            batch.clear(change, recipient)
        elif isinstance(change, Adopted):
            batch.adopt(change, recipient)
        else:
            batch.leave_out(change, recipient)
    batch.insert()
    cleared = batch.end()
    _publish(session, "triggered", batch.announced)
    _publish(session, "cleared", cleared)
    return len(batch.announced)


def _recipients(session: Session, keys: Iterable[RuleKey]) -> dict[RuleKey, _Recipient]:
    """The rule and channels of each pair of rule and user."""
    rows = session.execute(sa.select(*_RULE).where(AlertRule.id.in_({rule_id for rule_id, _ in keys})))
    rules = {rule.id: rule for rule in rows}
    following = _following(session, [key for key in keys if key[0] in rules and rules[key[0]].user_id != key[1]])
    recipients = {}
    for key in keys:
        rule = rules.get(key[0])
        if rule is None or not rule.enabled:
            continue
        if rule.user_id == key[1]:
            recipients[key] = _Recipient(rule, key[1], tuple(rule.channels))
        elif key in following and rule.visibility == "shared":
            recipients[key] = _Recipient(rule, key[1], following[key])
    return recipients


def _following(session: Session, keys: Sequence[RuleKey]) -> dict[RuleKey, tuple[int, ...]]:
    """The channels of users who follow rules of others."""
    if not keys:
        return {}
    rule_ids, user_ids = ({key[place] for key in keys} for place in (0, 1))
    rows = session.execute(
        sa.select(AlertSubscription.rule_id, AlertSubscription.user_id, AlertSubscription.channels).where(
            AlertSubscription.rule_id.in_(rule_ids), AlertSubscription.user_id.in_(user_ids)
        )
    )
    return {(rule_id, user_id): tuple(channels) for rule_id, user_id, channels in rows}


def _alert(change: Fired, to: _Recipient, at: datetime) -> dict[str, Any]:
    """The values of a new alert; one in doubt is information, whatever the rule's priority."""
    rule, aircraft = to.rule, change.aircraft
    priority = Priority.INFO.value if change.in_doubt else rule.priority
    return _values(
        to,
        at,
        priority=priority,
        icao_hex=change.address.upper() if change.address != NOBODY else None,
        callsign=_text(aircraft.get("flight"), 8),
        registration=_text(aircraft.get("r"), 12),
        message=message_of(change, name=rule.name, priority=priority, template=rule.message),
        aircraft=dict(aircraft),
        matched=list(change.matched),
        geofence=change.geofence,
        count=change.count,
        military=change.military,
        of_strangers=change.of_strangers,
        simulated=change.simulated,
    )


def _note(number: int, words: str, at: datetime, to: _Recipient) -> dict[str, Any]:
    """The values of an alert that says how many others of its rule were not written."""
    matched = [{"field": "not_stored", "op": "gt", "value": 0, "actual": number}]
    return _values(
        to,
        at,
        message=sentence("alerts.note", "{name}: {words}", name=to.rule.name, words=words),
        aircraft={},
        matched=matched,
        cleared_at=at,
    )


def _values(to: _Recipient, at: datetime, **members: Any) -> dict[str, Any]:
    rule = to.rule
    values = {
        "user_id": to.user_id,
        "rule_id": rule.id,
        "rule_name": rule.name,
        "priority": rule.priority,
        **dict.fromkeys(("icao_hex", "callsign", "registration", "geofence", "count", "cleared_at")),
        "military": False,
        "of_strangers": False,
        "simulated": False,
        "triggered_at": at,
        "acknowledged": False,
        **members,
        "message": str.__str__(members["message"]),
        "words": codes_of(message=members["message"]) or None,
    }
    return {**values, "size_bytes": size_of(values, len(to.channels))}


def _publish(session: Session, transition: str, alerts: Sequence[tuple[Alert, _Recipient]]) -> None:
    """Enqueue deliveries and publish events of alerts; ``transition`` is ``triggered`` or ``cleared``."""
    notifications = [_notification(transition, alert, to) for alert, to in alerts if to.channels]
    if notifications:
        outbox.enqueue(session, notifications)
    # A new alert has no deliveries but those.
    has_deliveries = bool(notifications) or transition != "triggered"
    states = outbox.states(session, "alert", [alert.id for alert, _ in alerts]) if has_deliveries else {}
    events.publish(
        session, *(message(f"alert:{transition}", alert, states.get(alert.id, []), to.user_id) for alert, to in alerts)
    )


def _notification(transition: str, alert: Alert, to: _Recipient) -> Notification:
    windows, _ = parse_windows(to.rule.quiet_hours)
    return notification(transition, alert, to.user_id, to.channels, rule_id=to.rule.id, quiet_hours=windows)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _text(value: Any, length: int) -> str | None:
    return str(value).strip()[:length] or None if value else None
