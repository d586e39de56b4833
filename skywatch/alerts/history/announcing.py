"""What is sent about an alert: its events on the topic ``alerts`` and its notifications for channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from skywatch.alerts.history.shape import document, record_of
from skywatch.alerts.models import Alert
from skywatch.alerts.topics import ALERTS
from skywatch.core.bus.base import Audience, Form, Message
from skywatch.notify.channels.quiet import QuietWindow
from skywatch.notify.deliveries.outbox import Notification
from skywatch.security.permissions import Permission

_encode = msgspec.json.Encoder().encode


def message(event: str, alert: Alert, deliveries: Sequence[Any], user_id: int) -> Message:
    """An event of an alert, for its user and holders of ``alerts.manage_all``; military ones need their permission."""
    needs = {str(Permission.AIRCRAFT_VIEW_MILITARY)} if alert.military else set()
    audience = Audience(frozenset({user_id}), str(Permission.ALERTS_MANAGE_ALL), frozenset(needs))
    forms = []
    for permissions in (
        {Permission.AIRCRAFT_VIEW_DETAILS, Permission.ACARS_VIEW_FULL},
        {Permission.AIRCRAFT_VIEW_DETAILS},
    ):
        full = Permission.ACARS_VIEW_FULL in permissions
        record = record_of(alert, deliveries, details=True, full_texts=full)
        forms.append(Form(frozenset(map(str, permissions)), _encode(document(record))))
    plain = _encode(document(record_of(alert, deliveries, details=False, full_texts=False)))
    if forms[0].data == forms[1].data:
        del forms[0]
    if forms[-1].data == plain:
        del forms[-1]
    return Message(ALERTS, event, plain, audience, forms=tuple(forms))


def notification(
    transition: str,
    alert: Alert,
    user_id: int,
    channel_ids: tuple[int, ...],
    *,
    rule_id: int | None,
    quiet_hours: tuple[QuietWindow, ...],
) -> Notification:
    """The notification of an alert for channels of its user; ``transition`` is ``triggered`` or ``cleared``."""
    record = record_of(alert, [], details=True, full_texts=True)
    del record["deliveries"]
    is_over = transition == "cleared"
    return Notification(
        kind="alert",
        subject_id=alert.id,
        user_id=user_id,
        priority=alert.priority,
        channel_ids=channel_ids,
        body=document(record),
        title=f"{alert.rule_name}: over" if is_over else alert.rule_name,
        text=alert.message,
        at=(alert.cleared_at if is_over else None) or alert.triggered_at,
        event=f"alert.{transition}",
        military=alert.military,
        rule_id=rule_id,
        quiet_hours=quiet_hours,
        cleared=is_over,
    )
