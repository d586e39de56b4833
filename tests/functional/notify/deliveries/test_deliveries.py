"""The worker over both databases: what is sent, what is tried again, what is given up, and what goes out as one."""

from datetime import time, timedelta

import pytest
import standardwebhooks

from skywatch.core.clock import utcnow
from skywatch.core.database.engine import writing
from skywatch.notify.deliveries import leases, results
from skywatch.notify.deliveries.quiet_hours import QuietWindow
from skywatch.notify.deliveries.schedule import FAILURES_UNTIL_DISABLED
from skywatch.notify.models import Channel, Delivery
from skywatch.notify.senders.all import create_senders
from skywatch.notify.senders.base import Outcome, SendFailed
from skywatch.notify.senders.signatures import new_secret
from tests.notifying import (
    add_channel,
    add_user,
    change_channel,
    channel_of,
    deliveries,
    delivering,
    make_due,
    notification,
    send,
)
from tests.waiting import PATIENCE_S, until


def states(sessions):
    return [delivery.state for delivery in deliveries(sessions)]


def settled(sessions, *expected):
    return until(lambda: states(sessions) == list(expected), f"deliveries {expected}")


@pytest.mark.deep("needs a library that make test does not install")
def test_a_webhook_is_signed_so_that_two_independent_libraries_verify_it(runtime, sessions, ada, receiver):
    # Its imports take two thirds of a second in every process that collects tests.
    import svix

    old, new = new_secret(), new_secret()
    channel = add_channel(
        sessions, ada, receiver.url + "/hook?x=1", secret=new, previous_secret=old,
        previous_secret_until=utcnow() + timedelta(hours=24),
    )  # fmt: skip
    with delivering(runtime):
        send(sessions, notification(ada, channel))
        settled(sessions, "delivered")
    (request,) = receiver.requests
    assert request["path"] == "/hook?x=1"
    assert request["headers"]["content-type"] == "application/json"
    for secret in (old, new):
        for library in (standardwebhooks.Webhook, svix.Webhook):
            library(secret).verify(request["body"], request["headers"])
    for library, fault in (
        (standardwebhooks.Webhook, standardwebhooks.WebhookVerificationError),
        (svix.Webhook, svix.WebhookVerificationError),
    ):
        with pytest.raises(fault):
            library(new_secret()).verify(request["body"], request["headers"])
        with pytest.raises(fault):
            library(new).verify(request["body"] + b" ", request["headers"])
    (document,) = receiver.documents
    assert (document["type"], document["timestamp"]) == ("alert.triggered", "2026-05-01T12:00:00Z")
    assert document["data"]["message"] == "alert 1"
    (delivery,) = deliveries(sessions)
    assert delivery.message_id == request["headers"]["webhook-id"]
    assert delivery.attempts == 1
    found = channel_of(sessions, channel)
    assert (found.state, found.failures, found.last_success_at) == ("healthy", 0, delivery.delivered_at)


def test_an_old_secret_signs_for_24_hours_and_no_longer(runtime, sessions, ada, receiver):
    channel = add_channel(
        sessions, ada, receiver.url, previous_secret=new_secret(), previous_secret_until=utcnow() - timedelta(seconds=1)
    )
    with delivering(runtime):
        send(sessions, notification(ada, channel))
        settled(sessions, "delivered")
    assert len(receiver.requests[0]["headers"]["webhook-signature"].split(" ")) == 1


def test_a_failure_is_tried_again_with_the_same_id(runtime, sessions, ada, receiver, unhurried):
    receiver.answers = [500, 302, 200]
    receiver.headers = {"Location": "/elsewhere"}
    channel = add_channel(sessions, ada, receiver.url)
    with delivering(runtime):
        send(sessions, notification(ada, channel))
        for attempt, reason in ((1, "The receiver answered with status 500."), (2, "redirects (status 302)")):
            until(
                lambda attempt=attempt: deliveries(sessions)[0].attempts == attempt and states(sessions) == ["pending"]
            )
            assert reason in deliveries(sessions)[0].last_error
            assert channel_of(sessions, channel).state == "failing"
            assert channel_of(sessions, channel).failures == attempt
            make_due(sessions)
        settled(sessions, "delivered")
    assert len(set(receiver.ids)) == 1
    assert len(receiver.ids) == 3
    assert {request["path"] for request in receiver.requests} == {"/"}
    assert channel_of(sessions, channel).state == "healthy"


def test_the_first_retry_comes_after_five_to_six_seconds(runtime, sessions, ada, receiver):
    receiver.status = 500
    channel = add_channel(sessions, ada, receiver.url)
    with delivering(runtime):
        before = utcnow()
        send(sessions, notification(ada, channel))
        until(lambda: deliveries(sessions)[0].last_error)
        after = utcnow()
    pause = deliveries(sessions)[0].next_at
    assert before + timedelta(seconds=5) <= pause <= after + timedelta(seconds=6)


