"""The series of the receivers outlives a restart of the tracker."""

from types import SimpleNamespace

import pytest

from skywatch.core.database.engine import writing
from skywatch.picture.counted import record_real_sky
from skywatch.picture.storage import saved_picture as saved
from skywatch.receivers.base import ReceiverStatus
from skywatch.reception import series as receiver_series
from skywatch.reception.series import (
    SLOT_S,
    SLOTS,
    Means,
    ReceiverRecorder,
    ReceiverSeries,
    SeriesTask,
    last_reception,
    publish_reception,
)
from tests.identities import as_role, install_with_users

START = 1_000_000 * SLOT_S


def status(name="roof", rate=10.0):
    return ReceiverStatus(name=name, kind="beast", address="x", state="connected", message_rate=rate)


def series(recorder, name="roof"):
    return [slot and slot.messages for slot in recorder.series.receivers[name]]


def test_a_restart_goes_on_with_what_was_saved(make_runtime):
    runtime = make_runtime()
    before, after = ReceiverRecorder(), ReceiverRecorder()
    after.restore(runtime.sessions)
    assert after.series.receivers == {}
    before.take(START, [status(rate=12)], None)
    before.save(runtime.sessions)
    after.restore(runtime.sessions)
    after.take(START + 2 * SLOT_S, [status(rate=7)], None)
    assert series(after)[-3:] == [12, None, 7]


@pytest.mark.parametrize("data", [b"nonsense", b'{"newest": 1, "receivers": {"roof": []}}'])
def test_a_damaged_series_is_refused(make_runtime, data):
    runtime = make_runtime()
    saved.write(runtime.sessions, {receiver_series.SAVED: data})
    recorder = ReceiverRecorder()
    with pytest.raises(ValueError, match="saved reception"):
        recorder.restore(runtime.sessions)
    recorder.take(START, [status()], None)
    assert series(recorder)[-1] == 10


def test_the_task_publishes_what_it_samples_and_saves_it_at_its_end(make_runtime, monkeypatch):
    runtime = make_runtime()
    monkeypatch.setattr(receiver_series, "published_receivers", lambda bus: [status(rate=33)])
    task = SeriesTask(runtime)
    task.record()
    (means,) = [slot for slot in last_reception(runtime.bus).receivers["roof"] if slot]
    assert means.messages == 33
    task.close()
    later = ReceiverRecorder()
    later.restore(runtime.sessions)
    assert series(later)[-1] == 33


def test_the_receivers_are_sampled_and_the_series_is_published_on_time(make_runtime, monkeypatch):
    runtime, now, published = make_runtime(), [0.0], []
    monkeypatch.setattr(receiver_series, "time", SimpleNamespace(monotonic=lambda: now[0]))
    runtime.bus.subscribe((receiver_series.TOPIC,), lambda message: published.append(now[0]))
    task = SeriesTask(runtime)
    while now[0] < 85:
        now[0] += task._work()
    assert published == [10, 70]


def publish_day(client, **receivers):
    """Receivers of which nothing but the newest slots is known, each as (messages, aircraft, civil)."""
    slots = {
        name: [*([None] * (SLOTS - len(means))), *(one and Means(*one, samples=1) for one in means)]
        for name, means in receivers.items()
    }
    publish_reception(client.runtime.bus, ReceiverSeries(1_000_000, slots))


def day_of(client, who="viewer"):
    return client.get("/api/v1/system/reception", headers=as_role(who, {"viewer": 4, "analyst": 5}[who])).json


def test_the_day_is_the_sum_of_all_receivers_from_the_first_sample_on(make_client):
    roofs = {"receiver.roof": "beast 127.0.0.1:1", "receiver.attic": "beast 127.0.0.1:2"}
    client = install_with_users(make_client(auth_mode="hybrid", **roofs))
    assert day_of(client) == {"slot_s": SLOT_S, "slots": []}
    publish_day(client, roof=[(10, 4, 3), None, (20, 5, 5)], attic=[None, None, (1.26, 2, 0)], gone=[(99, 9, 9)])
    slots = day_of(client)["slots"]
    assert [(one["messages_s"], one["aircraft"]) for one in slots] == [(10, 3), (21.3, 5)]
    assert [(one["messages_s"], one["aircraft"]) for one in day_of(client, "analyst")["slots"]] == [(10, 4), (21.3, 7)]
    assert slots[-1]["at"] == "1989-01-05T10:40:00Z"


@pytest.mark.parametrize("is_real", [False, True])
def test_a_simulator_counts_until_another_receiver_was_heard(make_client, is_real):
    receivers = {"receiver.roof": "beast 127.0.0.1:1", "receiver.demo": "simulate aircraft=9"}
    client = install_with_users(make_client(auth_mode="hybrid", **receivers))
    publish_day(client, roof=[(10, 4, 4)], demo=[(500, 50, 50)])
    if is_real:
        with writing(client.runtime.sessions) as session:
            record_real_sky(session)
    assert [one["aircraft"] for one in day_of(client)["slots"]] == [4 if is_real else 54]
