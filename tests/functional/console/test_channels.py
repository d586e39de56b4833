"""Everybody's notification channels in the console: state, deliveries, switching, testing, deleting."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.core.database.models import AuditEntry
from skywatch.notify.models import Channel, Delivery
from tests.functional.console.visitor import ORIGIN


@pytest.fixture
def channel(root):
    """A webhook of the operator's with one delivery of each of two states."""
    now = utcnow()
    with writing(root.runtime.sessions) as session:
        made = Channel(
            user_id=root.people.numbers["operator"],
            name="Pager",
            kind="webhook",
            address="https://hooks.example/very-secret-path",
            secret="hunter2",
        )
        session.add(made)
        session.flush()
        for number, state in enumerate(("delivered", "dead")):
            session.add(
                Delivery(
                    message_id=f"m{number}",
                    channel_id=made.id,
                    user_id=made.user_id,
                    kind="alert",
                    event="alerts:triggered",
                    subject_id=number,
                    priority="info",
                    title="An alert",
                    text="of something",
                    body={},
                    at=now,
                    state=state,
                    last_error="refused" if state == "dead" else None,
                    created_at=now,
                    expires_at=now + timedelta(hours=1),
                )
            )
        return made.id


def press(page, do, which=1):
    return page.forms[which].submit("do", value=do, headers=ORIGIN, status=303).follow()


def stored(root, channel):
    with root.runtime.sessions() as session:
        return session.get(Channel, channel)


def test_an_administrator_sees_everybodys_channels_without_secrets(root, channel):
    page = root.get("/channels?kind=webhook")
    assert "Pager" in page
    assert "operator" in page
    assert "Pager" not in root.get("/channels?kind=mqtt")
    for shown in (page, page.click("Pager")):
        assert "very-secret" not in shown
        assert "hunter2" not in shown


@pytest.mark.deep("costs over a processor second")
def test_a_channel_is_switched_off_and_on_and_deleted(root, channel):
    page = press(root.get(f"/channels/{channel}"), "off")
    assert "Pager is switched off." in page
    assert not stored(root, channel).enabled
    page = press(page, "on")
    assert stored(root, channel).enabled
    page = press(page, "delete", which=next(at for at, form in page.forms.items() if 'value="delete"' in form.text))
    assert "Pager is deleted." in page
    assert stored(root, channel) is None
    with root.runtime.sessions() as session:
        entries = session.scalars(sa.select(AuditEntry).where(AuditEntry.action.like("channel.%")))
        found = [(entry.action, entry.method) for entry in entries]
    assert found == [("channel.changed", "console"), ("channel.changed", "console"), ("channel.deleted", "console")]


def test_a_delivery_that_was_given_up_is_sent_again(root, channel):
    page = root.get(f"/channels/{channel}?state=dead")
    assert "refused" in page
    (form,) = [form for form in page.forms.values() if "delivery" in form.fields]
    page = form.submit("do", value="retry", headers=ORIGIN, status=303).follow()
    assert "is sent again." in page
    with root.runtime.sessions() as session:
        assert sorted(session.scalars(sa.select(Delivery.state))) == ["delivered", "pending"]
    refused = root.post(f"/channels/{channel}", {"csrf_token": root.token, "do": "retry", "delivery": "x"}, status=400)
    assert "must be a number" in refused


def test_the_answer_to_a_test_message_is_told(root, channel, monkeypatch):
    monkeypatch.setattr("skywatch.notify.channels.channel_test.try_channel", lambda runtime, number: "no such host")
    page = press(root.get(f"/channels/{channel}"), "test")
    assert "The test message was not accepted: no such host" in page
    assert root.get("/channels/999", status=404)
