"""The worker when the database fails it: it waits between attempts, logs once, and shows in health how it does."""

from __future__ import annotations

import asyncio
import logging
import threading

import pytest
import sqlalchemy as sa

from skywatch.airframes.military import decide
from skywatch.core.database.engine import writing
from skywatch.core.storage.audit import Actor
from skywatch.core.telemetry import health
from skywatch.notify.deliveries import leases, worker
from skywatch.notify.senders.base import Outcome
from tests.notifying import add_channel, add_user, deliveries, delivering, notification, send
from tests.waiting import until


class Sender:
    """Accepts everything."""

    async def send(self, recipient, message):
        return Outcome()

    async def close(self):
        pass


class Failing:
    """``claims.claim`` that fails until ``works`` is set; counts its calls."""

    def __init__(self):
        self.calls, self.works, self._claim = 0, False, leases.claim

    def __call__(self, *args):
        self.calls += 1
        if not self.works:
            raise sa.exc.OperationalError("UPDATE", {}, Exception("database is locked"))
        return self._claim(*args)


@pytest.fixture
def claim(monkeypatch):
    failing = Failing()
    monkeypatch.setattr(leases, "claim", failing)
    return failing


@pytest.fixture
def passes(monkeypatch):
    """The passes in which the worker looked for channels that have something due."""
    seen, due_channels = [], leases.due_channels

    def look(*args):
        seen.append(due_channels(*args))
        return seen[-1]

    monkeypatch.setattr(leases, "due_channels", look)
    monkeypatch.setattr(worker, "POLL_S", 0.02)
    return seen


@pytest.fixture
def runtime(make_runtime):
    runtime = make_runtime()
    send(runtime.sessions, notification(ada := add_user(runtime.sessions), add_channel(runtime.sessions, ada)))
    return runtime


def state():
    return next(part for part in health.components() if part.name == worker.COMPONENT)


def errors(caplog):
    return [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_channel_that_cannot_be_claimed_is_left_alone_for_a_pause(runtime, claim, passes, monkeypatch, caplog):
    monkeypatch.setattr(worker, "PAUSE_S", 3600.0)
    with delivering(runtime, {"webhook": Sender()}):
        until(lambda: claim.calls, "the first attempt")
        begun = len(passes)
        until(lambda: len(passes) > begun + 10, "ten more passes")
        assert all(len(due) == 1 for due in passes)
        assert claim.calls == 1
        assert not state().ok
        assert "deliveries wait" in state().detail
    assert len(errors(caplog)) == 1


def test_it_is_well_once_a_claim_has_worked(runtime, claim, passes, monkeypatch, caplog):
    monkeypatch.setattr(worker, "PAUSE_S", 0.02)
    with delivering(runtime, {"webhook": Sender()}):
        until(lambda: claim.calls > 5, "several attempts")
        assert not state().ok
        claim.works = True
        until(lambda: [d.state for d in deliveries(runtime.sessions)] == ["delivered"], "the delivery")
        assert state().ok
    assert len(errors(caplog)) == 1


def test_it_is_well_when_nothing_is_due_any_more(runtime, claim, passes, monkeypatch):
    monkeypatch.setattr(worker, "PAUSE_S", 0.02)
    with delivering(runtime, {"webhook": Sender()}):
        until(lambda: not state().ok, "the fault")
        monkeypatch.setattr(leases, "due_channels", lambda *_: [])
        until(lambda: state().ok, "the end of the fault")


def test_channels_of_one_person_that_hang_take_half_of_the_slots(make_runtime, monkeypatch):
    monkeypatch.setattr(worker, "SLOTS", {**worker.SLOTS, (False, False): 4})
    monkeypatch.setattr(worker, "POLL_S", 0.02)
    runtime = make_runtime()
    ada, ben = add_user(runtime.sessions), add_user(runtime.sessions, "ben")
    program = add_user(runtime.sessions, "grafana", kind="service", owner_id=ada)
    hanging = [add_channel(runtime.sessions, ada if number < 3 else program) for number in range(5)]
    works = add_channel(runtime.sessions, ben, "https://example.org/works")
    sending, over = [], threading.Event()

    class Hanging(Sender):
        async def send(self, recipient, message):
            sending.append(recipient.address)
            while not recipient.address.endswith("works") and not over.is_set():
                await asyncio.sleep(0.01)
            return Outcome()

    for number, channel in enumerate(hanging):
        send(runtime.sessions, notification(ada if number < 3 else program, channel, subject_id=number))
    send(runtime.sessions, notification(ben, works, subject_id=9))
    try:
        with delivering(runtime, {"webhook": Hanging()}):
            until(lambda: len(sending) == 3, "two of one person, and the one of another")
            assert "https://example.org/works" in sending
            over.set()
            until(lambda: len(sending) == 6, "all others")
    finally:
        over.set()


@pytest.mark.parametrize("now", [True, False])
def test_what_is_about_an_aircraft_that_is_military_by_now_is_not_sent(make_runtime, now):
    runtime = make_runtime(auth_mode="private")
    user = add_user(runtime.sessions)
    marked = notification(user, add_channel(runtime.sessions, user), aircraft=["A12345", "4B1620"], military=not now)
    send(runtime.sessions, marked)
    with writing(runtime.sessions) as session:
        # After it was put into the outbox, and before it is sent.
        decide(session, Actor("ada", "session", 1), "A12345", now)
    with delivering(runtime, {"webhook": Sender()}):
        until(lambda: deliveries(runtime.sessions)[0].state != "pending", "the decision")
    (delivery,) = deliveries(runtime.sessions)
    expected = ("dead", "not permitted") if now else ("delivered", None)
    assert (delivery.state, delivery.last_error) == expected
