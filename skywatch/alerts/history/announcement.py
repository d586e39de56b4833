"""What is sent about an alert: its events on the topic ``alerts`` and its notifications for channels."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from skywatch.alerts.history.answers import alert_answer, document, permissions_of
from skywatch.alerts.models import Alert
from skywatch.alerts.topics import ALERTS
from skywatch.core.bus.base import Audience, Form, Message
from skywatch.notify.deliveries.outbox import Notification
from skywatch.notify.deliveries.quiet_hours import QuietWindow
from skywatch.security.permissions import Permission
from skywatch.security.visibility import EVERYTHING

_encode = msgspec.json.Encoder().encode


def message(event: str, alert: Alert, deliveries: Sequence[Any], user_id: int) -> Message:
    """An event of an alert, for its user and holders of ``alerts.manage_all``; military ones need their permission.

    Of a new alert the row says whether it is one; later it is asked when the event is delivered.
    """
    is_military = alert.military and event == "alert:triggered"
    needs = {str(Permission.AIRCRAFT_VIEW_MILITARY)} if is_military else set()
    oversight, aircraft = str(Permission.ALERTS_MANAGE_ALL), frozenset(aircraft_of(alert))
    audience = Audience(frozenset({user_id}), oversight, frozenset(needs), aircraft)
    plain, forms = _encoded(alert, deliveries, frozenset()), []
    for permissions in _combinations(permissions_of(alert)):
        forms.append(Form(permissions, _encoded(alert, deliveries, permissions)))
    # Forms that show no more than the next simpler one are left out.
    simpler = [*(form.data for form in forms[1:]), plain]
    forms = [form for form, data in zip(forms, simpler, strict=True) if form.data != data]
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
    body = document(alert_answer(alert, [], EVERYTHING.permissions))
    del body["deliveries"]
    is_over = transition == "cleared"
    return Notification(
        kind="alert",
        subject_id=alert.id,
        user_id=user_id,
        priority=alert.priority,
        channel_ids=channel_ids,
        body=body,
        title=f"{alert.rule_name}: over" if is_over else alert.rule_name,
        text=alert.message,
        at=(alert.cleared_at if is_over else None) or alert.triggered_at,
        event=f"alert.{transition}",
        military=alert.military,
        aircraft=tuple(aircraft_of(alert)),
        rule_id=rule_id,
        quiet_hours=quiet_hours,
        cleared=is_over,
    )


def aircraft_of(alert: Alert) -> list[str]:
    """The addresses of the aircraft that an alert names: one, or those that were counted."""
    if alert.icao_hex is not None:
        return [alert.icao_hex]
    return [entry["icao_hex"] for entry in alert.matched if "icao_hex" in entry]


def _combinations(needed: frozenset[str]) -> Iterator[frozenset[str]]:
    """Permissions of the fuller forms, the fullest first; an alert has values of one feature, rarely of two."""
    for size in range(len(needed), -1, -1):
        for some in itertools.combinations(sorted(needed), size):
            yield frozenset({str(Permission.AIRCRAFT_VIEW_DETAILS), *some})


def _encoded(alert: Alert, deliveries: Sequence[Any], permissions: frozenset[str]) -> bytes:
    return _encode(document(alert_answer(alert, deliveries, permissions)))