def test_retry_after_holds_back_the_whole_channel(runtime, sessions, ada, receiver):
    receiver.status, receiver.headers = 429, {"Retry-After": "120"}
    channel = add_channel(sessions, ada, receiver.url)
    with delivering(runtime):
        send(sessions, notification(ada, channel))
        until(lambda: deliveries(sessions)[0].last_error)
        send(sessions, notification(ada, channel, subject_id=2))
        found = channel_of(sessions, channel)
        assert timedelta(seconds=100) < found.paused_until - utcnow() <= timedelta(seconds=120)
        receiver.status = 200
        make_due(sessions)
        settled(sessions, "delivered", "delivered")
    assert len(receiver.requests) == 3


def test_a_receiver_that_is_gone_disables_the_channel_and_its_owner_is_told(runtime, sessions, ada, receiver):
    receiver.status = 410
    gone = add_channel(sessions, ada, receiver.url, name="kitchen")
    other = add_channel(sessions, ada, "https://192.0.2.1/", name="other")
    with delivering(runtime):
        # Three at once: what waits is given up with the first answer.
        send(sessions, *(notification(ada, gone, subject_id=number) for number in (1, 2, 3)))
        until(lambda: channel_of(sessions, gone).state == "disabled")
        until(lambda: len(deliveries(sessions)) == 4)
    assert [d.state for d in deliveries(sessions) if d.channel_id == gone] == ["dead"] * 3
    told = deliveries(sessions)[3]
    assert (told.channel_id, told.event) == (other, "channel.disabled")
    assert "kitchen is disabled: The receiver answered with status 410." in told.text
    assert len(receiver.requests) == 1


def test_twenty_failures_in_a_row_disable_a_channel(runtime, sessions, ada, receiver, unhurried):
    receiver.status = 500
    channel = add_channel(sessions, ada, receiver.url, failures=18)
    with delivering(runtime):
        send(sessions, notification(ada, channel))
        until(lambda: channel_of(sessions, channel).failures == 19)
        assert channel_of(sessions, channel).state == "failing"
        make_due(sessions)
        until(lambda: channel_of(sessions, channel).state == "disabled")
    assert states(sessions) == ["dead"]


def test_what_fails_until_its_time_is_up_is_dead(runtime, sessions, ada, receiver):
    receiver.status = 500
    channel = add_channel(sessions, ada, receiver.url)
    send(sessions, notification(ada, channel))
    with writing(sessions) as session:
        session.query(Delivery).update({"expires_at": utcnow() - timedelta(hours=1)})
    with delivering(runtime):
        settled(sessions, "dead")
    # Even so late it was tried once.
    assert len(receiver.requests) == 1


def test_a_channel_that_is_down_delays_no_other(runtime, sessions, ada, receiver):
    class Stuck:
        async def send(self, recipient, message):
            raise SendFailed("down")

        async def close(self):
            pass

    down = [add_channel(sessions, ada, kind="mqtt", address=f"t{number}") for number in range(40)]
    works = add_channel(sessions, ada, receiver.url)
    with delivering(runtime, {**create_senders(runtime), "mqtt": Stuck()}):
        send(sessions, *(notification(ada, channel) for channel in [*down, works]))
        until(lambda: receiver.requests)
        until(lambda: sum(bool(d.last_error) for d in deliveries(sessions)) == 40)


def test_above_its_rate_a_channel_gets_one_digest(runtime, sessions, ada, receiver):
    channel = add_channel(sessions, ada, receiver.url, rate_per_minute=2)
    send(sessions, *(notification(ada, channel, subject_id=number) for number in range(1, 8)))
    with delivering(runtime):
        until(lambda: channel_of(sessions, channel).paused_until)
        assert len(receiver.requests) == 2
        found = channel_of(sessions, channel)
        assert found.paused_until == found.window_at + timedelta(minutes=1)
        # The minute passes.
        change_channel(sessions, channel, paused_until=None, window_at=utcnow() - timedelta(minutes=2))
        settled(sessions, *["delivered"] * 7)
    first, second, digest = receiver.documents
    assert [first["data"]["id"], second["data"]["id"]] == [1, 2]
    assert digest["type"] == "alert.digest"
    assert digest["data"]["count"] == 5
    assert [entry["data"]["id"] for entry in digest["data"]["alerts"]] == [3, 4, 5, 6, 7]


def test_a_digest_that_fails_is_tried_again_as_the_same_digest(runtime, sessions, ada, receiver, unhurried):
    receiver.answers = [503]
    channel = add_channel(sessions, ada, receiver.url, digest_s=300)
    send(sessions, *(notification(ada, channel, subject_id=number) for number in (1, 2)))
    make_due(sessions)
    with delivering(runtime):
        until(lambda: all(d.last_error for d in deliveries(sessions)))
        send(sessions, notification(ada, channel, subject_id=3))
        make_due(sessions)
        settled(sessions, *["delivered"] * 3)
    failed, again, third = receiver.documents
    assert receiver.ids[0] == receiver.ids[1] != receiver.ids[2]
    assert failed["data"]["alerts"] == again["data"]["alerts"]
    assert [entry["data"]["id"] for entry in again["data"]["alerts"]] == [1, 2]
    assert third["data"]["id"] == 3


