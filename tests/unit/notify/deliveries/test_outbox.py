"""The outbox: which notifications become deliveries, and in which state they begin."""

from datetime import time, timedelta

import pytest

from skywatch.accounts.models import User
from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.notify.channels.queries import channels_for_source, foreign_channels, subscribers_of
from skywatch.notify.deliveries import outbox
from skywatch.notify.deliveries.quiet_hours import QuietWindow
from skywatch.notify.models import Channel
from tests.notifying import add_channel, add_user, deliveries, notification, send

pytestmark = pytest.mark.portable(
    "sends what others send",
    but=["test_a_disabled_channel_keeps_what_it_missed_as_dead", "test_with_a_user_go_channels_and_deliveries"],
)

ALWAYS = (QuietWindow(time(0), time(0), "UTC"),)


@pytest.fixture
def sessions(make_runtime, database_url):
    return make_runtime(database_url=database_url).sessions


@pytest.fixture
def ada(sessions):
    return add_user(sessions)


def test_one_delivery_for_each_channel(sessions, ada):
    first, second = add_channel(sessions, ada), add_channel(sessions, ada)
    assert send(sessions, notification(ada, first, second, first)) == 2
    found = deliveries(sessions)
    assert [(d.channel_id, d.state, d.attempts, d.body["id"]) for d in found] == [
        (first, "pending", 0, 1),
        (second, "pending", 0, 1),
    ]
    assert found[0].message_id != found[1].message_id
    with sessions() as session:
        assert outbox.states(session, "alert", [1, 2]) == {
            1: [{"channel": first, "state": "pending"}, {"channel": second, "state": "pending"}],
            2: [],
        }
        assert outbox.states(session, "safety", [1]) == {1: []}


def test_a_transaction_that_is_rolled_back_leaves_nothing_and_wakes_nobody(make_runtime, database_url):
    runtime = make_runtime(database_url=database_url)
    user = add_user(runtime.sessions)
    channel = add_channel(runtime.sessions, user)
    woken = []
    runtime.bus.subscribe([outbox.WAKE_TOPIC], woken.append)
    with runtime.sessions() as session:
        outbox.enqueue(session, [notification(user, channel)])
        session.rollback()
    assert deliveries(runtime.sessions) == []
    assert woken == []
    send(runtime.sessions, notification(user, channel))
    assert len(woken) == 1


def test_channels_of_others_switched_off_or_for_more_important_things_get_nothing(sessions, ada):
    ben = add_user(sessions, "ben")
    foreign = add_channel(sessions, ben)
    off = add_channel(sessions, ada, enabled=False)
    critical = add_channel(sessions, ada, minimum_priority="critical")
    assert send(sessions, notification(ada, foreign, off, critical, 999_999, priority="warning")) == 0
    assert send(sessions, notification(ada, critical, priority="critical")) == 1


def test_the_end_of_an_alert_is_sent_on_request_and_does_not_change_its_state(sessions, ada):
    plain, both = add_channel(sessions, ada), add_channel(sessions, ada, send_cleared=True)
    send(sessions, notification(ada, plain, both))
    assert send(sessions, notification(ada, plain, both, event="alert.cleared", cleared=True)) == 1
    with sessions() as session:
        assert [s["channel"] for s in outbox.states(session, "alert", [1])[1]] == [plain, both]


def test_a_disabled_channel_keeps_what_it_missed_as_dead(sessions, ada):
    channel = add_channel(sessions, ada, state="disabled")
    send(sessions, notification(ada, channel))
    (delivery,) = deliveries(sessions)
    assert (delivery.state, delivery.next_at, delivery.last_error) == ("dead", None, "The channel is disabled.")


def test_quiet_hours_hold_back_the_critical_too(sessions, ada):
    channel = add_channel(sessions, ada, digest_s=60)
    send(sessions, notification(ada, channel, quiet_hours=ALWAYS, priority="critical"))
    (delivery,) = deliveries(sessions)
    assert delivery.state == "held"
    assert delivery.next_at > utcnow() + timedelta(days=7)
    assert delivery.expires_at == delivery.next_at + timedelta(days=3)


def test_a_channel_that_collects_waits_for_its_digest(sessions, ada):
    channel = add_channel(sessions, ada, digest_s=600)
    before = utcnow()
    send(sessions, notification(ada, channel))
    (delivery,) = deliveries(sessions)
    assert delivery.state == "pending"
    assert delivery.next_at >= before + timedelta(seconds=600)


def test_whose_a_channel_is_and_what_it_wants(sessions, ada):
    ben = add_user(sessions, "ben")
    own = add_channel(sessions, ada, sources=["cannonball", "safety"])
    off = add_channel(sessions, ada, sources=["safety"], enabled=False)
    bens = add_channel(sessions, ben, sources=["safety"])
    with sessions() as session:
        assert foreign_channels(session, ada, [bens, own, 12345, off]) == [bens, 12345]
        assert foreign_channels(session, ada, []) == []
        assert channels_for_source(session, [ada, ben], "cannonball") == {ada: (own,), ben: ()}
        assert subscribers_of(session, "safety") == {ada: (own,), ben: (bens,)}


def test_with_a_user_go_channels_and_deliveries(sessions, ada):
    send(sessions, notification(ada, add_channel(sessions, ada)))
    with writing(sessions) as session:
        session.delete(session.get(User, ada))
    assert deliveries(sessions) == []
    with sessions() as session:
        assert session.query(Channel).count() == 0