def test_what_was_held_goes_out_as_one_digest_at_the_end_of_quiet(runtime, sessions, ada, receiver):
    always = (QuietWindow(time(0), time(0), "UTC"),)
    channel = add_channel(sessions, ada, receiver.url)
    with delivering(runtime):
        send(sessions, *(notification(ada, channel, subject_id=n, quiet_hours=always) for n in (1, 2)))
        send(sessions, notification(ada, channel, subject_id=3))
        settled(sessions, "held", "held", "delivered")
        make_due(sessions)
        settled(sessions, *["delivered"] * 3)
    assert [document["type"] for document in receiver.documents] == ["alert.triggered", "alert.digest"]


def test_rights_are_checked_again_when_it_is_sent(make_runtime, database_url, receiver):
    runtime = make_runtime(database_url=database_url, auth_mode="hybrid", notify_allow_networks="127.0.0.0/8")
    sessions = runtime.sessions
    ada, ben = add_user(sessions), add_user(sessions, "ben", is_active=False)
    mine, his = add_channel(sessions, ada, receiver.url), add_channel(sessions, ben, receiver.url)
    send(
        sessions, notification(ada, mine, military=True), notification(ben, his), notification(ada, mine, subject_id=7)
    )
    with delivering(runtime):
        settled(sessions, "dead", "dead", "delivered")
    assert [d.last_error for d in deliveries(sessions)] == ["not permitted", "not permitted", None]
    assert [document["data"]["id"] for document in receiver.documents] == [7]


def test_a_lease_that_ran_out_lets_another_worker_send_the_same_message(runtime, sessions, ada):
    channel = add_channel(sessions, ada)
    send(sessions, notification(ada, channel), notification(ada, channel, subject_id=2))

    def claim():
        with writing(sessions) as session:
            return leases.claim(session, runtime.settings, channel)

    first = claim()
    assert claim() is None  # one in flight a channel
    with sessions() as session:
        assert leases.due_channels(session, utcnow(), 10) == []
    change_channel(sessions, channel, leased_until=utcnow() - timedelta(seconds=1))
    second = claim()
    assert second.message.id == first.message.id
    with writing(sessions) as session:
        # The frozen worker's failure is none of its business any more; its success is true.
        results.failed(session, first, SendFailed("late"))
    assert states(sessions) == ["sending", "pending"]
    with writing(sessions) as session:
        results.delivered(session, runtime.settings, first, Outcome())
    assert states(sessions) == ["delivered", "pending"]
    assert session.get(Channel, channel).lease == second.lease


def test_no_channel_is_disabled_for_a_cause_in_this_installation(runtime, sessions, ada):
    channel = add_channel(sessions, ada)
    send(sessions, notification(ada, channel))
    change_channel(sessions, channel, failures=FAILURES_UNTIL_DISABLED - 1)

    def is_disabled_by(failure):
        make_due(sessions)
        change_channel(sessions, channel, leased_until=None)
        with writing(sessions) as session:
            made = leases.claim(session, runtime.settings, channel)
        with writing(sessions) as session:
            return results.failed(session, made, failure)

    for _ in range(2):
        assert not is_disabled_by(SendFailed("The address was stored with another secret.", ours=True))
    assert (channel_of(sessions, channel).state, states(sessions)) == ("failing", ["pending"])
    assert is_disabled_by(SendFailed("500"))


def test_what_the_worker_is_about_when_it_is_stopped_is_put_back(runtime, sessions, ada, receiver, monkeypatch):
    monkeypatch.setattr("skywatch.notify.deliveries.worker.STOP_S", 0.1)
    receiver.delay_s = PATIENCE_S
    channel = add_channel(sessions, ada, receiver.url)
    with delivering(runtime):
        send(sessions, notification(ada, channel))
        until(lambda: receiver.requests)
    (delivery,) = deliveries(sessions)
    assert (delivery.state, delivery.attempts) == ("pending", 0)
    assert channel_of(sessions, channel).leased_until is None


def test_a_fault_of_a_sender_shows_no_internals(runtime, sessions, ada):
    class Broken:
        async def send(self, recipient, message):
            raise RuntimeError("password=hunter2")

        async def close(self):
            pass

    channel = add_channel(sessions, ada)
    with delivering(runtime, {"webhook": Broken()}):
        send(sessions, notification(ada, channel))
        until(lambda: deliveries(sessions)[0].last_error)
    assert deliveries(sessions)[0].last_error == "The service has a fault; see its log."


def test_a_long_body_is_cut_below_20_kb(runtime, sessions, ada, receiver):
    channel = add_channel(sessions, ada, receiver.url)
    body = {"id": 1, "message": "near", "aircraft": {"x": "y" * 30_000}}
    with delivering(runtime):
        send(sessions, notification(ada, channel, body=body))
        settled(sessions, "delivered")
    assert len(receiver.requests[0]["body"]) < 20_000
    assert receiver.documents[0]["data"] == {"id": 1, "message": "near", "truncated": True}
